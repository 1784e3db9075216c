package builtin

import (
	"context"
	"math"

	"github.com/cockroachdb/apd/v3"

	"maru/phrase"
)

// Bounds of what is computed.
const (
	exactDigits  = 3000   // digits that are kept exactly
	roughDigits  = 60     // of results that cannot be exact
	shownDigits  = 34     // of those that are shown
	maxMagnitude = 10_000 // powers of ten
	maxFactorial = 1000

	noiseDigits   = 5                // the last of a rounded value, which a few operations may spoil
	settledDigits = roughDigits - 15 // of a rounded value that are right after whatever was computed with it
)

// exact computes +, -, * and whole powers without rounding; rough computes the
// rest. Both trap overflow and impossible operations.
var (
	exact = apd.Context{Precision: exactDigits, MaxExponent: 2 * maxMagnitude, MinExponent: -2 * maxMagnitude, Traps: apd.DefaultTraps, Rounding: apd.RoundHalfUp}
	rough = apd.Context{Precision: roughDigits, MaxExponent: 2 * maxMagnitude, MinExponent: -2 * maxMagnitude, Traps: apd.DefaultTraps, Rounding: apd.RoundHalfUp}
)

// number is a value and how good it is.
type number struct {
	d       *apd.Decimal
	rounded bool // it had to be rounded on the way
	percent bool // it was written as a percentage
}

// evaluator computes an expression.
type evaluator struct{ ctx context.Context }

// fault is an evaluation error at a node.
func fault(n *node, people phrase.Sentence) error { return &syntaxError{at: n.at, people: people} }

// eval computes a node.
func (e *evaluator) eval(n *node) (number, error) {
	if err := e.ctx.Err(); err != nil {
		return number{}, err
	}
	args := make([]number, len(n.args))
	for i, arg := range n.args {
		v, err := e.eval(arg)
		if err != nil {
			return number{}, err
		}
		args[i] = v
	}
	v, err := apply(n, args)
	if err != nil {
		return number{}, err
	}
	if v.d.Form != apd.Finite || magnitude(v.d) > maxMagnitude {
		return number{}, tooLarge(n)
	}
	if v.d.IsZero() || magnitude(v.d) < -maxMagnitude {
		v.d = new(apd.Decimal)
	}
	return v, nil
}

func tooLarge(n *node) error {
	return fault(n, phrase.Of("calc.large", maxMagnitude))
}

// magnitude returns the power of ten of d's first digit.
func magnitude(d *apd.Decimal) int64 {
	if d.IsZero() {
		return 0
	}
	return int64(d.Exponent) + d.NumDigits() - 1
}

// apply computes one node from its values.
func apply(n *node, a []number) (number, error) {
	switch n.kind {
	case literal:
		return number{d: n.num}, nil
	case constant:
		return number{d: constants[n.name], rounded: true}, nil
	case negation:
		return number{d: new(apd.Decimal).Neg(a[0].d), rounded: a[0].rounded, percent: a[0].percent}, nil
	case percentage:
		d := new(apd.Decimal).Set(a[0].d)
		d.Exponent -= 2
		return number{d: d, rounded: a[0].rounded, percent: true}, nil
	case factorialOf:
		return factorial(n, a)
	case degrees:
		return multiplied(n, a[0], number{d: degree, rounded: true})
	case function:
		return functions[n.name].call(n, a)
	}
	return operate(n, a[0], a[1])
}

// operate computes x op y.
func operate(n *node, x, y number) (number, error) {
	switch n.name {
	case "+", "-":
		return added(n, x, y)
	case "*":
		return multiplied(n, x, y)
	case "/":
		return divided(n, x, y)
	case "^":
		return raised(n, x, y)
	}
	return remainder(n, x, y)
}

func added(n *node, x, y number) (number, error) {
	if y.percent && !x.percent { // 200 + 10% is 220
		share, err := multiplied(n, x, y)
		if err != nil {
			return number{}, err
		}
		y = share
	}
	op := (*apd.Context).Add
	if n.name == "-" {
		op = (*apd.Context).Sub
	}
	if gap := magnitude(x.d) - magnitude(y.d); gap > exactDigits || -gap > exactDigits {
		return computed(n, &rough, x, y, op)
	}
	v, err := computed(n, &exact, x, y, op)
	v.percent = x.percent && y.percent
	return v, err
}

