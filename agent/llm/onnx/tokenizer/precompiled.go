package tokenizer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/rivo/uniseg"
)

// charsmap is what SentencePiece compiles a normalization to: a trie in a double array
// (github.com/s-yata/darts-clone), and what its keys become, each ended by a zero.
type charsmap struct {
	trie []uint32
	into []byte
}

func newCharsmap(raw []byte) (*charsmap, error) {
	if len(raw) < 4 {
		return nil, fmt.Errorf("its precompiled_charsmap has %d bytes", len(raw))
	}
	size := int(binary.LittleEndian.Uint32(raw))
	if raw = raw[4:]; size > len(raw) || size%4 != 0 || size == 0 {
		return nil, fmt.Errorf("its precompiled_charsmap has %d bytes for a trie of %d", len(raw), size)
	}
	m := &charsmap{trie: make([]uint32, size/4), into: raw[size:]}
	for i := range m.trie {
		m.trie[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return m, nil
}

// normalize looks up what people see as one character, if that is short, and otherwise its
// parts. That is narrower than SentencePiece itself, and what encoders are used with.
func (m *charsmap) normalize(s string) string {
	var b strings.Builder
	state := -1
	for s != "" {
		var cluster string
		cluster, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		if len(cluster) < 6 {
			if v, ok := m.lookUp(cluster); ok {
				b.Write(v)
				continue
			}
		}
		for _, r := range cluster {
			if v, ok := m.lookUp(string(r)); ok {
				b.Write(v)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// lookUp returns what the shortest key that s begins with becomes.
func (m *charsmap) lookUp(s string) ([]byte, bool) {
	at := offset(m.trie[0])
	for _, c := range []byte(s) {
		at ^= uint32(c)
		if c == 0 || int(at) >= len(m.trie) {
			return nil, false
		}
		unit := m.trie[at]
		if unit&(1<<31|0xFF) != uint32(c) {
			return nil, false
		}
		at ^= offset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		if int(at) >= len(m.trie) {
			return nil, false
		}
		value := int(m.trie[at] & (1<<31 - 1))
		if value > len(m.into) {
			return nil, false
		}
		v, _, _ := bytes.Cut(m.into[value:], []byte{0})
		return v, true
	}
	return nil, false
}

// offset is how far the children of a unit of the trie are.
func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
