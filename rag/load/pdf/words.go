package pdf

import (
	"math"
	"strings"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// run is a piece of text on one line without a wide gap. It has PDFium's own spaces, including a trailing one if a
// word or line follows. Lengths are in page units, along the text: for rotated text x still grows in reading
// direction, and y upwards.
type run struct {
	angle  int     // in degrees, counterclockwise
	x, end float64 // start and end
	y      float64 // its base line
	size   float64 // of its letters
	text   string
}

// along rotates a point of the page into a text direction.
func along(angle int, x, y float64) (float64, float64) {
	if angle == 0 {
		return x, y
	}
	sin, cos := math.Sincos(float64(angle) * math.Pi / 180)
	return x*cos + y*sin, y*cos - x*sin
}

// Distances in font sizes: larger gaps separate runs.
const (
	wideGap  = 3
	wideBack = 2
	wideStep = 1
)

// reader collects the words of a page into runs. It does not query every letter's position, which would take longer
// than reading the page: PDFium puts a space or a line end wherever there is a gap.
type reader struct {
	in     pdfium.Pdfium
	text   references.FPDF_TEXTPAGE
	single bool // every word is a run of its own
	left   int  // bytes of text left for the page
	runs   []run
	run    run // the current one
	b      strings.Builder

	last, count int     // its last word: the last letter, and its length
	x, low      float64 // the word's start, and the depth of the run's first letter
}

// PDFium's replacement of a hyphen at a line end.
const (
	hyphen     = 2
	hyphenText = 0xFFFE
	softHyphen = '\u00AD' // mark until unhyphenate decides
)

// pieceSize is the number of letters per read.
const pieceSize = 1024

func (r *reader) read() error {
	res, err := r.in.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: r.text})
	if err != nil {
		return err
	}
	for first := 0; first < res.Count; first += pieceSize {
		letters, err := r.letters(first, min(pieceSize, res.Count-first))
		if err != nil {
			return err
		}
		if err := r.words(first, letters); err != nil {
			return err
		}
	}
	return r.flush()
}

// words places the words of a piece starting at the given letter.
func (r *reader) words(first int, letters []rune) error {
	for i := 0; i < len(letters); {
		n := wordLength(letters[i:])
		if n == 0 {
			r.space()
			if r.single || letters[i] == '\r' || letters[i] == '\n' {
				if err := r.flush(); err != nil {
					return err
				}
			}
			i++
			continue
		}
		if err := r.place(first+i, letters[i:i+n]); err != nil {
			return err
		}
		i += n
	}
	return nil
}

// wordLength returns the number of letters before a space.
func wordLength(letters []rune) int {
	for i, c := range letters {
		if c <= ' ' && c != hyphen {
			return i
		}
	}
	return len(letters)
}

// place adds a word starting at the given letter. A query to PDFium costs as much as a line of text, so it makes only
// those it needs.
func (r *reader) place(at int, word []rune) error {
	fits := false
	if r.b.Len() > 0 {
		var err error
		if fits, err = r.continuesRun(at); err != nil {
			return err
		}
	}
	if !fits {
		if err := r.flush(); err != nil {
			return err
		}
		if err := r.start(at); err != nil {
			return err
		}
	}
	r.last, r.count = at+len(word)-1, len(word)
	return r.write(word)
}

// start begins a run.
func (r *reader) start(at int) error {
	angle, err := r.in.FPDFText_GetCharAngle(&requests.FPDFText_GetCharAngle{TextPage: r.text, Index: at})
	if err != nil {
		return err
	}
	r.run = run{angle: degrees(-float64(angle.CharAngle))} // PDFium counts clockwise
	if r.run.x, r.run.y, err = r.origin(at); err != nil {
		return err
	}
	if r.run.size, err = r.size(at); err != nil {
		return err
	}
	box, err := r.box(at)
	r.x, r.low = r.run.x, box.low
	return err
}

// narrow is below any letter's width, in font sizes.
const narrow = 0.2

