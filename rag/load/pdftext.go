package load

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"

	"maru/phrase/fit"
	"maru/rag/article"
)

// glyphs is a run of text that one operator showed, with where it stands on the page.
type glyphs struct {
	x, y, end, size float64
	text            string
}

// matrix is a PDF transformation: a b c d e f.
type matrix [6]float64

func (m matrix) mul(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

var identity = matrix{1, 0, 0, 1, 0, 0}

// textState is the part of a page's graphics state that places text.
type textState struct {
	ctm, tm, line        matrix
	font                 *pageFont
	size, leading, rise  float64
	charSpace, wordSpace float64
	stretch              float64
}

// pageReader collects a page's glyph runs.
type pageReader struct {
	page  pdf.Page
	fonts map[string]*pageFont
	st    textState
	stack []textState
	runs  []glyphs
	left  int
	depth int
}

const (
	maxStates = 512
	maxForms  = 8
)

// pageText returns the text of a page in reading order: lines by height, gaps as spaces.
func pageText(p pdf.Page, limit int) (text string, err error) {
	r := &pageReader{page: p, fonts: map[string]*pageFont{}, left: limit, st: textState{ctm: identity, tm: identity, line: identity, stretch: 1}}
	defer func() {
		if x := recover(); x != nil {
			if e, ok := x.(*Error); ok {
				panic(e)
			}
			text, err = layout(r.runs), fmt.Errorf("%.200v", x)
		}
	}()
	if p.V.IsNull() || p.V.Key("Contents").Kind() == pdf.Null {
		return "", nil
	}
	pdf.Interpret(p.V.Key("Contents"), r.operate)
	return layout(r.runs), nil
}

func (r *pageReader) font(name string) *pageFont {
	f, ok := r.fonts[name]
	if !ok {
		f = newPageFont(r.page.Font(name))
		r.fonts[name] = f
	}
	return f
}

// operate carries out one operator of the page's program.
func (r *pageReader) operate(stk *pdf.Stack, op string) {
	args := make([]pdf.Value, stk.Len())
	for i := len(args) - 1; i >= 0; i-- {
		args[i] = stk.Pop()
	}
	num := func(i int) float64 {
		if i < len(args) {
			return args[i].Float64()
		}
		return 0
	}
	st := &r.st
	switch op {
	case "q":
		if len(r.stack) < maxStates {
			r.stack = append(r.stack, *st)
		}
	case "Q":
		if n := len(r.stack); n > 0 {
			*st, r.stack = r.stack[n-1], r.stack[:n-1]
		}
	case "cm":
		st.ctm = matrix{num(0), num(1), num(2), num(3), num(4), num(5)}.mul(st.ctm)
	case "BT":
		st.tm, st.line = identity, identity
	case "Tf":
		if len(args) == 2 {
			st.font, st.size = r.font(args[0].Name()), num(1)
		}
	case "Tc":
		st.charSpace = num(0)
	case "Tw":
		st.wordSpace = num(0)
	case "TL":
		st.leading = num(0)
	case "Ts":
		st.rise = num(0)
	case "Tz":
		st.stretch = num(0) / 100
	case "Td":
		r.newLine(num(0), num(1))
	case "TD":
		st.leading = -num(1)
		r.newLine(num(0), num(1))
	case "T*":
		r.newLine(0, -st.leading)
	case "Tm":
		st.tm = matrix{num(0), num(1), num(2), num(3), num(4), num(5)}
		st.line = st.tm
	default:
		r.showOperator(op, args)
	}
}

// showOperator carries out the operators that put text on the page.
func (r *pageReader) showOperator(op string, args []pdf.Value) {
	if len(args) == 0 {
		return
	}
	last := args[len(args)-1]
	switch op {
	case "\"":
		if len(args) == 3 {
			r.st.wordSpace, r.st.charSpace = args[0].Float64(), args[1].Float64()
			r.newLine(0, -r.st.leading)
			r.show(last.RawString())
		}
	case "'":
		r.newLine(0, -r.st.leading)
		r.show(last.RawString())
	case "Tj":
		r.show(last.RawString())
	case "TJ":
		r.showList(last)
	case "Do":
		r.form(last.Name())
	}
}

func (r *pageReader) newLine(x, y float64) {
	r.st.line = matrix{1, 0, 0, 1, x, y}.mul(r.st.line)
	r.st.tm = r.st.line
}

func (r *pageReader) showList(list pdf.Value) {
	for i := range list.Len() {
		v := list.Index(i)
		if v.Kind() == pdf.String {
			r.show(v.RawString())
			continue
		}
		r.advance(-v.Float64() / 1000 * r.st.size * r.st.stretch)
	}
}

func (r *pageReader) advance(tx float64) { r.st.tm = matrix{1, 0, 0, 1, tx, 0}.mul(r.st.tm) }

// show adds the glyphs of one string and moves on by their widths.
func (r *pageReader) show(raw string) {
	st := &r.st
	if st.font == nil {
		return
	}
	text := st.font.decode(raw)
	at := matrix{1, 0, 0, 1, 0, st.rise}.mul(st.tm).mul(st.ctm)
	total := 0.0
	st.font.codes(raw, func(code int) {
		tx := st.font.width(code)*st.font.scale*st.size + st.charSpace
		if code == ' ' {
			tx += st.wordSpace
		}
		total += tx * st.stretch
	})
	r.advance(total)
	end := st.tm.mul(st.ctm)
	text = printed(text)
	if text == "" {
		return
	}
	if r.left -= len(text); r.left < 0 {
		panic(fault(TooComplex, "", errTextLimit))
	}
	size := math.Abs(st.size) * math.Hypot(at[2], at[3])
	r.runs = append(r.runs, glyphs{x: at[4], y: at[5], end: end[4], size: size, text: text})
}

// printed is text without what shows nothing and what means nothing.
func printed(s string) string { return strings.Map(printable, s) }

func printable(r rune) rune {
	if r == '\u00AD' || r == utf8.RuneError || (unicode.IsControl(r) && !unicode.IsSpace(r)) || unicode.Is(unicode.Co, r) {
		return -1
	}
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// form runs a form XObject: a piece of page with resources of its own.
func (r *pageReader) form(name string) {
	x := r.page.Resources().Key("XObject").Key(name)
	if x.Key("Subtype").Name() != "Form" || r.depth >= maxForms {
		return
	}
	saved, savedPage, savedFonts, savedStack := r.st, r.page, r.fonts, r.stack
	if m := x.Key("Matrix"); m.Len() == 6 {
		var f matrix
		for i := range f {
			f[i] = m.Index(i).Float64()
		}
		r.st.ctm = f.mul(r.st.ctm)
	}
	if x.Key("Resources").Kind() == pdf.Dict {
		r.page, r.fonts = pdf.Page{V: x}, map[string]*pageFont{}
	}
	r.stack = nil
	r.depth++
	pdf.Interpret(x, r.operate)
	r.depth--
	r.st, r.page, r.fonts, r.stack = saved, savedPage, savedFonts, savedStack
}

// layout writes runs as lines. Runs keep the order of the page's program, which
// is the reading order of nearly all producers (columns too); a new line begins where the height changes.
func layout(runs []glyphs) string {
	var b strings.Builder
	var last glyphs
	for i, g := range runs {
		if i > 0 {
			size := max(last.size, g.size, 1)
			down, gap := last.y-g.y, g.x-last.end
			switch {
			case math.Abs(down) > 1.9*size || (down < -0.6*size):
				b.WriteString("\n\n")
			case math.Abs(down) > 0.45*size:
				b.WriteByte('\n')
			case gap > 3*size:
				b.WriteByte('\t')
			case gap > 0.15*size || gap < -2*size:
				if !strings.HasSuffix(last.text, " ") && !strings.HasPrefix(g.text, " ") {
					b.WriteByte(' ')
				}
			}
		}
		b.WriteString(g.text)
		last = g
	}
	return b.String()
}

// paragraphs joins the lines of a page's text. A line that does not reach the
// width of its neighbours ends a paragraph, as does an empty one.
func paragraphs(text string) []string {
	var out []string
	whole := wordsWithin(text)
	for part := range strings.SplitSeq(text, "\n\n") {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		widest := 0
		for _, l := range lines {
			widest = max(widest, width(l))
		}
		var cur []string
		for _, l := range lines {
			if l = cleanTabs(l); l == "" {
				continue
			}
			if _, begins := article.Heading(l); begins && len(cur) > 0 {
				out, cur = append(out, whole.join(cur)), nil
			}
			cur = append(cur, l)
			if width(l)*10 < widest*7 || strings.Contains(l, " | ") {
				out, cur = append(out, whole.join(cur)), nil
			}
		}
		if len(cur) > 0 {
			out = append(out, whole.join(cur))
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// cleanTabs keeps the wide gaps of a table row as bars.
func cleanTabs(line string) string {
	var parts []string
	for p := range strings.SplitSeq(line, "\t") {
		if p = fit.OneLine(p); p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " | ")
}
