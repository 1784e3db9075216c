package builtin

import (
	"maru/phrase"

	"github.com/cockroachdb/apd/v3"
)

// mathFunction is a function of the calculator.
type mathFunction struct {
	least, most int // how many values it takes
	usage       string
	call        func(n *node, a []number) (number, error)
}

// many bounds the values of min, max, sum and avg.
const many = 200

// functions are what the calculator knows by name. It is filled once, here.
var functions = map[string]mathFunction{
	"abs":       {1, 1, "abs(x)", absolute},
	"sqrt":      {1, 1, "sqrt(x)", root},
	"cbrt":      {1, 1, "cbrt(x)", cubeRoot},
	"round":     {1, 2, "round(x) or round(x, digits)", roundTo},
	"floor":     {1, 1, "floor(x)", integral(apd.RoundFloor)},
	"ceil":      {1, 1, "ceil(x)", integral(apd.RoundCeiling)},
	"trunc":     {1, 1, "trunc(x)", integral(apd.RoundDown)},
	"min":       {1, many, "min(a, b, …)", extreme(-1)},
	"max":       {1, many, "max(a, b, …)", extreme(1)},
	"sum":       {1, many, "sum(a, b, …)", total},
	"avg":       {1, many, "avg(a, b, …)", average},
	"ln":        {1, 1, "ln(x)", logarithm},
	"log10":     {1, 1, "log10(x)", decimalLog},
	"log":       {1, 2, "log(x) to base 10 or log(x, base)", anyLog},
	"exp":       {1, 1, "exp(x)", exponential},
	"sin":       {1, 1, "sin(x), x in radians or as 30°", trigonometric(sine)},
	"cos":       {1, 1, "cos(x), x in radians or as 30°", trigonometric(cosine)},
	"tan":       {1, 1, "tan(x), x in radians or as 30°", tangent},
	"pow":       {2, 2, "pow(x, y)", func(n *node, a []number) (number, error) { return raised(n, a[0], a[1]) }},
	"mod":       {2, 2, "mod(x, y)", func(n *node, a []number) (number, error) { return remainder(n, a[0], a[1]) }},
	"factorial": {1, 1, "factorial(n)", factorial},
}

func absolute(_ *node, a []number) (number, error) {
	return number{d: new(apd.Decimal).Abs(a[0].d), rounded: a[0].rounded}, nil
}

// roughly applies one of apd's functions. A result that is exact all the same,
// such as sqrt(9), is told from one that was rounded.
func roughly(n *node, x number, op func(*apd.Context, *apd.Decimal, *apd.Decimal) (apd.Condition, error)) (number, error) {
	d := new(apd.Decimal)
	cond, err := op(&rough, d, x.d)
	if err != nil {
		return number{}, tooLarge(n)
	}
	d.Reduce(d)
	return number{d: d, rounded: x.rounded || cond.Inexact()}, nil
}

func root(n *node, a []number) (number, error) {
	if a[0].d.Negative && !a[0].d.IsZero() {
		return number{}, fault(n, phrase.Of("calc.root"))
	}
	return roughly(n, a[0], (*apd.Context).Sqrt)
}

// cubeRoot settles the iteration of apd: a whole root is given exactly.
func cubeRoot(n *node, a []number) (number, error) {
	v, err := roughly(n, a[0], (*apd.Context).Cbrt)
	if err != nil {
		return v, err
	}
	v.rounded = true
	near := number{d: new(apd.Decimal)}
	near.d.Reduce(settled(v))
	cube, err := multipliedBy(n, near, 3)
	if err == nil && !cube.rounded && cube.d.Cmp(a[0].d) == 0 {
		return number{d: near.d, rounded: a[0].rounded}, nil
	}
	return v, nil
}

// roundTo rounds half away from zero, as people are taught.
func roundTo(n *node, a []number) (number, error) {
	digits := int64(0)
	if len(a) == 2 {
		var ok bool
		if digits, ok = whole(a[1]); !ok || digits > 100 || digits < -100 {
			return number{}, fault(n, phrase.Of("calc.round"))
		}
	}
	return quantized(n, a[0], int32(-digits), apd.RoundHalfUp) //nolint:gosec // G115: bounded above
}

