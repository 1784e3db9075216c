package builtin

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/cockroachdb/apd/v3"

	"maru/phrase"
)

// The calculator's grammar, loosest first:
//
//	sum     = product { ("+" | "-") product }
//	product = power { ("*" | "/" | "//" | "%" | "mod" | "of" | "의") power }
//	power   = { "-" | "+" } postfix [ ("^" | "**") power ]     -2^2 is -4, 2^3^2 is 2^9
//	postfix = atom { "!" | "%" | "°" | "²" | "³" }
//	atom    = number | constant | function "(" sum { "," sum } ")" | "(" sum ")" | "√" power
//
// "%" before a number, a name or "(" is the remainder, anywhere else percent:
// 7 % 3, 15% of 240. After + or - a percentage is one of the left side, as on a
// pocket calculator: 200 + 10% is 220. Commas group digits by three, but inside
// a function's parentheses they separate its values. Korean units (십 백 천 만 억
// 조 경) follow a number: 1억 2천만.

// Bounds of an expression.
const (
	maxExpression = 1000 // characters
	maxNesting    = 64
	maxLiteral    = 200 // digits of one number
)

// kinds of nodes.
type nodeKind int

const (
	literal nodeKind = iota
	constant
	function
	operation
	negation
	percentage
	factorialOf
	degrees
)

// node is a part of an expression.
type node struct {
	kind nodeKind
	at   int    // position of its operator or first character, 0-based
	name string // operator, function or constant
	num  *apd.Decimal
	args []*node
}

// syntaxError says where an expression stops making sense.
type syntaxError struct {
	at     int // 0-based
	people phrase.Sentence
	hints  []string // how to go on, for a model
}

// Error implements error.
func (e *syntaxError) Error() string {
	return fmt.Sprintf("at position %d: %s", e.at+1, strings.Join(append([]string{e.people.String()}, e.hints...), "; "))
}

// parser reads an expression letter by letter: whether a comma groups digits
// depends on its position, so there is no tokenizer before it.
type parser struct {
	src    []rune
	pos    int
	depth  int
	inCall bool // a comma separates values
}

// parse reads a whole expression.
func parse(expression string) (*node, error) {
	p := &parser{src: normal(expression)}
	if len(p.src) > maxExpression {
		return nil, p.fail(maxExpression, phrase.Of("calc.long", maxExpression))
	}
	n, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.skip(); p.pos < len(p.src) {
		return nil, p.unexpected()
	}
	return n, nil
}

// lookalikes are letters that people type for an operator. One letter stands for
// one, so that positions stay those of the text.
var lookalikes = map[rune]rune{
	'×': '*', '✕': '*', '✖': '*', '∗': '*', '·': '*', '⋅': '*', '∙': '*', '÷': '/', '∕': '/', '⁄': '/',
	'−': '-', '–': '-', '—': '-', '‐': '-', '‑': '-', '➖': '-', '➕': '+', '[': '(', ']': ')', '{': '(', '}': ')',
	'٫': '.', '％': '%', 'π': 'π', '\u3000': ' ', '\u00a0': ' ',
}

// normal folds what looks alike and drops a question mark or equals sign at the
// end.
func normal(expression string) []rune {
	src := []rune(strings.TrimRight(strings.TrimSpace(expression), "=?？＝ \t\n"))
	for i, r := range src {
		if r >= '！' && r <= '～' { // full width
			r -= '！' - '!'
		}
		if same, ok := lookalikes[r]; ok {
			r = same
		}
		src[i] = unicode.ToLower(r)
	}
	return src
}

func (p *parser) fail(at int, people phrase.Sentence, hints ...string) error {
	return &syntaxError{at, people, hints}
}

// unexpected returns the error for the text at the position.
func (p *parser) unexpected() error {
	if p.skip(); p.pos >= len(p.src) {
		return p.fail(p.pos, phrase.Of("calc.early"))
	}
	r := p.src[p.pos]
	switch {
	case r == ')':
		return p.fail(p.pos, phrase.Of("calc.unopened"))
	case r == ',':
		return p.fail(p.pos, phrase.Of("calc.comma"), "write 1234.5")
	case p.operand():
		return p.fail(p.pos, phrase.Of("calc.operator", p.word()), "write * to multiply")
	}
	return p.fail(p.pos, phrase.Of("calc.expected", string(r)))
}

// word returns the word or letter at the position, for messages.
func (p *parser) word() string {
	if w := p.peekName(); w != "" {
		return w
	}
	return string(p.src[p.pos])
}

