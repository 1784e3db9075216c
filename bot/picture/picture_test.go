package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"maru/bot/picture"
)

// drawn returns a white picture whose upper left quarter is red.
func drawn(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.White)
			if x < w/2 && y < h/2 {
				img.Set(x, y, color.NRGBA{R: 255, A: 255})
			}
		}
	}
	return img
}

func noise(w, h int) *image.NRGBA {
	img, r := image.NewNRGBA(image.Rect(0, 0, w, h)), rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32()) | byte(255*(i%4/3))
	}
	return img
}

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// held returns a photo of a camera that was held another way, with the place where it was taken.
func held(t *testing.T, img image.Image, orientation uint16, order binary.AppendByteOrder) []byte {
	t.Helper()
	head := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		head = []byte("MM\x00*")
	}
	tiff := order.AppendUint32(head, 8)
	tiff = order.AppendUint16(tiff, 1)
	tiff = order.AppendUint16(tiff, 0x0112)
	tiff = order.AppendUint16(tiff, 3)
	tiff = order.AppendUint32(tiff, 1)
	tiff = order.AppendUint16(tiff, orientation)
	tiff = append(tiff, 0, 0, 0, 0, 0, 0)
	body := append([]byte("Exif\x00\x00"), append(tiff, "GPS 37.5665N 126.9780E"...)...)
	data := jpegOf(t, img)
	out := append([]byte{0xFF, 0xD8, 0xFF, 0xE1}, binary.BigEndian.AppendUint16(nil, uint16(len(body)+2))...)
	return append(append(out, body...), data[2:]...)
}

// bomb returns a PNG that says it is huge.
func bomb(w, h uint32) []byte {
	out := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	out = binary.BigEndian.AppendUint32(out, w)
	out = binary.BigEndian.AppendUint32(out, h)
	out = append(out, 8, 6, 0, 0, 0)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[12:]))
}

// errHuge stands for a [picture.HugeError].
var errHuge = errors.New("huge")

func TestFit(t *testing.T) {
	t.Parallel()
	var gifs, bmps, tiffs bytes.Buffer
	if err := errors.Join(gif.Encode(&gifs, drawn(40, 20), nil), bmp.Encode(&bmps, drawn(40, 20)), tiff.Encode(&tiffs, drawn(40, 20), nil)); err != nil {
		t.Fatal(err)
	}
	photo := jpegOf(t, drawn(40, 20))
	for name, c := range map[string]struct {
		data []byte
		mime string
		w, h int
		err  error
	}{
		"png":                {pngOf(t, drawn(40, 20)), "image/png", 40, 20, nil},
		"jpeg":               {photo, "image/jpeg", 40, 20, nil},
		"gif":                {gifs.Bytes(), "image/png", 40, 20, nil},
		"bmp":                {bmps.Bytes(), "image/png", 40, 20, nil},
		"tiff":               {tiffs.Bytes(), "image/png", 40, 20, nil},
		"one_pixel":          {pngOf(t, drawn(1, 1)), "image/png", 1, 1, nil},
		"long_screenshot":    {pngOf(t, drawn(300, 4096)), "image/png", 150, 2048, nil},
		"wide":               {pngOf(t, drawn(5000, 2)), "image/png", 2048, 1, nil},
		"large_noise":        {pngOf(t, noise(2500, 2500)), "image/jpeg", 2048, 2048, nil},
		"cut_jpeg":           {photo[:len(photo)/2], "", 0, 0, picture.ErrBroken},
		"cut_png":            {pngOf(t, noise(40, 20))[:200], "", 0, 0, picture.ErrBroken},
		"head_alone":         {photo[:12], "", 0, 0, picture.ErrBroken},
		"bomb":               {bomb(100_000, 100_000), "", 0, 0, errHuge},
		"bomb_of_overflow":   {bomb(1<<31-1, 1<<31-1), "", 0, 0, picture.ErrBroken},
		"no_pixels":          {bomb(0, 10), "", 0, 0, picture.ErrBroken},
		"pixels_that_follow": {bomb(3000, 3000), "", 0, 0, picture.ErrBroken},
		"text":               {[]byte("not a picture"), "", 0, 0, picture.ErrUnknown},
		"heic":               {[]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), "", 0, 0, picture.ErrUnknown},
		"empty":              {nil, "", 0, 0, picture.ErrUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := picture.Fit(name, c.data)
			if !(errors.Is(err, c.err) || c.err == errHuge && errors.As(err, new(*picture.HugeError))) {
				t.Fatalf("%v, want %v", err, c.err)
			}
			if err != nil {
				return
			}
			img, format, err := image.Decode(bytes.NewReader(p.Data))
			if err != nil || p.MIME != c.mime || "image/"+format != c.mime || img.Bounds().Dx() != c.w || img.Bounds().Dy() != c.h || len(p.Data) > 4<<20 || len(p.Digest) != 64 {
				t.Errorf("%s, %d bytes, %v, %v", p.MIME, len(p.Data), img.Bounds(), err)
			}
		})
	}
}

// TestUpright: the red quarter stands where the camera's holder saw it, and no place goes along.
func TestUpright(t *testing.T) {
	t.Parallel()
	corner := map[uint16]string{1: "left top", 2: "right top", 3: "right bottom", 4: "left bottom", 5: "left top", 6: "right top", 7: "right bottom", 8: "left bottom", 0: "left top", 9: "left top"}
	for how, want := range corner {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			data := held(t, drawn(64, 32), how, order)
			if !bytes.Contains(data, []byte("GPS")) {
				t.Fatal("no place in the photo")
			}
			p, err := picture.Fit("photo.jpg", data)
			if err != nil {
				t.Fatal(err)
			}
			img, err := jpeg.Decode(bytes.NewReader(p.Data))
			if err != nil || bytes.Contains(p.Data, []byte("GPS")) {
				t.Fatalf("%v, place kept: %v", err, bytes.Contains(p.Data, []byte("GPS")))
			}
			w, h := img.Bounds().Dx(), img.Bounds().Dy()
			if (w > h) != (how < 5 || how > 8) {
				t.Errorf("orientation %d: %d by %d", how, w, h)
			}
			var red []string
			for name, at := range map[string][2]int{"left top": {w / 4, h / 4}, "right top": {w * 3 / 4, h / 4}, "left bottom": {w / 4, h * 3 / 4}, "right bottom": {w * 3 / 4, h * 3 / 4}} {
				if _, g, _, _ := img.At(at[0], at[1]).RGBA(); g < 0x4000 {
					red = append(red, name)
				}
			}
			if got := strings.Join(red, ", "); got != want {
				t.Errorf("orientation %d in %v: red %s, want %s", how, fmt.Sprint(order), got, want)
			}
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00*\x00\x00\x00\x08"))
	f.Add(bomb(10, 10))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := picture.Fit("x", data); err == nil && len(p.Data) == 0 {
			t.Error("an empty picture")
		}
	})
}