func integral(rounding apd.Rounder) func(*node, []number) (number, error) {
	return func(n *node, a []number) (number, error) { return quantized(n, a[0], 0, rounding) }
}

func quantized(n *node, x number, exponent int32, rounding apd.Rounder) (number, error) {
	d := settled(x)
	if d.Exponent >= exponent {
		return number{d: d, rounded: x.rounded}, nil
	}
	c := exact
	c.Rounding, c.Precision = rounding, 2*maxMagnitude
	if !d.IsZero() && magnitude(d) < int64(exponent)-1 { // apd takes what is less than a tenth of a step for nothing, even upwards
		tenth := apd.New(1, exponent-1)
		tenth.Negative = d.Negative
		d = tenth
	}
	out := new(apd.Decimal)
	if _, err := c.Quantize(out, d, exponent); err != nil {
		return number{}, tooLarge(n)
	}
	if exponent > 0 {
		out.Reduce(out)
	}
	return number{d: out}, nil
}

func extreme(sign int) func(*node, []number) (number, error) {
	return func(_ *node, a []number) (number, error) {
		best := a[0]
		for _, v := range a[1:] {
			if v.d.Cmp(best.d)*sign > 0 {
				best = v
			}
		}
		return best, nil
	}
}

func total(n *node, a []number) (number, error) {
	sum := number{d: new(apd.Decimal)}
	for _, v := range a {
		var err error
		if sum, err = computed(n, &exact, sum, v, (*apd.Context).Add); err != nil {
			return number{}, err
		}
	}
	return sum, nil
}

func average(n *node, a []number) (number, error) {
	sum, err := total(n, a)
	if err != nil {
		return number{}, err
	}
	return divided(n, sum, number{d: apd.New(int64(len(a)), 0)})
}

func positive(n *node, x number) error {
	if x.d.Sign() <= 0 {
		return fault(n, phrase.Of("calc.logarithm"))
	}
	return nil
}

func logarithm(n *node, a []number) (number, error) {
	if err := positive(n, a[0]); err != nil {
		return number{}, err
	}
	return roughly(n, a[0], (*apd.Context).Ln)
}

func decimalLog(n *node, a []number) (number, error) {
	if err := positive(n, a[0]); err != nil {
		return number{}, err
	}
	one := new(apd.Decimal)
	one.Reduce(a[0].d)
	if one.Coeff.IsInt64() && one.Coeff.Int64() == 1 { // a power of ten
		return number{d: apd.New(int64(one.Exponent), 0), rounded: a[0].rounded}, nil
	}
	return roughly(n, a[0], (*apd.Context).Log10)
}

func anyLog(n *node, a []number) (number, error) {
	if len(a) == 1 {
		return decimalLog(n, a)
	}
	top, err := logarithm(n, a[:1])
	if err != nil {
		return number{}, err
	}
	base, err := logarithm(n, a[1:])
	if err != nil {
		return number{}, err
	}
	if base.d.IsZero() {
		return number{}, fault(n, phrase.Of("calc.base"))
	}
	return divided(n, top, base)
}

func exponential(n *node, a []number) (number, error) {
	if f, err := a[0].d.Float64(); err != nil || f > 2.3*maxMagnitude {
		return number{}, tooLarge(n)
	} else if f < -2.3*maxMagnitude {
		return number{d: new(apd.Decimal), rounded: true}, nil
	}
	return roughly(n, a[0], (*apd.Context).Exp)
}

func factorial(n *node, a []number) (number, error) {
	k, ok := whole(a[0])
	if !ok || k < 0 || k > maxFactorial {
		return number{}, fault(n, phrase.Of("calc.factorial", maxFactorial))
	}
	out := apd.New(1, 0)
	for i := int64(2); i <= k; i++ {
		if _, err := exact.Mul(out, out, apd.New(i, 0)); err != nil {
			return number{}, tooLarge(n)
		}
	}
	return number{d: out, rounded: a[0].rounded}, nil
}
