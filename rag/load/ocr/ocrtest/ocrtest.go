// Package ocrtest draws pages for tests of text recognition, and finds the recogniser or skips.
package ocrtest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"maru/rag/load/ocr"
)

// fontFile is of Debian's package fonts-nanum, which scripts/services.sh installs.
const fontFile = "/usr/share/fonts/truetype/nanum/NanumGothic.ttf"

// Find returns the recogniser of Korean and English. Without it, or without a font, the test is skipped, and in CI it fails.
func Find(t testing.TB) *ocr.Config {
	t.Helper()
	c, err := ocr.Find(t.Context(), ocr.On, "kor+eng")
	if err == nil {
		_, err = os.Stat(fontFile)
	}
	if err == nil {
		c.Each, c.Total = 10*time.Minute, 10*time.Minute
		return c
	}
	if os.Getenv("MARU_TEST_REQUIRE") != "" {
		t.Fatalf("MARU_TEST_REQUIRE is set: %v", err)
	}
	t.Skipf("text recognition cannot be tested: %v; sudo apt-get install tesseract-ocr tesseract-ocr-kor fonts-nanum", err)
	return nil
}

// Page draws lines of text, black on white, on a page of A4 at 150 dots an inch.
func Page(t testing.TB, lines ...string) image.Image {
	t.Helper()
	raw, err := os.ReadFile(fontFile)
	if err != nil {
		t.Fatal(err)
	}
	f, err := opentype.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 14, DPI: 150})
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewGray(image.Rect(0, 0, 1240, 1754))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	d := font.Drawer{Dst: img, Src: image.NewUniform(color.Black), Face: face}
	for i, line := range lines {
		d.Dot = fixed.P(100, 160+60*i)
		d.DrawString(line)
	}
	return img
}

// PNG encodes a page.
func PNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Scan returns a PDF whose pages are pictures, as scanners write it.
func Scan(t testing.TB, pages ...image.Image) []byte {
	t.Helper()
	var objects []string
	var kids []string
	for i, page := range pages {
		size := page.Bounds()
		gray := image.NewGray(size)
		draw.Draw(gray, size, page, size.Min, draw.Src)
		at := 3 + 3*i
		kids = append(kids, fmt.Sprintf("%d 0 R", at))
		content := "q 595 0 0 842 0 0 cm /Im0 Do Q"
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</XObject<</Im0 %d 0 R>>>>>>", at+1, at+2),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content),
			fmt.Sprintf("<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8/Length %d>>\nstream\n%s\nendstream",
				size.Dx(), size.Dy(), len(gray.Pix), gray.Pix))
	}
	objects = append([]string{"<</Type/Catalog/Pages 2 0 R>>", fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", strings.Join(kids, " "), len(pages))}, objects...)
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj%s\nendobj\n", i+1, o)
	}
	b.WriteString("trailer<</Root 1 0 R>>\n%%EOF")
	return b.Bytes()
}
