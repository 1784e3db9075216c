package vec

import (
	"math/rand/v2"
	"testing"
)

// TestDot: whatever the processor has, the sums are those of plain Go, to the
// last value of any length and at the ends of the range.
func TestDot(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		a, b := make([]int8, n), make([]int8, n)
		for i := range a {
			a[i], b[i] = int8(rnd.IntN(256)-128), int8(rnd.IntN(256)-128)
			if n%3 == 0 {
				a[i], b[i] = -128, -128
			}
		}
		if got, want := dot(a, b), dotGo(a, b); got != want {
			t.Fatalf("%d values: %d, want %d", n, got, want)
		}
	}
}

func BenchmarkDot(b *testing.B) {
	v, w := make([]int8, 384), make([]int8, 384)
	for i := range v {
		v[i], w[i] = int8(i), int8(3*i)
	}
	b.Run("as_it_is", func(b *testing.B) {
		for b.Loop() {
			dot(v, w)
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			dotGo(v, w)
		}
	})
}
