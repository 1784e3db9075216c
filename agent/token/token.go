// Package token counts the tokens of texts as models with the o200k vocabulary do (GPT-4o and later), offline.
//
// o200k.gz holds that vocabulary, published by OpenAI under the MIT licence with tiktoken; a test compares it with the
// hash of the publication, and the counts with those of the library tiktoken-go. The library itself would add the
// vocabulary to the program as Go tables, 6 MB in place of 1.
package token

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"unicode/utf8"
)

//go:embed o200k.gz
var o200k []byte

// Vocabulary is a byte-pair encoding. It is safe for concurrent use.
type Vocabulary struct{ ranks map[string]uint32 }

// O200k returns the vocabulary. The first call reads it: 50 ms and 9 MB of memory.
var O200k = sync.OnceValue(func() *Vocabulary {
	v, err := read(o200k)
	if err != nil {
		panic(err) // the embedded file is tested
	}
	return v
})

// read reads a compressed list of tokens by rank, each after its length as a varint.
func read(packed []byte) (*Vocabulary, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("token: read vocabulary: %w", err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("token: read vocabulary: %w", err)
	}
	v := &Vocabulary{make(map[string]uint32, 200_000)}
	for all := string(raw); all != ""; { // the tokens share the memory of one string
		n, used := binary.Uvarint([]byte(all[:min(len(all), binary.MaxVarintLen32)]))
		if used <= 0 || n > uint64(len(all)-used) {
			return nil, errors.New("token: the vocabulary is damaged")
		}
		v.ranks[all[used:used+int(n)]] = uint32(len(v.ranks))
		all = all[used+int(n):]
	}
	return v, nil
}

// Count returns how many tokens a text has. Words of more than 512 bytes are counted in parts.
func (v *Vocabulary) Count(text string) int {
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // as models get it
	}
	n := 0
	var parts []part // used again for each piece
	for text != "" {
		piece := text[:pieceLen(text)]
		text = text[len(piece):]
		for len(piece) > maxPiece {
			cut := maxPiece
			for !utf8.RuneStart(piece[cut]) {
				cut--
			}
			n += v.count(piece[:cut], &parts)
			piece = piece[cut:]
		}
		n += v.count(piece, &parts)
	}
	return n
}

// maxPiece bounds the time for a text without spaces, which is quadratic in a piece's length.
const maxPiece = 512

// part is where a token begins, and the rank of the token that it forms with the next one.
type part struct {
	start int
	rank  uint32
}

const noRank = math.MaxUint32

// count merges the neighbours with the lowest rank until none is left, and returns how many tokens there are.
func (v *Vocabulary) count(piece string, room *[]part) int {
	if _, ok := v.ranks[piece]; ok {
		return 1
	}
	parts := (*room)[:0]
	for i := range len(piece) + 1 {
		parts = append(parts, part{i, noRank})
	}
	*room = parts
	rank := func(i int) uint32 {
		if i+2 < len(parts) {
			if r, ok := v.ranks[piece[parts[i].start:parts[i+2].start]]; ok {
				return r
			}
		}
		return noRank
	}
	for i := range parts {
		parts[i].rank = rank(i)
	}
	for {
		best, low := 0, uint32(noRank)
		for i, p := range parts {
			if p.rank < low {
				best, low = i, p.rank
			}
		}
		if low == noRank {
			return len(parts) - 1
		}
		parts = append(parts[:best+1], parts[best+2:]...)
		parts[best].rank = rank(best)
		if best > 0 {
			parts[best-1].rank = rank(best - 1)
		}
	}
}
