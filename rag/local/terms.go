package local

import (
	"encoding/binary"
	"math/bits"
	"sort"

	"maru/rag"
)

// directory speeds up lookups in a segment's sorted terms, which are too many for the processor's caches. It is built at the first
// lookup and takes two bits a term and two to four bytes a name key.
type directory struct {
	heads []uint64 // the first bytes of every headEvery-th term
	names []uint64 // a Bloom filter of the name keys, see [rag.IsKey]; a key's bits are in one word, nil for no keys
}

const (
	headEvery = 32
	keyBits   = 16 // of the filter, and more, for each key: some of a thousand absent keys pass
)

// directoryOf returns the segment's directory.
func (s *segment) directoryOf() *directory {
	s.directing.Do(func() {
		for t := 0; t < s.terms; t += headEvery {
			s.directory.heads = append(s.directory.heads, headOf(s.termBytes(t)))
		}
		first, end := s.firstTerm(rag.KeyMark), s.firstTerm(afterKeys)
		if first == end {
			return
		}
		s.directory.names = make([]uint64, 1<<bits.Len(uint((end-first)*keyBits/64)))
		for t := first; t < end; t++ {
			word, mask := s.directory.place(s.termBytes(t))
			s.directory.names[word] |= mask
		}
	})
	return &s.directory
}

// afterKeys is the first term behind all name keys.
var afterKeys = string([]byte{rag.KeyMark[0] + 1})

// headOf returns the first eight bytes of a term, in its order.
func headOf[T string | []byte](term T) uint64 {
	var b [8]byte
	copy(b[:], term)
	return binary.BigEndian.Uint64(b[:])
}

// place returns the filter's word for a name key, which is a hash behind its mark, and the key's bits in it.
func (d *directory) place(key []byte) (word, mask uint64) {
	var b [8]byte
	copy(b[:], key[len(rag.KeyMark):])
	h := binary.LittleEndian.Uint64(b[:])
	return h & uint64(len(d.names)-1), 1<<(h>>40&63) | 1<<(h>>46&63) | 1<<(h>>52&63) | 1<<(h>>58)
}

// mayName reports whether the segment may have a name key: false is certain.
func (d *directory) mayName(key string) bool {
	if d.names == nil {
		return false
	}
	var b [len(rag.KeyMark) + 8]byte
	copy(b[:], key)
	word, mask := d.place(b[:])
	return d.names[word]&mask == mask
}

// around returns the range of terms in which a term stands if there is one, and otherwise the first above it or the range's end.
func (d *directory) around(term string, terms int) (from, to int) {
	head := headOf(term)
	n := len(d.heads)
	first := sort.Search(n, func(i int) bool { return d.heads[i] >= head })
	last := first + sort.Search(n-first, func(i int) bool { return d.heads[first+i] > head })
	return max(0, first-1) * headEvery, min(last*headEvery, terms)
}
