package builtin

import (
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// maxShown is the number of letters up to which a value is written out.
const maxShown = 400

// show writes a value: plainly where that is short, else as 1.5e+2000.
func show(v number) string {
	d := new(apd.Decimal).Set(v.d)
	if v.rounded {
		if _, err := rough.WithPrecision(shownDigits).Round(d, d); err != nil {
			d.Set(v.d)
		}
	}
	if d.IsZero() {
		return "0"
	}
	d.Reduce(d)
	m := magnitude(d)
	small := v.rounded && (m < -20 || m > 60)
	if plain := d.Text('f'); !small && len(plain) <= maxShown && m > -maxShown {
		return plain
	}
	if d.NumDigits() > shownDigits {
		_, _ = rough.WithPrecision(shownDigits).Round(d, d)
		d.Reduce(d)
	}
	return strings.ToLower(d.Text('e'))
}

// cut reports whether show leaves digits of an exact value out.
func cut(v number) bool {
	d := new(apd.Decimal)
	d.Reduce(v.d)
	return !v.rounded && d.NumDigits() > shownDigits && strings.Contains(show(v), "e")
}

// String writes an expression as it was understood.
func (n *node) String() string {
	switch n.kind {
	case literal:
		return show(number{d: n.num})
	case constant:
		return n.name
	case negation:
		return "-" + n.args[0].inner(3)
	case percentage, factorialOf, degrees:
		return n.args[0].inner(5) + n.name
	case function:
		args := make([]string, len(n.args))
		for i, a := range n.args {
			args[i] = a.String()
		}
		return n.name + "(" + strings.Join(args, ", ") + ")"
	}
	own := n.binding()
	left, right := own, own+1
	if n.name == "^" {
		left, right = own+1, own
	}
	name := n.name
	if name == "%" {
		name = "mod"
	}
	return n.args[0].inner(left) + " " + name + " " + n.args[1].inner(right)
}

// binding returns how tightly a node holds its parts together.
func (n *node) binding() int {
	switch {
	case n.kind == negation:
		return 3
	case n.kind != operation:
		return 5
	case n.name == "+" || n.name == "-":
		return 1
	case n.name == "^":
		return 4
	}
	return 2
}

// inner writes a part, in parentheses where it binds less than its place needs.
func (n *node) inner(place int) string {
	if n.binding() < place {
		return "(" + n.String() + ")"
	}
	return n.String()
}
