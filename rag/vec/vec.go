// Package vec holds the vector arithmetic of indexes: [Quantise] makes a unit vector of bytes, [Vector.Dot] compares
// two, [KeyOf] identifies a text, [Keeper] adds missing vectors. It must not know models or stores.
package vec

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
)

// Vector is a unit vector in bytes: value i is Scale*Q[i]. It takes a quarter of the space of floats;
// docs/evaluation.md gives the loss.
type Vector struct {
	Scale float32
	Q     []int8
}

// Quantise returns the unit vector of v, or nil if v has no direction: zero, infinite or NaN.
func Quantise(v []float32) *Vector {
	var norm, top float64
	for _, x := range v {
		norm += float64(x) * float64(x)
		top = max(top, math.Abs(float64(x)))
	}
	if norm == 0 || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return nil
	}
	q := make([]int8, len(v))
	for i, x := range v {
		q[i] = int8(math.Round(float64(x) / top * 127))
	}
	return unit(q)
}

// unit computes the scale that gives a vector of these values unit length.
func unit(q []int8) *Vector {
	v := &Vector{Q: q}
	if squares := dot(q, q); squares > 0 {
		v.Scale = float32(1 / math.Sqrt(float64(squares)))
	}
	return v
}

// Unit decodes a vector without its scale from all of b: for a vector made by [Quantise] the values determine the
// scale.
func Unit(b []byte) *Vector {
	q := make([]int8, len(b))
	for i, x := range b {
		q[i] = int8(x)
	}
	return unit(q)
}

// Dot returns the cosine of two vectors; 0 if their lengths differ.
func (v *Vector) Dot(w *Vector) float64 {
	a, b := v.Q, w.Q
	if len(a) != len(b) {
		return 0
	}
	return float64(dot(a, b)) * float64(v.Scale) * float64(w.Scale)
}

// Floats returns the vector in floating point.
func (v *Vector) Floats() []float32 {
	out := make([]float32, len(v.Q))
	for i, q := range v.Q {
		out[i] = v.Scale * float32(q)
	}
	return out
}

// ErrDamaged reports bytes that are not a vector.
var ErrDamaged = errors.New("vec: the bytes are no vector")

// Append writes the scale, four bytes, then the values, one byte each.
func (v *Vector) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v.Scale))
	for _, x := range v.Q {
		b = append(b, byte(x))
	}
	return b
}

// Read decodes all of b as written by Append.
func Read(b []byte) (*Vector, error) {
	if len(b) < 5 {
		return nil, ErrDamaged
	}
	v := &Vector{Scale: math.Float32frombits(binary.LittleEndian.Uint32(b)), Q: make([]int8, len(b)-4)}
	for i, x := range b[4:] {
		v.Q[i] = int8(x)
	}
	return v, nil
}

// Key identifies a text: the first half of its SHA-256. Vectors are stored by key, so that no text is embedded twice.
type Key [16]byte

// KeyOf returns the key of a text.
func KeyOf(text string) Key {
	sum := sha256.Sum256([]byte(text))
	return Key(sum[:16])
}
