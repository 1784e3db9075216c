package builtin

import (
	"maru/phrase"
)

import "github.com/cockroachdb/apd/v3"

// constants of the calculator, to more digits than are ever shown: reducing a
// large angle loses as many digits as it has before the point.
var (
	constants = map[string]*apd.Decimal{
		"pi": decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651"),
		"e":  decimal("2.71828182845904523536028747135266249775724709369995957496696762772407663035354759457138217852516642742746639193"),
	}
	twoPi  = decimal("6.28318530717958647692528676655900576839433879875021164194988918461563281257241799725606965068423413596429617303")
	degree = decimal("0.0174532925199432957692369076848861271344287188854172545609719144017100911460344944368224156963450948221230449250738")
)

// decimal reads a constant of this file.
func decimal(text string) *apd.Decimal {
	d, _, err := apd.NewFromString(text)
	if err != nil {
		panic("builtin: bad constant " + text)
	}
	return d
}

// maxAngle bounds angles: beyond it the constants above have too few digits.
var maxAngle = decimal("1e20")

// trigonometric computes a function of an angle in radians.
func trigonometric(f func(x *apd.Decimal) (*apd.Decimal, error)) func(*node, []number) (number, error) {
	return func(n *node, a []number) (number, error) {
		x := new(apd.Decimal)
		if new(apd.Decimal).Abs(a[0].d).Cmp(maxAngle) > 0 {
			return number{}, fault(n, phrase.Of("calc.angle"))
		}
		if magnitude(a[0].d) < -roughDigits { // its square would underflow, and changes nothing
			a[0].d = new(apd.Decimal)
		}
		c := rough.WithPrecision(100)
		if _, err := c.Rem(x, a[0].d, twoPi); err != nil {
			return number{}, tooLarge(n)
		}
		d, err := f(x)
		if err != nil {
			return number{}, tooLarge(n)
		}
		return number{d: clean(d), rounded: !a[0].d.IsZero()}, nil
	}
}

// clean drops digits that are only noise: sin(pi) is zero, cos(60°) a half.
func clean(d *apd.Decimal) *apd.Decimal {
	out := new(apd.Decimal)
	if _, err := rough.Quantize(out, d, -settledDigits); err != nil {
		return d
	}
	out.Reduce(out)
	return out
}

func sine(x *apd.Decimal) (*apd.Decimal, error)   { return series(x, x, 1) }
func cosine(x *apd.Decimal) (*apd.Decimal, error) { return series(x, apd.New(1, 0), 0) }

// series sums first - first*x²/((k+1)(k+2)) + …, which is the sine for first x
// and k 1, and the cosine for first 1 and k 0.
func series(x, first *apd.Decimal, k int64) (*apd.Decimal, error) {
	c := rough.WithPrecision(80)
	ed := apd.MakeErrDecimal(c)
	square := ed.Mul(new(apd.Decimal), x, x)
	term, sum := new(apd.Decimal).Set(first), new(apd.Decimal).Set(first)
	for range 200 {
		ed.Mul(term, term, square)
		ed.Quo(term, term, apd.New((k+1)*(k+2), 0))
		term.Negative = !term.Negative
		k += 2
		ed.Add(sum, sum, term)
		if term.IsZero() || magnitude(term) < -75 {
			break
		}
	}
	return sum, ed.Err()
}

func tangent(n *node, a []number) (number, error) {
	s, err := trigonometric(sine)(n, a)
	if err != nil {
		return number{}, err
	}
	c, err := trigonometric(cosine)(n, a)
	if err != nil {
		return number{}, err
	}
	if c.d.IsZero() {
		return number{}, fault(n, phrase.Of("calc.tangent"))
	}
	return divided(n, s, c)
}