// continuesRun reports whether a word is on the run's line, close to its last word.
func (r *reader) continuesRun(at int) (bool, error) {
	box, err := r.box(at)
	if err != nil {
		return false, err
	}
	size, x := r.run.size, box.left
	if math.Abs(box.low-r.low) > size/4 { // another letter or another line
		var y float64
		if x, y, err = r.origin(at); err != nil || math.Abs(y-r.run.y) > wideStep*size {
			return false, err
		}
	}
	if x < r.x-wideBack*size {
		return false, nil
	}
	if x-r.x > (wideGap+narrow*float64(r.count))*size { // so it may be far from its end
		end, err := r.box(r.last)
		if err != nil || x-end.right > wideGap*size {
			return false, err
		}
	}
	r.x = x
	return true, nil
}

// origin returns a letter's position, in the direction of the run.
func (r *reader) origin(at int) (x, y float64, err error) {
	o, err := r.in.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: r.text, Index: at})
	if err != nil {
		return 0, 0, err
	}
	x, y = along(r.run.angle, finite(o.X), finite(o.Y))
	return x, y, nil
}

// letterBox returns a letter's box in the direction of the run.
type letterBox struct{ left, right, low float64 }

func (r *reader) box(at int) (letterBox, error) {
	b, err := r.in.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: r.text, Index: at})
	if err != nil {
		return letterBox{}, err
	}
	x1, y1 := along(r.run.angle, finite(float64(b.Rect.Left)), finite(float64(b.Rect.Bottom)))
	x2, y2 := along(r.run.angle, finite(float64(b.Rect.Right)), finite(float64(b.Rect.Top)))
	return letterBox{min(x1, x2), max(x1, x2), min(y1, y2)}, nil
}

func (r *reader) write(word []rune) error {
	n := r.b.Len()
	for _, c := range word {
		switch c {
		case softHyphen: // invisible within a line
		case hyphen, hyphenText:
			r.b.WriteRune(softHyphen)
		default:
			r.b.WriteRune(c)
		}
	}
	if r.left -= r.b.Len() - n; r.left < 0 {
		return ErrText
	}
	return nil
}

// size returns a letter's displayed size.
func (r *reader) size(at int) (float64, error) {
	size, err := r.in.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: r.text, Index: at})
	if err != nil {
		return 0, err
	}
	m, err := r.in.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: r.text, Index: at})
	if err != nil {
		return 0, err
	}
	return max(finite(math.Abs(size.FontSize)*math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D))), 1), nil
}

// degrees rounds an angle in radians.
func degrees(angle float64) int {
	return (int(math.Round(finite(angle)*180/math.Pi))%360 + 360) % 360
}

// finite returns v, or 0 for NaN and infinity, which a file may contain.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.Abs(v) > 1e9 {
		return 0
	}
	return v
}

// space ends a word.
func (r *reader) space() {
	if s := r.b.String(); s != "" && !strings.HasSuffix(s, " ") {
		r.b.WriteByte(' ')
	}
}

// flush ends a run.
func (r *reader) flush() error {
	if r.b.Len() == 0 {
		return nil
	}
	box, err := r.box(r.last)
	if err != nil {
		return err
	}
	r.run.end = max(box.right, r.x)
	if r.run.text = printed(r.b.String()); r.run.text != "" {
		r.runs = append(r.runs, r.run)
	}
	r.b.Reset()
	return nil
}

// letters returns the given letters of a page, one for each index. It reads them as one text unless that omits
// letters without a Unicode value.
func (r *reader) letters(first, count int) ([]rune, error) {
	res, err := r.in.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: r.text, StartIndex: first, Count: count})
	if err == nil {
		if out := []rune(strings.TrimSuffix(res.Text, "\x00")); len(out) == count {
			return out, nil
		}
	}
	out := make([]rune, count)
	for i := range out {
		res, err := r.in.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: r.text, Index: first + i})
		if err != nil {
			return nil, err
		}
		out[i] = rune(res.Unicode)
	}
	return out, nil
}
