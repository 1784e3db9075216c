// Package ocr recognises the text of pictures with Tesseract, a program of the machine's (Debian: tesseract-ocr and
// tesseract-ocr-kor). It runs one process for each picture, with bounds on pixels, pictures and time; memory is bounded by
// the process that it is started from. It knows no formats of documents.
package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // their sizes
	_ "image/jpeg"
	_ "image/png"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unicode"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// Mode says whether text is recognised.
type Mode string

// The modes.
const (
	Auto Mode = "auto" // if Tesseract is there
	On   Mode = "on"   // its absence is an error
	Off  Mode = "off"
)

// Config says how text is recognised. It is passed to child processes.
type Config struct {
	Command   string        `json:"command"`   // path of Tesseract
	Languages string        `json:"languages"` // as in "kor+eng"
	Pages     int           `json:"pages"`     // of a file, at most
	Each      time.Duration `json:"each"`      // for one picture, at most
	Total     time.Duration `json:"total"`     // for a file, at most
}

// Bounds that no setting has.
const (
	maxPages  = 40
	maxEach   = 30 * time.Second
	maxTotal  = 3 * time.Minute
	maxPixels = 50_000_000
	maxSide   = 32_000 // Tesseract's own limit is 32,767
	maxText   = 1 << 20
)

// Errors of a picture.
var (
	ErrBroken = errors.New("ocr: the picture is broken")
	ErrHuge   = errors.New("ocr: the picture has too many pixels")
	ErrSpent  = errors.New("ocr: no more pictures of this file are read")
	ErrFailed = errors.New("ocr: text recognition failed")
)

// Find looks for Tesseract and the languages. In [Auto] it returns nil where the program is missing, and leaves out languages that are.
func Find(ctx context.Context, mode Mode, languages string) (*Config, error) {
	if mode == Off || mode == "" {
		return nil, nil //nolint:nilnil // no recognition
	}
	path, err := exec.LookPath("tesseract")
	if err != nil {
		if mode == Auto {
			return nil, nil //nolint:nilnil // as above
		}
		return nil, errors.New("MARU_OCR is on and tesseract is not installed: install Debian's tesseract-ocr and tesseract-ocr-kor, or set it to off")
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--list-langs").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("ask tesseract for its languages: %w", err)
	}
	there := strings.Fields(string(out))
	var use, missing []string
	for l := range strings.SplitSeq(languages, "+") {
		if slices.Contains(there, l) {
			use = append(use, l)
		} else {
			missing = append(missing, l)
		}
	}
	if len(missing) > 0 && (mode == On || len(use) == 0) {
		return nil, fmt.Errorf("MARU_OCR_LANGUAGES: tesseract has no %s: install Debian's tesseract-ocr-%s", strings.Join(missing, ", "), missing[0])
	}
	return &Config{Command: path, Languages: strings.Join(use, "+"), Pages: maxPages, Each: maxEach, Total: maxTotal}, nil
}

// Reader reads the pictures of one file.
type Reader struct {
	cfg  Config
	ctx  context.Context //nolint:containedctx // of the file's reading, as the parsers have none
	end  time.Time
	left int
}

// New returns a reader for one file, nil without a config.
func New(ctx context.Context, c *Config) *Reader {
	if c == nil {
		return nil
	}
	return &Reader{cfg: *c, ctx: ctx, end: time.Now().Add(c.Total), left: c.Pages}
}

// Paragraphs returns the text of a picture. One without any has none. After [ErrSpent] no other picture of the file is read.
func (r *Reader) Paragraphs(picture []byte) ([]string, error) {
	each := min(r.cfg.Each, time.Until(r.end))
	if r.left--; r.left < 0 || each <= 0 {
		return nil, ErrSpent
	}
	if err := check(picture); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.ctx, each)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.cfg.Command, "stdin", "stdout", "-l", r.cfg.Languages)
	cmd.Env = []string{"OMP_THREAD_LIMIT=1", "LC_ALL=C.UTF-8"}
	cmd.Dir = "/"
	cmd.WaitDelay = time.Second
	cmd.Stdin = bytes.NewReader(picture)
	out, said := &bounded{left: maxText}, &bounded{left: 2 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	switch err := cmd.Run(); {
	case r.ctx.Err() != nil:
		return nil, r.ctx.Err()
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w: it took longer than %s", ErrFailed, each.Round(time.Second))
	case err != nil:
		return nil, fmt.Errorf("%w: %w: %.200s", ErrFailed, err, said.buf.String())
	}
	return paragraphs(out.buf.String()), nil
}

// check bounds a picture. The sizes of a portable graymap, which is our own, are known.
func check(picture []byte) error {
	if bytes.HasPrefix(picture, []byte("P5\n")) {
		return nil
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(picture))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrBroken, err)
	case cfg.Width <= 0 || cfg.Height <= 0:
		return ErrBroken
	case cfg.Width > maxSide, cfg.Height > maxSide, cfg.Width > maxPixels/cfg.Height:
		return ErrHuge
	}
	return nil
}

// Gray encodes pixels, a byte each, as Tesseract reads them without decompressing.
func Gray(pixels []byte, width, height, stride int) []byte {
	out := fmt.Appendf(make([]byte, 0, width*height+32), "P5\n%d %d\n255\n", width, height)
	for y := range height {
		out = append(out, pixels[y*stride:y*stride+width]...)
	}
	return out
}

// paragraphs splits recognised text at its empty lines, without what has no letter or digit, as lines of a table and specks have.
func paragraphs(text string) []string {
	var out []string
	for p := range strings.SplitSeq(strings.ReplaceAll(text, "\f", "\n\n"), "\n\n") {
		if p = strings.TrimSpace(p); strings.ContainsFunc(p, legible) {
			out = append(out, p)
		}
	}
	return out
}

func legible(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// bounded keeps the beginning of an output.
type bounded struct {
	buf  bytes.Buffer // not embedded: its ReadFrom would bypass the bound
	left int
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	b.buf.Write(p[:n])
	return len(p), nil
}
