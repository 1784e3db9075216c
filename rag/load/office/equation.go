package office

import (
	"encoding/xml"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/rag/load/pack"
)

// Equation collects an equation of Office Math (ECMA-376 part 1, 22.1) and writes it as text: (a+b)/(2), x^(2), ∛(y),
// ∫_(0)^(1)x, |x-y|, [1, 2; 3, 4]. The zero value is ready for use, also for the next equation.
type Equation struct{ open []*part }

// part is an element of an equation.
type part struct {
	name, value string
	text        string
	parts       []*part
	shown       bool
}

// InEquation reports whether an element is one of Office Math, also of the strict kind.
func InEquation(e xml.StartElement) bool {
	return strings.HasSuffix(e.Name.Space, "officeDocument/2006/math") || strings.HasSuffix(e.Name.Space, "officeDocument/math")
}

// Open reports whether an element of the equation is open.
func (q *Equation) Open() bool { return len(q.open) > 0 }

// Start begins an element; one that is not shown is left out with its parts.
func (q *Equation) Start(e xml.StartElement, shown bool) {
	p := &part{name: e.Name.Local, value: pack.Attr(e, "val"), shown: shown}
	if n := len(q.open); n > 0 && shown {
		q.open[n-1].parts = append(q.open[n-1].parts, p)
	}
	q.open = append(q.open, p)
}

// Text adds text to the open element.
func (q *Equation) Text(s string) { q.open[len(q.open)-1].text += s }

// End ends an element and returns the text of the equation with its last one.
func (q *Equation) End() string {
	last := q.open[len(q.open)-1]
	if q.open = q.open[:len(q.open)-1]; q.Open() || !last.shown {
		return ""
	}
	return last.String()
}

// String writes a part with the marks of its kind.
func (p *part) String() string {
	switch p.name {
	case "f":
		if p.property("type", "bar") == "noBar" { // one above the other
			return p.argument("num") + "; " + p.argument("den")
		}
		return "(" + p.argument("num") + ")/(" + p.argument("den") + ")"
	case "rad":
		return root(p.argument("deg")) + "(" + p.argument("e") + ")"
	case "nary":
		return p.property("chr", "∫") + p.scripts() + p.argument("e")
	case "sSub", "sSup", "sSubSup":
		return p.base() + p.scripts()
	case "sPre":
		return "{" + p.scripts() + "}" + p.argument("e")
	case "limLow":
		return p.argument("e") + script("_", p.argument("lim"))
	case "limUpp":
		return p.argument("e") + script("^", p.argument("lim"))
	case "func":
		if p.only("e", "d") {
			return p.argument("fName") + p.argument("e")
		}
		return p.argument("fName") + " " + grouped(p.argument("e"))
	case "acc":
		return grouped(p.argument("e")) + p.property("chr", "\u0302")
	case "groupChr":
		return grouped(p.argument("e")) + p.property("chr", "⏟")
	case "bar":
		if p.property("pos", "bot") == "top" {
			return grouped(p.argument("e")) + "\u0305"
		}
		return grouped(p.argument("e")) + "\u0332"
	case "d":
		return p.property("begChr", "(") + p.list("e", p.property("sepChr", "|")) + p.property("endChr", ")")
	case "m":
		return "[" + p.list("mr", "; ") + "]"
	case "mr":
		return p.list("e", ", ")
	case "eqArr":
		return strings.ReplaceAll(p.list("e", "; "), "&", "") // marks where rows align
	case "br":
		return "\n"
	}
	return p.text + p.inside()
}

// inside writes the parts of a part in their order, each equation of a paragraph on a line of its own.
func (p *part) inside() string {
	var out []byte
	for _, c := range p.parts {
		if c.name == "oMath" && len(out) > 0 && out[len(out)-1] != '\n' {
			out = append(out, '\n')
		}
		if !c.properties() {
			out = append(out, c.String()...)
		}
	}
	return string(out)
}

// properties reports whether a part says how another looks.
func (p *part) properties() bool { return strings.HasSuffix(p.name, "Pr") }

// property returns the value of a part's property.
func (p *part) property(name, otherwise string) string {
	for _, c := range p.parts {
		for _, v := range c.parts {
			if c.properties() && v.name == name {
				return v.value
			}
		}
	}
	return otherwise
}

// argument writes the parts of a name, one beside the other.
func (p *part) argument(name string) string { return p.list(name, "") }

func (p *part) list(name, between string) string {
	var all []string
	for _, c := range p.parts {
		if c.name == name {
			all = append(all, c.String())
		}
	}
	return strings.Join(all, between)
}

// base writes what scripts belong to: a fraction in brackets.
func (p *part) base() string {
	if p.only("e", "f") {
		return "(" + p.argument("e") + ")"
	}
	return p.argument("e")
}

// only reports whether the part of a name consists of one of a kind.
func (p *part) only(name, kind string) bool {
	for _, c := range p.parts {
		if c.name == name {
			inner := slices.DeleteFunc(slices.Clone(c.parts), (*part).properties)
			return len(inner) == 1 && inner[0].name == kind
		}
	}
	return false
}

// scripts writes what is below and above, if anything does.
func (p *part) scripts() string {
	return script("_", p.argument("sub")) + script("^", p.argument("sup"))
}

func script(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + "(" + text + ")"
}

// root returns the sign of a root.
func root(degree string) string {
	switch degree {
	case "":
		return "√"
	case "3":
		return "∛"
	case "4":
		return "∜"
	}
	return "√[" + degree + "]"
}

// grouped puts brackets around more than a letter, so that a mark after them belongs to all of it.
func grouped(s string) string {
	if utf8.RuneCountInString(s) < 2 {
		return s
	}
	return "(" + s + ")"
}
