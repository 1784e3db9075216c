package load_test

import (
	"errors"
	"fmt"
	"image"
	"os"
	"strings"
	"testing"
	"time"

	"maru/rag/load"
	"maru/rag/load/ocr/ocrtest"
)

// TestRecognised reads pictures and scans in the bounded child, page by page, and refuses in words what has no text.
func TestRecognised(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("its children compile and run WebAssembly or Tesseract, which the race detector slows down and does not see")
	}
	l := pdfLoader(load.Config{OCR: ocrtest.Find(t)})
	if !l.Recognises() {
		t.Error("the loader does not know that it recognises text")
	}
	leave := ocrtest.Page(t, "연차 휴가 규정", "연차 휴가는 1년에 15일이며, 신청은 3일 전까지 합니다.")
	bill := ocrtest.Page(t, "Invoice 2026-114", "The total is 4,170 EUR, due on 14 July.")
	blank := ocrtest.Page(t)
	for name, c := range map[string]struct {
		file string
		data []byte
		want []string // words, each with its page before it
		code load.Code
	}{
		"screenshot":         {"rules.png", ocrtest.PNG(t, leave), []string{"0:연차", "0:15일"}, ""},
		"capitals":           {"BILL.PNG", ocrtest.PNG(t, bill), []string{"0:4,170", "0:14 July"}, ""},
		"scan_of_two_pages":  {"scan.pdf", ocrtest.Scan(t, leave, bill), []string{"1:연차", "1:15일", "2:Invoice", "2:4,170"}, ""},
		"blank_page_between": {"scan.pdf", ocrtest.Scan(t, leave, blank, bill), []string{"1:연차", "3:Invoice"}, ""},
		"blank_scan":         {"empty.pdf", ocrtest.Scan(t, blank), nil, load.Illegible},
		"blank_picture":      {"white.png", ocrtest.PNG(t, blank), nil, load.Illegible},
		"no_pixels":          {"dot.png", ocrtest.PNG(t, image.NewGray(image.Rect(0, 0, 1, 1))), nil, load.Illegible},
		"broken":             {"cut.png", ocrtest.PNG(t, leave)[:900], nil, load.Broken},
		"no_picture":         {"notes.jpg", []byte("# Notes"), nil, load.Broken},
		"heic":               {"IMG.HEIC", []byte("\x00\x00\x00\x18ftypheic"), nil, load.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, chunks, err := l.Load(t.Context(), c.file, c.data)
			var e *load.Error
			if c.code != "" {
				if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.PeopleText("ko"), c.file) {
					t.Errorf("%v, want %s", err, c.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range c.want {
				page, word, _ := strings.Cut(w, ":")
				found := false
				for _, ch := range chunks {
					found = found || fmt.Sprint(ch.Page) == page && strings.Contains(ch.Text, word)
				}
				if !found {
					t.Errorf("no %q: %s", w, show(chunks))
				}
			}
			if len(doc.Unread) > 0 || strings.HasSuffix(c.file, "png") && doc.Title != "rules" {
				t.Errorf("document %+v", doc)
			}
		})
	}
}

// TestRecognitionIsBounded: of a scan with more pages than are recognised the rest is named, and pages with text of their
// own are read all the same.
func TestRecognitionIsBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("its children compile and run WebAssembly or Tesseract, which the race detector slows down and does not see")
	}
	cfg := *ocrtest.Find(t)
	cfg.Pages = 2
	page := ocrtest.Page(t, "Annual leave is 15 days")
	doc, chunks, err := pdfLoader(load.Config{OCR: &cfg}).Load(t.Context(), "scan.pdf", ocrtest.Scan(t, page, page, page, page))
	if err != nil || len(chunks) == 0 {
		t.Fatal(chunks, err)
	}
	for _, c := range chunks {
		if c.Page > 2 {
			t.Errorf("page %d is read", c.Page)
		}
	}
	said := load.Unread(doc)
	if len(said) != 1 || said[0].Code != load.Scans || !strings.Contains(said[0].PeopleText("en"), "scan.pdf:3") {
		t.Errorf("left: %v", said)
	}
	cfg.Command, cfg.Each = slowly(t), time.Second
	start := time.Now()
	_, _, err = pdfLoader(load.Config{OCR: &cfg}).Load(t.Context(), "scan.pdf", ocrtest.Scan(t, page))
	var e *load.Error
	if !errors.As(err, &e) || e.Code != load.Illegible || time.Since(start) > 5*time.Minute { // it hangs for ten
		t.Errorf("a recogniser that hangs: %v after %s", err, time.Since(start))
	}
}

// slowly returns a recogniser that never ends.
func slowly(t *testing.T) string {
	t.Helper()
	path := t.TempDir() + "/tesseract"
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return path
}

// TestWithoutRecognition refuses pictures and scans with what to do.
func TestWithoutRecognition(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{"photo.png": []byte("\x89PNG\r\n"), "scan.pdf": ocrtest.Scan(t, image.NewGray(image.Rect(0, 0, 20, 20)))} {
		_, _, err := newLoader().Load(t.Context(), name, data)
		var e *load.Error
		if !errors.As(err, &e) || e.Code != load.Picture && e.Code != load.NoText || !strings.Contains(e.PeopleText("en"), "OCR") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
