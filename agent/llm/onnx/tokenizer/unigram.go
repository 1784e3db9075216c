package tokenizer

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// unigram takes the pieces that are likeliest together, as SentencePiece does.
type unigram struct {
	vocab   map[string]int
	scores  []float64
	unknown int
	bytes   bool // what is not known is written as bytes
	longest int  // piece, in bytes
	bad     float64
}

// penalty is how much worse than the worst piece a character is that is none.
const penalty = 10

func newUnigram(pieces []string, scores []float64, unknown int, bytes bool) *unigram {
	u := &unigram{vocab: make(map[string]int, len(pieces)), scores: scores, unknown: unknown, bytes: bytes}
	worst := math.Inf(1)
	for id, p := range pieces {
		u.vocab[p] = id
		u.longest = max(u.longest, len(p))
		worst = min(worst, scores[id])
	}
	u.bad = worst - penalty
	return u
}

// step is the best way to a place in a word.
type step struct {
	score float64
	from  int // where its last piece begins, or -1: no way is known
	id    int
}

func (u *unigram) cut(ids []int, word string) []int {
	best := u.paths(word)
	type part struct{ from, to int }
	var parts []part
	unknown := false // the part before, as it is read from the end
	for to := len(word); to > 0; to = best[to].from {
		is := best[to].id == u.unknown
		if is && unknown {
			parts[len(parts)-1].from = best[to].from // unknown characters side by side are one
		} else {
			parts = append(parts, part{best[to].from, to})
		}
		unknown = is
	}
	for i := len(parts) - 1; i >= 0; i-- {
		ids = u.token(ids, word[parts[i].from:parts[i].to])
	}
	return ids
}

// paths finds the best way to every place of a word.
func (u *unigram) paths(word string) []step {
	best := make([]step, len(word)+1)
	for i := range best {
		best[i].from = -1
	}
	for start := 0; start < len(word); {
		_, n := utf8.DecodeRuneInString(word[start:])
		here, known := best[start].score, false
		reach := func(end, id int, score float64) {
			if at := &best[end]; at.from < 0 || here+score > at.score {
				*at = step{here + score, start, id}
			}
		}
		for end := start + n; end <= len(word) && end-start <= u.longest; {
			if id, ok := u.vocab[word[start:end]]; ok {
				reach(end, id, u.scores[id])
				known = known || end == start+n
			}
			_, next := utf8.DecodeRuneInString(word[end:])
			if next == 0 {
				break
			}
			end += next
		}
		if !known {
			reach(start+n, u.unknown, u.bad)
		}
		start += n
	}
	return best
}

func (u *unigram) token(ids []int, part string) []int {
	if id, ok := u.vocab[part]; ok {
		return append(ids, id)
	}
	if u.bytes {
		if all, ok := byteTokens(u.vocab, part); ok {
			return append(ids, all...)
		}
	}
	return append(ids, u.unknown)
}

// byteTokens are the tokens of a text's bytes, if a vocabulary has them all.
func byteTokens(vocab map[string]int, s string) ([]int, bool) {
	ids := make([]int, 0, len(s))
	for _, c := range []byte(s) {
		id, ok := vocab[fmt.Sprintf("<0x%02X>", c)]
		if !ok {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}
