package local

import (
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"slices"

	"maru/rag/vec"
)

// A file of vectors is a sequence of blocks, one per batch:
//
//	magic     of the file, once
//	counts    number of vectors and their length, four bytes each
//	vectors   per vector: its textKey, then one byte a value
//	checksum  CRC-32C of the block before it
//
// The scale of a vector's values is not stored, since unit length determines it. Files in the format before blocks
// are a sequence of records without a magic, see [readRecords]; opening rewrites them.
const (
	vecMagic    = "MARUVEC2"
	blockHead   = 4 + 4
	blockFoot   = 4
	maxVecDim   = 1 << 16
	vecsInBlock = 1 << 12 // magic of a file written as a whole
)

// textKey identifies a text in a vector file: twelve bytes of its [vec.Key]. Two of a million texts collide with a
// probability of one in 10^17.
type textKey [12]byte

func keyOf(text string) textKey {
	k := vec.KeyOf(text)
	return textKey(k[:len(textKey{})])
}

// keyed is a vector with the key of its text.
type keyed struct {
	key textKey
	vec *vec.Vector
}

// appendBlock writes vectors of one length.
func appendBlock(b []byte, list []keyed) []byte {
	start := len(b)
	b = le.AppendUint32(b, uint32(len(list)))
	b = le.AppendUint32(b, uint32(len(list[0].vec.Q)))
	for _, k := range list {
		b = append(b, k.key[:]...)
		for _, q := range k.vec.Q {
			b = append(b, byte(q))
		}
	}
	return le.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// appendBlocks writes vectors; empty ones go into blocks of their own.
func appendBlocks(b []byte, list []keyed) []byte {
	empty := func(k keyed) bool { return len(k.vec.Q) == 0 }
	whole := slices.DeleteFunc(slices.Clone(list), empty)
	none := slices.DeleteFunc(slices.Clone(list), func(k keyed) bool { return !empty(k) })
	for _, group := range [][]keyed{whole, none} {
		for part := range slices.Chunk(group, vecsInBlock) {
			b = appendBlock(b, part)
		}
	}
	return b
}

// readBlock passes the vectors of the first block to add; n is its size, 0 if it is incomplete.
func readBlock(b []byte, add func(keyed)) (n int) {
	if len(b) < blockHead+blockFoot {
		return 0
	}
	count, dim := int(le.Uint32(b)), int(le.Uint32(b[4:]))
	each := len(textKey{}) + dim
	if dim > maxVecDim || count > (len(b)-blockHead-blockFoot)/each {
		return 0
	}
	n = blockHead + count*each + blockFoot
	if crc32.Checksum(b[:n-blockFoot], castagnoli) != le.Uint32(b[n-blockFoot:]) {
		return 0
	}
	for rest := b[blockHead : n-blockFoot]; len(rest) > 0; rest = rest[each:] {
		add(keyed{textKey(rest), vec.Unit(rest[len(textKey{}):each])})
	}
	return n
}

// readRecords passes the vectors of an old-format file to add, until its end or first damaged record: key of 16
// bytes, length, scale, bytes, CRC-32C.
func readRecords(b []byte, add func(keyed)) {
	for len(b) >= 16+8+4 {
		dim := int(le.Uint32(b[16:]))
		size := 16 + 8 + dim + 4
		if dim > maxVecDim || size > len(b) || crc32.Checksum(b[:size-4], castagnoli) != le.Uint32(b[size-4:]) {
			return
		}
		add(keyed{textKey(b), vec.Unit(b[24 : 24+dim])})
		b = b[size:]
	}
}

// open reads a vector file, created if missing. Vectors are reproducible: a damaged tail is dropped and embedded
// again.
func (s *vecStore) open(path string) error {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	s.path = path
	if err := s.readLearned(); err != nil {
		return err
	}
	if len(data) < len(vecMagic) || string(data[:len(vecMagic)]) != vecMagic {
		readRecords(data, s.addVector)
		return s.rewrite()
	}
	s.end = int64(len(vecMagic))
	for n := 0; ; s.end += int64(n) {
		if n = readBlock(data[s.end:], s.addVector); n == 0 {
			break
		}
	}
	if s.f, err = os.OpenFile(path, os.O_RDWR, 0o600); err != nil {
		return err
	}
	return s.f.Truncate(s.end)
}

// addVector adds a vector of the file.
func (s *vecStore) addVector(k keyed) {
	s.by[k.key] = k.vec
	if len(k.vec.Q) > 0 {
		s.dim = len(k.vec.Q)
	}
}

// rewrite replaces the file by one with the store's vectors.
func (s *vecStore) rewrite() error {
	list := make([]keyed, 0, len(s.by))
	for _, k := range slices.SortedFunc(maps.Keys(s.by), func(a, b textKey) int { return slices.Compare(a[:], b[:]) }) {
		list = append(list, keyed{k, s.by[k]})
	}
	data := appendBlocks([]byte(vecMagic), list)
	if err := errors.Join(s.close(), writeFile(s.path, data)); err != nil {
		return fmt.Errorf("write vectors anew: %w", err)
	}
	f, err := os.OpenFile(s.path, os.O_RDWR, 0o600)
	s.f, s.end = f, int64(len(data))
	return err
}

// keepOnly drops vectors of texts no longer in the index, once they exceed one in [rewriteDead].
func (s *vecStore) keepOnly(used map[textKey]bool) error {
	dead := 0
	for k := range s.by {
		if !used[k] {
			dead++
		}
	}
	if s.f == nil || dead*rewriteDead < len(s.by) || dead == 0 {
		return nil
	}
	maps.DeleteFunc(s.by, func(k textKey, _ *vec.Vector) bool { return !used[k] })
	return s.rewrite()
}
