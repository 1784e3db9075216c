package builtin

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"maru/agent/tool"
	"maru/phrase"
)

func isDigit(r rune) bool  { return r >= '0' && r <= '9' }
func isLetter(r rune) bool { return r >= 'a' && r <= 'z' }

// peekName returns the word at the position, "" if there is none.
func (p *parser) peekName() string {
	p.skip()
	end := p.pos
	for end < len(p.src) && (isLetter(p.src[end]) || (end > p.pos && isDigit(p.src[end]))) {
		end++
	}
	return string(p.src[p.pos:end])
}

func (p *parser) atom() (*node, error) {
	if p.skip(); p.pos >= len(p.src) {
		return nil, p.unexpected()
	}
	at, r := p.pos, p.src[p.pos]
	switch {
	case isDigit(r) || r == '.':
		return p.number()
	case r == 'π':
		p.pos++
		return &node{kind: constant, at: at, name: "pi"}, nil
	case r == '√':
		p.pos++
		arg, err := p.power()
		if err != nil {
			return nil, err
		}
		return &node{kind: function, at: at, name: "sqrt", args: []*node{arg}}, nil
	case r == '(':
		return p.group()
	case isLetter(r):
		return p.named()
	}
	return nil, p.unexpected()
}

// group reads "(" sum ")".
func (p *parser) group() (*node, error) {
	at, outer := p.pos, p.inCall
	p.pos++
	p.inCall = false
	n, err := p.sum()
	p.inCall = outer
	if err != nil {
		return nil, err
	}
	if _, _, ok := p.take(")"); !ok {
		return nil, p.unclosed(at)
	}
	return n, nil
}

func (p *parser) unclosed(at int) error {
	if p.skip(); p.pos < len(p.src) {
		return p.unexpected()
	}
	return p.fail(at, phrase.Of("calc.unclosed"))
}

// named reads a constant or a function.
func (p *parser) named() (*node, error) {
	at, name := p.pos, p.peekName()
	p.pos += len(name)
	if _, ok := constants[name]; ok {
		return &node{kind: constant, at: at, name: name}, nil
	}
	f, ok := functions[name]
	if !ok {
		return nil, p.fail(at, phrase.Of("calc.no_function", name), nameHint(name))
	}
	_, open, ok := p.take("(")
	if !ok {
		return nil, p.fail(p.pos, phrase.Of("calc.parentheses", name), "write "+f.usage)
	}
	args, err := p.arguments(open)
	if err != nil {
		return nil, err
	}
	if len(args) < f.least || len(args) > f.most {
		return nil, p.fail(at, phrase.Of("calc.values", name, len(args)), fmt.Sprintf("write %s; inside a function a comma separates values, so write 1234 for 1,234", f.usage))
	}
	return &node{kind: function, at: at, name: name, args: args}, nil
}

