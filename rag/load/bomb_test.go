package load_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rivo/uniseg"

	"maru/rag/load"
	"maru/rag/load/confine"
	"maru/rag/load/loadtest"
	"maru/rag/load/pdf"
)

// TestBombs loads files that should not be loaded: those that are small and become large, are not what they say, or are nothing, end as a typed error or as
// bounded text within their time; a good file is read right after each.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("each is read by a process of its own, which shares nothing and is ten times slower under the race detector")
	}
	t.Parallel()
	const maxText = 2 << 20
	command, held := watched(t)
	l := load.New(load.Config{Command: command, MaxBytes: 8 << 20, MaxText: maxText, Timeout: 20 * time.Second, PDF: pdf.Config{Cache: loadtest.PDFCache()}})
	space := strings.Repeat(" ", 32<<20)
	words := strings.Repeat("bomb ", 2<<20)
	entities := `<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "` + strings.Repeat("x", 1000) + `"><!ENTITY b "` + strings.Repeat("&a;", 1000) + `"><!ENTITY c "` + strings.Repeat("&b;", 1000) + `">]><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>&c;</w:t></w:r></w:p></w:body></w:document>`
	inner := zipOf(t, "word/document.xml", `<w:document xmlns:w="w">`+space+`</w:document>`)
	bombs := map[string][]byte{
		"empty.docx":       {},
		"too_large.pdf":    append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("0"), 9<<20)...),
		"spaces.docx":      inner,
		"words.docx":       zipOf(t, "word/document.xml", `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>`+words+`</w:t></w:r></w:p></w:body></w:document>`),
		"entities.docx":    zipOf(t, "word/document.xml", entities),
		"nested.docx":      zipOf(t, "word/document.xml", string(inner)),
		"many_slides.pptx": zipOf(t, slidesOf(6000)...),
		"image.docx":       append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 4096)...),
		"pdf.docx":         []byte("%PDF-1.7\n%%EOF"),
		"locked.docx":      []byte("\xD0\xCF\x11\xE0rest"),
		"deep.html":        []byte(strings.Repeat("<table><tr><td>", 50_000)),
		"wide.html":        []byte("<table>" + strings.Repeat("<td colspan=100000>x", 50_000)),
		"attributes.html":  []byte("<p " + strings.Repeat("a=b ", 1<<20) + ">x"),
		"deep.json":        []byte(strings.Repeat(`{"a":`, 500_000)),
		"columns.csv":      []byte(strings.Repeat("a,", 3<<20)),
		"quotes.csv":       []byte(`"` + strings.Repeat(`""`, 3<<20)),
		"zeros.txt":        make([]byte, 1<<20),
	}
	refused := map[load.Code]int{}
	read := 0
	for name, data := range bombs {
		began := time.Now()
		_, chunks, err := l.Load(t.Context(), name, data)
		var e *load.Error
		switch {
		case err == nil:
			read++
			total := 0
			for _, c := range chunks {
				total += len(c.Text)
			}
			if total > 2*maxText {
				t.Errorf("%s: %d bytes of text, at most %d and the overlap", name, total, maxText)
			}
		case !errors.As(err, &e):
			t.Errorf("%s: untyped error %v", name, err)
		default:
			refused[e.Code]++
			if e.Code == load.Crashed {
				t.Errorf("%s: the child crashed: %v", name, err)
			}
		}
		t.Logf("%-18s %8d bytes in: %v after %v", name, len(data), err, time.Since(began).Round(time.Millisecond))
		if _, _, err := l.Load(t.Context(), "good.html", []byte("<p>hello</p>")); err != nil {
			t.Errorf("after %s a good file fails: %v", name, err)
		}
	}
	largest, children := held.largest(t)
	t.Logf("deaths of this process 0 over %d bombs: %d read within bounds, refused %v; largest of %d children %d MiB", len(bombs), read, refused, children, largest>>10)
	if most := 512 + 192; largest>>10 > most && !confine.RaceDetector {
		t.Errorf("a child used %d MiB, at most %d may be", largest>>10, most)
	}
	if runtime.GOOS == "linux" && children < len(bombs) { // a good file is read after each
		t.Errorf("%d children told what they held", children)
	}
}

