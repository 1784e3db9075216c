package tokenizer

import (
	"container/heap"
	"unicode/utf8"
)

// bpe merges neighbours, the pair that was learnt first before others.
type bpe struct {
	vocab   map[string]int
	merges  map[[2]int]merge
	unknown int  // or letters: what is not known is left out
	fuse    bool // unknown characters side by side are one
	bytes   bool // what is not known is written as bytes
	whole   bool // a word of the vocabulary is not taken apart
	prefix  string
	suffix  string
}

type merge struct{ rank, id int }

// symbol is a token in a word, in a list of neighbours.
type symbol struct {
	id, before, behind int // letters: it was merged into the one before
}

func (m *bpe) cut(ids []int, word string) []int {
	if id, ok := m.vocab[word]; ok && m.whole {
		return append(ids, id)
	}
	list := m.symbols(word)
	var queue candidates
	look := func(at int) { // at a pair
		if at < 0 || list[at].behind < 0 {
			return
		}
		if to, ok := m.merges[[2]int{list[at].id, list[list[at].behind].id}]; ok {
			heap.Push(&queue, candidate{to, at})
		}
	}
	for i := range list {
		look(i)
	}
	for queue.Len() > 0 {
		c := heap.Pop(&queue).(candidate)
		left := &list[c.at]
		if left.id == letters || left.behind < 0 {
			continue
		}
		right := &list[left.behind]
		if now, ok := m.merges[[2]int{left.id, right.id}]; !ok || now != c.merge {
			continue // one of the two has become another since
		}
		left.id, left.behind = c.id, right.behind
		right.id = letters
		if left.behind >= 0 {
			list[left.behind].before = c.at
		}
		look(left.before)
		look(c.at)
	}
	for _, s := range list {
		if s.id != letters {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// symbols are the tokens of a word's characters.
func (m *bpe) symbols(word string) []symbol {
	var ids []int
	fusing := false
	for i, r := range word {
		s := string(r)
		if i > 0 {
			s = m.prefix + s
		}
		if i+utf8.RuneLen(r) == len(word) {
			s += m.suffix
		}
		id, ok := m.vocab[s]
		if ok {
			ids, fusing = append(ids, id), false
			continue
		}
		if m.bytes {
			if all, ok := byteTokens(m.vocab, s); ok {
				ids = append(ids, all...)
				continue
			}
		}
		if m.unknown != letters && !(fusing && m.fuse) {
			ids, fusing = append(ids, m.unknown), true
		}
	}
	list := make([]symbol, len(ids))
	for i, id := range ids {
		list[i] = symbol{id, i - 1, i + 1}
	}
	if len(list) > 0 {
		list[len(list)-1].behind = -1
	}
	return list
}

// candidate is a merge that may be made at a place.
type candidate struct {
	merge

	at int
}

// candidates is a heap: the merge that was learnt first, then the one further left.
type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return c[i].rank < c[j].rank || c[i].rank == c[j].rank && c[i].at < c[j].at
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
