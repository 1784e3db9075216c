package ocr_test

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"maru/rag/load/ocr"
	"maru/rag/load/ocr/ocrtest"
)

// TestParagraphs reads pages in Korean and English and refuses what is no picture.
func TestParagraphs(t *testing.T) {
	t.Parallel()
	cfg := ocrtest.Find(t)
	korean := ocrtest.PNG(t, ocrtest.Page(t, "연차 휴가 규정", "연차 휴가는 1년에 15일이며, 신청은 3일 전까지 합니다."))
	for name, c := range map[string]struct {
		data []byte
		want []string // words in it
		err  error
	}{
		"korean":  {korean, []string{"연차", "15일", "신청"}, nil},
		"english": {ocrtest.PNG(t, ocrtest.Page(t, "The invoice total is 4,170 EUR,", "due on 14 July.")), []string{"invoice", "4,170", "14 July"}, nil},
		"both":    {ocrtest.PNG(t, ocrtest.Page(t, "서버 점검 Server maintenance", "매주 화요일 02:00")), []string{"Server", "화요일", "02:00"}, nil},
		"blank":   {ocrtest.PNG(t, ocrtest.Page(t)), nil, nil},
		"cut":     {korean[:len(korean)/2], nil, ocr.ErrFailed},
		"text":    {[]byte("no picture"), nil, ocr.ErrBroken},
		"empty":   {nil, nil, ocr.ErrBroken},
		"bomb":    {bomb(30_000, 30_000), nil, ocr.ErrHuge},
		"long":    {bomb(40_000, 10), nil, ocr.ErrHuge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ocr.New(t.Context(), cfg).Paragraphs(c.data)
			if !errors.Is(err, c.err) || c.want == nil && len(got) > 0 {
				t.Fatalf("%q, %v, want %v", got, err, c.err)
			}
			for _, w := range c.want {
				if !strings.Contains(strings.Join(got, "\n"), w) {
					t.Errorf("%q has no %q", got, w)
				}
			}
		})
	}
}

// bomb returns the head of a PNG of so many pixels.
func bomb(w, h uint32) []byte {
	chunk := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h)
	chunk = append(chunk, 8, 6, 0, 0, 0)
	return binary.BigEndian.AppendUint32(append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\r"), chunk...), crc32.ChecksumIEEE(chunk))
}

// TestBounds: a file's pictures end by number and by time, and a picture by its own time.
func TestBounds(t *testing.T) {
	t.Parallel()
	page := ocr.Gray(image.NewGray(image.Rect(0, 0, 9, 9)).Pix, 9, 9, 9)
	for name, c := range map[string]struct {
		script string
		cfg    ocr.Config
		want   []error
	}{
		"number": {"cat >/dev/null; echo word", ocr.Config{Pages: 2, Each: time.Minute, Total: time.Minute}, []error{nil, nil, ocr.ErrSpent, ocr.ErrSpent}},
		"each":   {"exec sleep 60", ocr.Config{Pages: 2, Each: 200 * time.Millisecond, Total: time.Minute}, []error{ocr.ErrFailed}},
		"total":  {"cat >/dev/null; exec sleep 60", ocr.Config{Pages: 9, Each: time.Minute, Total: 300 * time.Millisecond}, []error{ocr.ErrFailed, ocr.ErrSpent}},
		"fault":  {"echo no memory >&2; exit 3", ocr.Config{Pages: 2, Each: time.Minute, Total: time.Minute}, []error{ocr.ErrFailed}},
		"output": {"cat >/dev/null; yes word | head -c 9000000", ocr.Config{Pages: 2, Each: time.Minute, Total: time.Minute}, []error{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.cfg.Command = t.TempDir() + "/tesseract"
			syscall.ForkLock.RLock()                                                       // a process started meanwhile would keep the file open for writing, so that it could not run
			err := os.WriteFile(c.cfg.Command, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700) //nolint:gosec // it is run
			syscall.ForkLock.RUnlock()
			if err != nil {
				t.Fatal(err)
			}
			r := ocr.New(t.Context(), &c.cfg)
			for n, want := range c.want {
				got, err := r.Paragraphs(page)
				if !errors.Is(err, want) || err == nil && len(strings.Join(got, "")) > 1<<20 {
					t.Errorf("picture %d: %d paragraphs, %v, want %v", n, len(got), err, want)
				}
			}
		})
	}
}

func TestFind(t *testing.T) {
	cfg := ocrtest.Find(t)
	if cfg.Languages != "kor+eng" {
		t.Errorf("languages %q", cfg.Languages)
	}
	if c, err := ocr.Find(t.Context(), ocr.Off, "kor+eng"); c != nil || err != nil {
		t.Errorf("off: %v, %v", c, err)
	}
	if c, err := ocr.Find(t.Context(), ocr.Auto, "eng+xyz"); err != nil || c.Languages != "eng" {
		t.Errorf("auto without a language: %v, %v", c, err)
	}
	if _, err := ocr.Find(t.Context(), ocr.On, "eng+xyz"); err == nil || !strings.Contains(err.Error(), "tesseract-ocr-xyz") {
		t.Errorf("on without a language: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if c, err := ocr.Find(context.Background(), ocr.Auto, "eng"); c != nil || err != nil {
		t.Errorf("auto without the program: %v, %v", c, err)
	}
	if _, err := ocr.Find(context.Background(), ocr.On, "eng"); err == nil || !strings.Contains(err.Error(), "tesseract-ocr") {
		t.Errorf("on without the program: %v", err)
	}
}
