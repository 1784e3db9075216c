package pdfium

import (
	"context"
	"errors"
	"math"
	"strings"
	"unicode/utf16"

	"github.com/tetratelabs/wazero/api"
)

// Run is a piece of text on one line without a wide gap in it. It has PDFium's
// own spaces, one at its end too if PDFium sees another word or line follow.
// Lengths are in the page's units, from its lower left corner.
type Run struct {
	X, End float64 // where it begins and ends
	Y      float64 // its base line
	Size   float64 // of its letters
	Text   string
}

// Distances in sizes of the letters: what is farther apart is not one run.
const (
	wideGap  = 3
	wideBack = 2
	wideStep = 1
)

// ErrPage: this page cannot be read, and others may.
var ErrPage = errors.New("PDFium cannot read the page")

// Page returns the text of a page, counted from 0, in the order in which the
// document shows it. After [ErrPage] other pages can be read.
func (d *Document) Page(ctx context.Context, index, limit int) ([]Run, error) {
	in := d.in
	page := in.call(ctx, "FPDF_LoadPage", d.doc, uint64(index))
	if page == 0 && in.err == nil {
		return nil, ErrPage
	}
	r := &runReader{d: d, text: in.call(ctx, "FPDFText_LoadPage", page), left: limit}
	err := ErrPage
	if r.text != 0 {
		err = r.read(ctx)
		in.call(ctx, "FPDFText_ClosePage", r.text)
	}
	in.call(ctx, "FPDF_ClosePage", page)
	if in.err != nil {
		return nil, in.err
	}
	return r.runs, err
}

// runReader gathers the words of a page to runs. Where every letter stands is not
// asked for, that would take longer than reading the page: PDFium puts a
// space or the end of a line wherever there is a gap.
type runReader struct {
	d    *Document
	text uint64
	left int
	runs []Run
	run  Run // the one that grows
	b    strings.Builder
}

// What PDFium makes of a hyphen at the end of a line.
const (
	hyphen     = 2
	hyphenText = 0xFFFE
)

func (r *runReader) read(ctx context.Context) error {
	count := int(int32(r.d.in.call(ctx, "FPDFText_CountChars", r.text)))
	for first := 0; first < count; first += pieceSize {
		letters, err := r.d.letters(ctx, r.text, first, min(pieceSize, count-first))
		if err != nil {
			return err
		}
		for i := 0; i < len(letters); {
			n := wordLength(letters[i:])
			if n == 0 {
				r.space()
				if letters[i] == '\r' || letters[i] == '\n' {
					r.flush()
				}
				i++
				continue
			}
			if err := r.place(ctx, first+i, letters[i:i+n]); err != nil {
				return err
			}
			i += n
		}
	}
	r.flush()
	return r.d.in.err
}

// wordLength is how many letters stand before a space.
func wordLength(letters []rune) int {
	for i, c := range letters {
		if c <= ' ' && c != hyphen {
			return i
		}
	}
	return len(letters)
}

// place adds a word that begins at the given letter.
func (r *runReader) place(ctx context.Context, at int, word []rune) error {
	in, p := r.d.in, r.d.scratch
	in.call(ctx, "FPDFText_GetCharOrigin", r.text, uint64(at), uint64(p), uint64(p+8))
	x, y := in.float64(p), in.float64(p+8)
	in.call(ctx, "FPDFText_GetLooseCharBox", r.text, uint64(at+len(word)-1), uint64(p))
	end := in.float32(p + 8) // left, top, right, bottom
	if size := r.run.Size; r.b.Len() > 0 && (x-r.run.End > wideGap*size || x-r.run.End < -wideBack*size || math.Abs(y-r.run.Y) > wideStep*size) {
		r.flush()
	}
	if r.b.Len() == 0 {
		size := api.DecodeF64(in.call(ctx, "FPDFText_GetFontSize", r.text, uint64(at)))
		in.call(ctx, "FPDFText_GetMatrix", r.text, uint64(at), uint64(p))
		scale := math.Hypot(in.float32(p+8), in.float32(p+12)) // a b c d e f
		r.run = Run{X: x, Y: y, Size: max(in.finite(math.Abs(size)*scale, true), 1)}
	}
	r.run.End = max(end, x)
	n := r.b.Len()
	for _, c := range word {
		if c == hyphen || c == hyphenText {
			c = '-'
		}
		r.b.WriteRune(c)
	}
	if r.left -= r.b.Len() - n; r.left < 0 {
		return ErrText
	}
	return in.err
}

// space ends a word.
func (r *runReader) space() {
	if s := r.b.String(); s != "" && !strings.HasSuffix(s, " ") {
		r.b.WriteByte(' ')
	}
}

func (r *runReader) flush() {
	if r.b.Len() > 0 {
		r.run.Text = r.b.String()
		r.runs = append(r.runs, r.run)
		r.b.Reset()
	}
}

// pieceSize is how many letters are read at a time.
const pieceSize = 1024

// letters are the given letters of a page, one for each number. They come as one text
// unless that leaves some out, which have no meaning but a number.
func (d *Document) letters(ctx context.Context, text uint64, first, count int) ([]rune, error) {
	in := d.in
	n := int(in.call(ctx, "FPDFText_GetText", text, uint64(first), uint64(count), uint64(d.scratch)))
	if in.err == nil && n > 0 && n <= scratchSize/2 {
		b, ok := in.mod.Memory().Read(d.scratch, uint32(2*(n-1))) // without the zero at its end
		if out := utf16LE(b); ok && len(out) == count {
			return out, nil
		}
	}
	out := make([]rune, count)
	for i := range out {
		out[i] = rune(int32(in.call(ctx, "FPDFText_GetUnicode", text, uint64(first+i))))
	}
	return out, in.err
}

func utf16LE(b []byte) []rune {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return utf16.Decode(units)
}