func multiplied(n *node, x, y number) (number, error) {
	return computed(n, &exact, x, y, (*apd.Context).Mul)
}

// computed applies an operation; what comes from a rounded value, or had to be
// rounded, is kept at the rough precision.
func computed(n *node, c *apd.Context, x, y number, op func(*apd.Context, *apd.Decimal, *apd.Decimal, *apd.Decimal) (apd.Condition, error)) (number, error) {
	d := new(apd.Decimal)
	cond, err := op(c, d, x.d, y.d)
	if err != nil {
		return number{}, tooLarge(n)
	}
	v := number{d: d, rounded: x.rounded || y.rounded || cond.Inexact()}
	if v.rounded {
		if _, err := rough.Round(d, d); err != nil {
			return number{}, tooLarge(n)
		}
	}
	return v, nil
}

func divided(n *node, x, y number) (number, error) {
	if y.d.IsZero() {
		return number{}, fault(n, phrase.Of("calc.zero"))
	}
	// A quotient either ends within a few digits more than its operands have,
	// or never: the short attempt tells which without the full precision.
	c := exact.WithPrecision(uint32(min(exactDigits, 4*(x.d.NumDigits()+y.d.NumDigits())+roughDigits))) //nolint:gosec // G115: at most exactDigits
	d := new(apd.Decimal)
	cond, err := c.Quo(d, x.d, y.d)
	if err != nil {
		return number{}, tooLarge(n)
	}
	if cond.Inexact() || x.rounded || y.rounded {
		if _, err := rough.Quo(d, x.d, y.d); err != nil {
			return number{}, tooLarge(n)
		}
		return number{d: d, rounded: true}, nil
	}
	d.Reduce(d)
	return number{d: d}, nil
}

// remainder computes x mod y with the sign of y, and x // y, the floor of the
// quotient.
func remainder(n *node, x, y number) (number, error) {
	if y.d.IsZero() {
		return number{}, fault(n, phrase.Of("calc.zero"))
	}
	if x.rounded || y.rounded {
		return roughRemainder(n, x, y)
	}
	if magnitude(x.d)-magnitude(y.d) > exactDigits/2 {
		return number{}, fault(n, phrase.Of("calc.remainder"))
	}
	q, r := new(apd.Decimal), new(apd.Decimal)
	if _, err := exact.Rem(r, x.d, y.d); err != nil {
		return number{}, tooLarge(n)
	}
	if !r.IsZero() && r.Negative != y.d.Negative {
		if _, err := exact.Add(r, r, y.d); err != nil {
			return number{}, tooLarge(n)
		}
	}
	if n.name != "//" {
		return number{d: r}, nil
	}
	ed := apd.MakeErrDecimal(&exact)
	ed.Sub(q, x.d, r)
	ed.Quo(q, q, y.d)
	ed.RoundToIntegralValue(q, q)
	if ed.Err() != nil {
		return number{}, tooLarge(n)
	}
	return number{d: q}, nil
}

// roughRemainder is [remainder] of rounded values. The quotient is settled before its
// floor is taken, so that 1 // (1/3) is three, and of the remainder the digits are left
// out that the values were not known to: 1 mod (1/3) is zero.
func roughRemainder(n *node, x, y number) (number, error) {
	quotient, err := divided(n, number{d: x.d, rounded: true}, y)
	if err != nil {
		return number{}, err
	}
	if magnitude(quotient.d) > settledDigits-5 { // where it ends is not known
		return number{}, fault(n, phrase.Of("calc.remainder"))
	}
	q, err := quantized(n, quotient, 0, apd.RoundFloor)
	if err != nil || n.name == "//" {
		return number{d: q.d, rounded: true}, err
	}
	ed := apd.MakeErrDecimal(&exact)
	r := ed.Sub(new(apd.Decimal), x.d, ed.Mul(new(apd.Decimal), q.d, y.d))
	if ed.Err() != nil {
		return number{}, tooLarge(n)
	}
	kept, err := quantized(n, number{d: r}, int32(magnitude(x.d)-roughDigits+noiseDigits), apd.RoundHalfUp) //nolint:gosec // G115: bounded by maxMagnitude
	return number{d: kept.d, rounded: true}, err
}

