package load

import (
	"encoding/xml"
	"strings"

	"maru/rag/load/pack"
)

// Marks that stand for the structure of an equation, around its parts: (a+b)/(2), x^(2), √(y).
var (
	mathBegins = map[string]string{"num": "(", "den": "/(", "sup": "^(", "sub": "_(", "rad": "√(", "d": "("}
	mathEnds   = map[string]string{"num": ")", "den": ")", "sup": ")", "sub": ")", "rad": ")", "d": ")"}
)

// inEquation reports whether an element is one of Office Math, also of the strict kind.
func inEquation(e xml.StartElement) bool {
	return strings.HasSuffix(e.Name.Space, "officeDocument/2006/math") || strings.HasSuffix(e.Name.Space, "officeDocument/math")
}

// equation reads an element of an equation as text on one line.
func (r *docxReader) equation(e xml.StartElement) {
	switch name := e.Name.Local; name {
	case "oMath":
		r.math++
	case "t":
		r.inText = r.skipped == 0 && !r.hidden
	case "chr": // of a sum or an integral
		r.inline(pack.Attr(e, "val"))
	default:
		r.inline(mathBegins[name])
	}
}

// endEquation ends an element within an equation.
func (r *docxReader) endEquation(name string) {
	if name == "oMath" {
		r.math = max(0, r.math-1)
	}
	r.inline(mathEnds[name])
}

func (r *docxReader) inline(mark string) {
	if r.skipped == 0 && !r.hidden {
		r.words = append(r.words, mark...)
	}
}
