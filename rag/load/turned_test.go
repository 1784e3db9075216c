package load_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// drawnText writes a text as a PDF string, and the font it is in: F1 for ASCII, F2 for Hangul.
func drawnText(s string) (literal, font string) {
	for _, r := range s {
		if r >= 0x80 {
			var b strings.Builder
			for _, u := range utf16.Encode([]rune(s)) {
				fmt.Fprintf(&b, "%04X", u)
			}
			return "<" + b.String() + ">", "/F2"
		}
	}
	return "(" + s + ")", "/F1"
}

// spread writes a text as a TJ array with one string a letter, as typesetters that kern do.
func spread(s string) string {
	var b strings.Builder
	for _, r := range s {
		one, _ := drawnText(string(r))
		if r < 0x80 && strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) {
			one = fmt.Sprintf("<%04X>", r)
		}
		b.WriteString(one + " -15 ")
	}
	return "[" + b.String() + "]"
}

// drawnPage returns a PDF of one page with this content, which shows the letters of text in Hangul.
func drawnPage(content, text, page string) []byte {
	var uni strings.Builder
	n := 0
	for _, r := range text {
		fmt.Fprintf(&uni, "<%04X> <%04X>\n", r, r)
		n++
	}
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <0000> <FFFF> endcodespacerange " +
		fmt.Sprintf("%d beginbfchar\n%sendbfchar endcmap end end", n, uni.String())
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> " + page + " >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type0 /BaseFont /Batang /Encoding /Identity-H /DescendantFonts [7 0 R] /ToUnicode 9 0 R >>",
		"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Batang /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 8 0 R /DW 1000 >>",
		"<< /Type /FontDescriptor /FontName /Batang /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(cmap), cmap),
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	x := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, x)
	return b.Bytes()
}

// TestWaysOfDrawingText: programs turn, double, space and split the letters of a page. Each way is tried with a Korean and
// an English sentence; the passage has it once. All pages are in one archive, which one process reads: starting
// PDFium for each would take longer than reading.
func TestWaysOfDrawingText(t *testing.T) {
	t.Parallel()
	at := func(font, matrix, show string) string {
		return "BT " + font + " 12 Tf " + matrix + " Tm " + show + " ET\n"
	}
	const upright, quarter, half, three = "1 0 0 1 60 700", "0 1 -1 0 60 100", "-1 0 0 -1 500 700", "0 -1 1 0 60 700"
	var files []string
	sentences := map[string]string{}
	for way, draw := range map[string]func(lit, font, s string) (content, page string){
		"plain":          func(lit, font, _ string) (string, string) { return at(font, upright, lit+" Tj"), "" },
		"kerned":         func(_, font, s string) (string, string) { return at(font, upright, spread(s)+" TJ"), "" },
		"turned":         func(lit, font, _ string) (string, string) { return at(font, quarter, lit+" Tj"), "/Rotate 90" },
		"turned, kerned": func(_, font, s string) (string, string) { return at(font, quarter, spread(s)+" TJ"), "/Rotate 90" },
		"turned back":    func(lit, font, _ string) (string, string) { return at(font, three, lit+" Tj"), "/Rotate 270" },
		"by offsets": func(lit, font, _ string) (string, string) {
			return "BT " + font + " 12 Tf 60 700 Td 14 TL T* " + lit + " Tj ET", ""
		},
		"moved": func(lit, font, _ string) (string, string) {
			return "q 1 0 0 1 20 -40 cm " + at(font, upright, lit+" Tj") + "Q", ""
		},
		"from the top": func(lit, font, _ string) (string, string) {
			return "q 1 0 0 -1 0 800 cm " + at(font, "1 0 0 -1 60 100", lit+" Tj") + "Q", ""
		},
		"upside down": func(lit, font, _ string) (string, string) { return at(font, half, lit+" Tj"), "/Rotate 180" },
		"drawn twice": func(lit, font, _ string) (string, string) {
			return at(font, upright, lit+" Tj") + at(font, "1 0 0 1 60.3 700", lit+" Tj"), ""
		},
		"outlined":        func(lit, font, _ string) (string, string) { return at(font, upright, "2 Tr "+lit+" Tj"), "" },
		"with its spaces": func(lit, font, _ string) (string, string) { return at(font, upright, "0.4 Tc 1 Tw "+lit+" Tj"), "" },
		"scaled": func(lit, font, _ string) (string, string) {
			return at(font, "12 0 0 12 60 700", lit+" Tj"), ""
		},
	} {
		for lang, s := range map[string]string{"ko": "냉동창고는 영하 이십일도로 맞춰요", "en": "Refund deadline is 45 working days"} {
			turned := strings.HasPrefix(way, "turned")
			switch lang { // PDFium has no box of a letter whose font is not in the file, and leaves such text out if it is turned
			case "ko":
				if turned {
					continue
				}
			default:
				if way == "moved" || way == "from the top" || way == "by offsets" {
					continue
				}
			}
			lit, font := drawnText(s)
			content, page := draw(lit, font, s)
			if way == "scaled" {
				content = strings.Replace(content, " 12 Tf", " 1 Tf", 1)
			}
			name := strings.NewReplacer(" ", "-", ",", "").Replace(way) + "-" + lang
			files, sentences[name] = append(files, name+".pdf", string(drawnPage(content, s, page))), s
		}
	}
	_, chunks := mustLoad(t, "pages.zip", zipOf(t, files...))
	got := show(chunks)
	for name, s := range sentences {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := 0
			for _, line := range strings.Split(got, "\n") {
				if strings.Contains(line, " > "+name+", ") {
					read += strings.Count(line, s)
				}
			}
			if read != 1 {
				t.Errorf("%q is there %d times, in %s", s, read, got)
			}
		})
	}
}