// slidesOf returns a presentation of so many empty slides.
func slidesOf(n int) []string {
	files := []string{"ppt/presentation.xml", "<p/>"}
	for i := range n {
		files = append(files, fmt.Sprintf("ppt/slides/slide%d.xml", i+1), "<p:sld xmlns:p=\"p\"/>")
	}
	return files
}

// TestGraphemesStayWhole cuts composed and decomposed Hangul, emoji of several
// parts, flags, combining marks and Devanagari into passages at every offset: never
// inside of a letter.
func TestGraphemesStayWhole(t *testing.T) {
	t.Parallel()
	l := load.New(load.Config{Passage: 24, Overlap: 6})
	units := map[string]string{
		"nfc": "각", "nfd": "\u1100\u1161\u11a8", "family": "👩‍👩‍👧‍👦", "flag": "🇰🇷", "skin": "👋🏽", "keycap": "1️⃣", "accent": "e\u0301", "stacked": "a\u0302\u0323", "hindi": "क्षि",
	}
	cuts, broken := 0, 0
	for name, unit := range units {
		for pad := range 30 {
			text := strings.Repeat("x", pad) + strings.Repeat(unit, 60)
			_, chunks, err := l.Load(t.Context(), "x.txt", []byte(text))
			if err != nil {
				t.Fatalf("%s at %d: %v", name, pad, err)
			}
			if len(chunks) < 2 {
				t.Fatalf("%s at %d: %d passages, nothing was cut", name, pad, len(chunks))
			}
			whole := map[string]bool{}
			for g := uniseg.NewGraphemes(text); g.Next(); {
				whole[g.Str()] = true
			}
			for _, c := range chunks {
				cuts++
				for g := uniseg.NewGraphemes(c.Text); g.Next(); {
					if !whole[g.Str()] {
						broken++
						t.Errorf("%s at %d: a passage holds %q, which the text does not", name, pad, g.Str())
						break
					}
				}
			}
		}
	}
	t.Logf("broken splits %d of %d", broken, cuts)
}

// handbook returns a PDF of 500 pages of 30 lines.
func handbook() []byte {
	var pages [][]string
	for i := range 500 {
		var lines []string
		for n := range 30 {
			lines = append(lines, fmt.Sprintf("Line %d of page %d says what the rule of leave is in this company.", n, i))
		}
		pages = append(pages, lines)
	}
	return pdfOf(pages...)
}

// TestPDFMemory: what the largest child holds that reads, after one that fills the cache.
func TestPDFMemory(t *testing.T) {
	if os.Getenv("MARU_TEST_LONG") == "" {
		t.Skip("in make long: TestBatchOfPDFs has the child that reads, TestPDFCache the one that fills the cache")
	}
	t.Parallel()
	data := handbook()
	for name, cache := range map[string]string{"compiled before": loadtest.PDFCache(), "first": filepath.Join(t.TempDir(), "cache")} {
		command, held := watched(t)
		began := time.Now()
		l := load.New(load.Config{Command: command, Timeout: patient, PDF: pdf.Config{Cache: cache}})
		if _, _, err := l.Load(t.Context(), "handbook.pdf", data); err != nil {
			t.Fatal(err)
		}
		largest, children := held.largest(t)
		t.Logf("%s: %s, largest of %d children %d MiB", name, time.Since(began).Round(time.Millisecond), children, largest>>10)
		if most := 512; largest>>10 > most && !confine.RaceDetector {
			t.Errorf("%s: more than %d MiB", name, most)
		}
	}
}

// BenchmarkPDFPages reads a document of 500 pages in the child, as the program does.
func BenchmarkPDFPages(b *testing.B) {
	data, l := handbook(), pdfLoader(load.Config{})
	for b.Loop() {
		if _, _, err := l.Load(b.Context(), "rules.pdf", data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(500*b.N)/b.Elapsed().Seconds(), "pages/s")
}

// BenchmarkPDFStart reads a document of one short line: what a child costs.
func BenchmarkPDFStart(b *testing.B) {
	data, l := pdfOf([]string{"one line"}), pdfLoader(load.Config{})
	for b.Loop() {
		if _, _, err := l.Load(b.Context(), "line.pdf", data); err != nil {
			b.Fatal(err)
		}
	}
}
