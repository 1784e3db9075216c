package hwp

import (
	"crypto/aes"
	"encoding/binary"
	"fmt"

	"maru/rag/load/pack"
)

// Tags of records.
const (
	tagBegin       = 0x10
	tagParaShape   = tagBegin + 9
	tagDistributed = tagBegin + 12
	tagParagraph   = tagBegin + 50
	tagText        = tagBegin + 51
	tagControl     = tagBegin + 55
	tagList        = tagBegin + 56
	tagTable       = tagBegin + 61
	tagEquation    = tagBegin + 72
	tagTextArt     = tagBegin + 74
)

const (
	maxRecords = 2_000_000
	maxLevels  = 64
)

// record is a record with those below it.
type record struct {
	tag   int
	data  []byte
	below []*record
}

// kind returns the four letters that name a control.
func (r *record) kind() string { return string([]byte{r.data[3], r.data[2], r.data[1], r.data[0]}) }

// next cuts the first record off b.
func next(b []byte) (tag, level int, data, rest []byte, err error) {
	if len(b) < 4 {
		return 0, 0, nil, nil, fmt.Errorf("%w: record is cut off", pack.ErrBroken)
	}
	head := binary.LittleEndian.Uint32(b)
	size, b := int(head>>20), b[4:]
	if size == 0xFFF {
		if len(b) < 4 {
			return 0, 0, nil, nil, fmt.Errorf("%w: record is cut off", pack.ErrBroken)
		}
		size, b = int(binary.LittleEndian.Uint32(b)), b[4:]
	}
	if size < 0 || size > len(b) {
		return 0, 0, nil, nil, fmt.Errorf("%w: record of %d bytes in %d", pack.ErrBroken, size, len(b))
	}
	return int(head & 0x3FF), int(head >> 10 & 0x3FF), b[:size], b[size:], nil
}

// records reads a section as a tree.
func records(b []byte) ([]*record, error) {
	root := &record{}
	open := []*record{root} // by level
	for n := 0; len(b) >= 4; n++ {
		tag, level, data, rest, err := next(b)
		if err != nil {
			return nil, err
		}
		if n >= maxRecords || level >= maxLevels {
			return nil, fmt.Errorf("%w: too many records, or nested too deep", pack.ErrLimit)
		}
		r := &record{tag: tag, data: data}
		level = min(level, len(open)-1)
		open[level].below = append(open[level].below, r)
		open, b = append(open[:level+1], r), rest
	}
	return root.below, nil
}

// outlineLevels returns the heading level of every paragraph shape, 0 for none.
func outlineLevels(b []byte) ([]int, error) {
	var out []int
	for len(b) >= 4 {
		tag, _, data, rest, err := next(b)
		if err != nil {
			return nil, err
		}
		if b = rest; tag != tagParaShape {
			continue
		}
		level := 0
		if len(data) >= 4 {
			if look := binary.LittleEndian.Uint32(data); look>>23&3 == 1 { // its number is the outline's
				level = int(look>>25&7) + 1
			}
		}
		out = append(out, level)
	}
	return out, nil
}

// released decrypts a section of a document for distribution. The key is in its first record, which every reader can
// undo: it keeps people from editing the document, and nobody from reading it.
func released(b []byte) ([]byte, error) {
	tag, _, data, rest, err := next(b)
	if err != nil {
		return nil, err
	}
	if tag != tagDistributed || len(data) != 256 {
		return nil, fmt.Errorf("%w: no key of a document for distribution", pack.ErrBroken)
	}
	seed := binary.LittleEndian.Uint32(data)
	key := append([]byte(nil), data...)
	state := seed
	random := func() uint32 { // the C library's of the word processor
		state = state*214013 + 2531011
		return state >> 16 & 0x7FFF
	}
	for i, n, mask := 0, uint32(0), byte(0); i < len(key); i++ {
		if n == 0 {
			mask = byte(random())
			n = random()&0xF + 1
		}
		if i >= 4 {
			key[i] ^= mask
		}
		n--
	}
	at := 4 + int(seed&0xF)
	block, err := aes.NewCipher(key[at : at+16])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", pack.ErrBroken, err)
	}
	out := make([]byte, len(rest)/16*16)
	for i := 0; i < len(out); i += 16 {
		block.Decrypt(out[i:], rest[i:i+16])
	}
	return out, nil
}