// nameHint tells a model which functions there are.
func nameHint(name string) string {
	names := slices.Sorted(maps.Keys(functions))
	if near, ok := tool.Nearest(name, names); ok {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "there are " + strings.Join(names, ", ")
}

// arguments reads a function's values up to ")".
func (p *parser) arguments(open int) ([]*node, error) {
	outer := p.inCall
	p.inCall = true
	defer func() { p.inCall = outer }()
	var args []*node
	for {
		n, err := p.sum()
		if err != nil {
			return nil, err
		}
		args = append(args, n)
		if _, _, ok := p.take(")"); ok {
			return args, nil
		}
		if _, _, ok := p.take(",", ";"); !ok {
			return nil, p.unclosed(open)
		}
	}
}

// smallUnits and bigUnits are the Korean units of numbers.
var (
	smallUnits = map[rune]int32{'십': 1, '백': 2, '천': 3}
	bigUnits   = map[rune]int32{'만': 4, '억': 8, '조': 12, '경': 16}
)

// number reads a number and the Korean units after it.
func (p *parser) number() (*node, error) {
	at := p.pos
	total, section := new(apd.Decimal), new(apd.Decimal)
	last := int32(20) // powers of ten of the big units must fall
	for {
		d, err := p.digits()
		if err != nil {
			return nil, err
		}
		small, unit := p.unit(smallUnits)
		add(section, shifted(d, small))
		if big, ok := p.unit(bigUnits); ok {
			if big >= last {
				return nil, p.fail(p.pos-1, phrase.Of("calc.units"))
			}
			add(total, shifted(section, big))
			section, last, unit = new(apd.Decimal), big, true
		}
		if !unit || !p.digitFollows() {
			add(total, section)
			return &node{kind: literal, at: at, num: total}, nil
		}
	}
}

func add(into, d *apd.Decimal) {
	_, _ = exact.Add(into, into, d) // literals are far below the precision
}

func shifted(d *apd.Decimal, power int32) *apd.Decimal {
	out := new(apd.Decimal).Set(d)
	out.Exponent += power
	return out
}

// unit takes a unit right after a number.
func (p *parser) unit(units map[rune]int32) (power int32, ok bool) {
	if p.pos < len(p.src) {
		if power, ok = units[p.src[p.pos]]; ok {
			p.pos++
		}
	}
	return power, ok
}

// digitFollows reports whether a number goes on after a unit.
func (p *parser) digitFollows() bool {
	p.skip()
	return p.pos < len(p.src) && isDigit(p.src[p.pos])
}

// digits reads 1234, 1,234.5, .5, 1_000 or 1.5e-3.
func (p *parser) digits() (*apd.Decimal, error) {
	at := p.pos
	var text strings.Builder
	p.whole(&text)
	if p.pos < len(p.src) && p.src[p.pos] == '.' {
		p.pos++
		text.WriteByte('.')
		p.run(&text)
	}
	p.exponent(&text)
	if hex := p.hexadecimal(at); hex != "" {
		return nil, p.fail(at, phrase.Of("calc.no_number", hex), "write it in decimal digits")
	}
	if text.Len() > maxLiteral {
		return nil, p.fail(at, phrase.Of("calc.long_number", maxLiteral))
	}
	d, _, err := apd.NewFromString(text.String())
	if err != nil || (p.pos < len(p.src) && p.src[p.pos] == '.') {
		return nil, p.fail(at, phrase.Of("calc.no_number", string(p.src[at:min(p.pos+1, len(p.src))])))
	}
	if d.Exponent > maxMagnitude || d.Exponent < -maxMagnitude {
		return nil, p.fail(at, phrase.Of("calc.exponent", maxMagnitude))
	}
	return d, nil
}

// hexadecimal returns a number such as 0x10 that begins at a position, "" for none. Its
// x would be read as a multiplication sign otherwise, and the result be zero.
func (p *parser) hexadecimal(at int) string {
	end := at + 2
	if end >= len(p.src) || p.pos != at+1 || p.src[at] != '0' || p.src[at+1] != 'x' {
		return ""
	}
	for end < len(p.src) && (isDigit(p.src[end]) || p.src[end] >= 'a' && p.src[end] <= 'f') {
		end++
	}
	if end == at+2 {
		return ""
	}
	return string(p.src[at:end])
}

// whole reads the digits before the point, with their separators.
func (p *parser) whole(text *strings.Builder) {
	first := p.run(text)
	if first == 0 || first > 3 || p.inCall {
		return
	}
	for p.pos+3 < len(p.src) && p.src[p.pos] == ',' && p.groupOfThree(p.pos+1) {
		p.pos++
		p.run(text)
	}
}

// groupOfThree reports whether exactly three digits follow at a position.
func (p *parser) groupOfThree(at int) bool {
	end := at
	for end < len(p.src) && isDigit(p.src[end]) {
		end++
	}
	return end-at == 3
}

// run reads digits; "_" may be between two.
func (p *parser) run(text *strings.Builder) (n int) {
	for p.pos < len(p.src) {
		r := p.src[p.pos]
		under := r == '_' && n > 0 && p.pos+1 < len(p.src) && isDigit(p.src[p.pos+1])
		if !isDigit(r) && !under {
			break
		}
		if !under {
			text.WriteRune(r)
			n++
		}
		p.pos++
	}
	return n
}

// exponent reads e-3; an e without digits after it is Euler's number.
func (p *parser) exponent(text *strings.Builder) {
	if p.pos >= len(p.src) || p.src[p.pos] != 'e' {
		return
	}
	next := p.pos + 1
	if next < len(p.src) && (p.src[next] == '-' || p.src[next] == '+') {
		next++
	}
	if next >= len(p.src) || !isDigit(p.src[next]) {
		return
	}
	text.WriteString(string(p.src[p.pos:next]))
	p.pos = next
	p.run(text)
}