func (p *parser) skip() {
	for p.pos < len(p.src) && unicode.IsSpace(p.src[p.pos]) {
		p.pos++
	}
}

// peek reports whether one of these operators comes next, trying in order.
func (p *parser) peek(operators ...string) (string, bool) {
	p.skip()
	for _, op := range operators {
		if strings.HasPrefix(string(p.src[p.pos:min(len(p.src), p.pos+4)]), op) {
			return op, true
		}
	}
	return "", false
}

// take consumes one of these operators.
func (p *parser) take(operators ...string) (op string, at int, ok bool) {
	if op, ok = p.peek(operators...); ok {
		at = p.pos
		p.pos += len([]rune(op))
	}
	return op, at, ok
}

// enter bounds nesting; the caller must leave.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxNesting {
		return p.fail(p.pos, phrase.Of("calc.nested", maxNesting))
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) sum() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	left, err := p.product()
	for err == nil {
		op, at, ok := p.take("+", "-")
		if !ok {
			return left, nil
		}
		var right *node
		if right, err = p.product(); err == nil {
			left = &node{kind: operation, at: at, name: op, args: []*node{left, right}}
		}
	}
	return nil, err
}

func (p *parser) product() (*node, error) {
	left, err := p.power()
	for err == nil {
		op, at, ok := p.productOperator()
		if !ok {
			return left, nil
		}
		var right *node
		if right, err = p.power(); err == nil {
			left = &node{kind: operation, at: at, name: op, args: []*node{left, right}}
		}
	}
	return nil, err
}

// productOperator takes an operator between two factors, under one name each.
func (p *parser) productOperator() (op string, at int, ok bool) {
	if op, at, ok = p.take("//", "*", "/", "%", "의"); ok {
		if op == "의" {
			op = "*"
		}
		return op, at, true
	}
	if p.crossed() {
		p.pos++
		return "*", p.pos - 1, true
	}
	switch name := p.peekName(); name {
	case "mod", "of":
		at = p.pos
		p.pos += len(name)
		return map[string]string{"mod": "%", "of": "*"}[name], at, true
	}
	return "", 0, false
}

// crossed reports whether an x stands for a multiplication sign, as in 3x4.
func (p *parser) crossed() bool {
	p.skip()
	return p.pos < len(p.src) && p.src[p.pos] == 'x' && (p.pos+1 == len(p.src) || !isLetter(p.src[p.pos+1]))
}

func (p *parser) power() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if sign, at, ok := p.take("-", "+"); ok {
		n, err := p.power()
		if err != nil || sign == "+" {
			return n, err
		}
		return &node{kind: negation, at: at, name: "-", args: []*node{n}}, nil
	}
	base, err := p.postfix()
	if err != nil {
		return nil, err
	}
	_, at, ok := p.take("^", "**")
	if !ok {
		return base, nil
	}
	exponent, err := p.power()
	if err != nil {
		return nil, err
	}
	return &node{kind: operation, at: at, name: "^", args: []*node{base, exponent}}, nil
}

func (p *parser) postfix() (*node, error) {
	n, err := p.atom()
	for err == nil {
		op, at, ok := p.postfixOperator()
		if !ok {
			return n, nil
		}
		switch op {
		case "!":
			n = &node{kind: factorialOf, at: at, name: op, args: []*node{n}}
		case "%":
			n = &node{kind: percentage, at: at, name: op, args: []*node{n}}
		case "°":
			n = &node{kind: degrees, at: at, name: op, args: []*node{n}}
		default:
			two := &node{kind: literal, at: at, num: apd.New(map[string]int64{"²": 2, "³": 3}[op], 0)}
			n = &node{kind: operation, at: at, name: "^", args: []*node{n, two}}
		}
		if err = p.enter(); err == nil {
			defer p.leave()
		}
	}
	return nil, err
}

// postfixOperator reads an operator that follows its operand.
func (p *parser) postfixOperator() (op string, at int, ok bool) {
	if _, percent := p.peek("%"); percent {
		before := p.pos
		p.pos++
		if p.skip(); p.operand() {
			p.pos = before // the remainder
			return "", 0, false
		}
		p.pos = before + 1
		return "%", before, true
	}
	return p.take("!", "°", "²", "³")
}

// operand reports whether an operand begins at the position.
func (p *parser) operand() bool {
	if p.pos >= len(p.src) {
		return false
	}
	r := p.src[p.pos]
	switch {
	case isDigit(r), r == '.', r == '(', r == '√', r == 'π':
		return true
	}
	name := p.peekName()
	return name != "" && name != "of" && name != "mod" && !p.crossed()
}