// settled drops the last digits of a rounded value, so that 1/3*3 is one and
// not a hair below it where a border matters.
func settled(v number) *apd.Decimal {
	if !v.rounded {
		return v.d
	}
	d := new(apd.Decimal)
	if _, err := rough.WithPrecision(settledDigits).Round(d, v.d); err != nil {
		return v.d
	}
	return d
}

// whole returns v as a whole number if it is one.
func whole(v number) (int64, bool) {
	d := new(apd.Decimal)
	d.Reduce(settled(v))
	if d.Exponent < 0 || magnitude(d) > 18 {
		return 0, false
	}
	i, err := d.Int64()
	return i, err == nil
}

func raised(n *node, x, y number) (number, error) {
	power, isWhole := whole(y)
	switch {
	case x.d.IsZero() && y.d.Negative:
		return number{}, fault(n, phrase.Of("calc.zero_power"))
	case x.d.IsZero() && y.d.IsZero():
		return number{d: apd.New(1, 0)}, nil
	case x.d.IsZero():
		return number{d: new(apd.Decimal)}, nil
	case !isWhole && x.d.Negative:
		return number{}, fault(n, phrase.Of("calc.fraction_power"))
	}
	exponent, err := y.d.Float64()
	if err != nil || math.Abs(exponent*log10Of(x.d)) > maxMagnitude {
		return number{}, tooLarge(n)
	}
	if size := max(power, -power) * x.d.NumDigits(); isWhole && size <= exactDigits {
		v, err := multipliedBy(n, x, max(power, -power))
		if err != nil || power >= 0 {
			return v, err
		}
		return divided(n, number{d: apd.New(1, 0)}, v)
	}
	return throughLogarithm(n, x, y, power)
}

// throughLogarithm computes |x|^y as exp(y ln |x|), with digits to spare for
// those that the product loses. apd's own Pow overflows on the way for results
// that are in range.
func throughLogarithm(n *node, x, y number, power int64) (number, error) {
	ed := apd.MakeErrDecimal(rough.WithPrecision(roughDigits + 10))
	d := ed.Ln(new(apd.Decimal), new(apd.Decimal).Abs(x.d))
	ed.Mul(d, d, y.d)
	ed.Exp(d, d)
	if ed.Err() != nil {
		return number{}, tooLarge(n)
	}
	d.Negative = x.d.Negative && power%2 != 0
	return number{d: clipped(d), rounded: true}, nil
}

// clipped rounds to the digits that a rounded value keeps.
func clipped(d *apd.Decimal) *apd.Decimal {
	out := new(apd.Decimal)
	if _, err := rough.Round(out, d); err != nil {
		return d
	}
	return out
}

// log10Of estimates log10 of |d|.
func log10Of(d *apd.Decimal) float64 {
	m := magnitude(d)
	first := new(apd.Decimal).Abs(d)
	first.Exponent -= int32(m) //nolint:gosec // G115: bounded by maxMagnitude
	if f, err := first.Float64(); err == nil {
		return math.Log10(f) + float64(m)
	}
	return float64(m)
}

// multipliedBy computes x to a whole power by squaring.
func multipliedBy(n *node, x number, power int64) (number, error) {
	out, square := number{d: apd.New(1, 0), rounded: x.rounded}, x
	for ; power > 0; power >>= 1 {
		var err error
		if power&1 == 1 {
			if out, err = multiplied(n, out, square); err != nil {
				return number{}, err
			}
		}
		if power > 1 {
			if square, err = multiplied(n, square, square); err != nil {
				return number{}, err
			}
		}
	}
	return out, nil
}
