package vec

import "golang.org/x/sys/cpu"

// step is the number of values [dotAVX2] takes at a time.
const step = 16

//go:noescape
func dotAVX2(a, b *int8, n int) int32

// dot returns the dot product of two slices of one length: with AVX2 in an eighth of the time of [dotGo], which
// serves other processors.
func dot(a, b []int8) int32 {
	n := len(a) &^ (step - 1)
	if n == 0 || !cpu.X86.HasAVX2 {
		return dotGo(a, b)
	}
	return dotAVX2(&a[0], &b[0], n) + dotGo(a[n:], b[n:])
}
