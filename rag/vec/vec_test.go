package vec_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"maru/rag/vec"
)

// TestCosines holds the cosines of bytes against those of floats.
func TestCosines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(t, "n")
		one := rapid.SliceOfN(rapid.Float32Range(-100, 100), n, n)
		a, b := one.Draw(t, "a"), one.Draw(t, "b")
		x, y := vec.Quantise(a), vec.Quantise(b)
		if x == nil || y == nil {
			return // zero
		}
		if got, want := x.Dot(y), cosine(a, b); math.Abs(got-want) > 0.02 {
			t.Errorf("%v of bytes, %v of floats", got, want)
		}
		back, err := vec.Read(x.Append(nil))
		if err != nil || back.Dot(y) != x.Dot(y) {
			t.Errorf("read back: %v, %v", back, err)
		}
		if again := vec.Quantise(x.Floats()); math.Abs(again.Dot(y)-x.Dot(y)) > 0.01 {
			t.Errorf("through floats: %v, %v", again.Dot(y), x.Dot(y))
		}
	})
}

func cosine(a, b []float32) float64 {
	var dot, x, y float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		x += float64(a[i]) * float64(a[i])
		y += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(x*y)
}

func TestNoDirection(t *testing.T) {
	t.Parallel()
	for _, v := range [][]float32{nil, {0, 0}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}} {
		if got := vec.Quantise(v); got != nil {
			t.Errorf("%v became %v", v, got)
		}
	}
	if _, err := vec.Read([]byte{1, 2, 3, 4}); !errors.Is(err, vec.ErrDamaged) {
		t.Errorf("four bytes: %v", err)
	}
	if d := vec.Quantise([]float32{1, 2}).Dot(vec.Quantise([]float32{1, 2, 3})); d != 0 {
		t.Errorf("of other lengths: %v", d)
	}
}
