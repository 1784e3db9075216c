package rag

import (
	"slices"
	"strings"
	"sync"
)

// Terms returns the terms of a text as [Analyzer.Document] emits them. The list is shared: nobody may change it. Those of
// texts that come again and again are remembered for a while: passages that are found, messages of a long conversation.
func (a *Analyzer) Terms(text string) []string {
	if len(text) > longestOfMemo {
		return a.listOf(text)
	}
	if known, ok := memoised.get(text); ok {
		return known
	}
	terms := a.listOf(text)
	memoised.put(text, terms)
	return terms
}

func (a *Analyzer) listOf(text string) []string {
	var all []byte
	var ends []int
	a.Document(text, func(term []byte) {
		all = append(all, term...)
		ends = append(ends, len(all))
	})
	whole, from := string(all), 0 // the terms share its memory
	terms := make([]string, len(ends))
	for i, end := range ends {
		terms[i], from = whole[from:end], end
	}
	return slices.Clip(terms)
}

// Bounds of a memo, in bytes.
const (
	longestOfMemo = 16 << 10  // of a text that is remembered
	mostOfMemo    = 640 << 10 // of each half, which the last text may exceed by its own size
)

// memo keeps terms by text. When its newer half is full it becomes the older one, which is dropped. It holds copies: a text may be
// a part of a long one, which a part of it would keep.
type memo struct {
	mu         sync.Mutex
	newer, old map[string][]string
	size       int // of the newer half; see [sizeOf]
}

// sizeOf returns what a text takes with its terms: their bytes, the headers of their strings, and the entry of the map.
func sizeOf(text string, terms []string) int {
	const header, entry = 16, 80
	size := entry + len(text) + header*len(terms)
	for _, t := range terms {
		size += len(t)
	}
	return size
}

var memoised memo

func (m *memo) get(text string) ([]string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.newer[text]; ok {
		return known, true
	}
	known, ok := m.old[text]
	if ok {
		m.add(text, known)
	}
	return known, ok
}

func (m *memo) put(text string, terms []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(text, terms)
}

func (m *memo) add(text string, terms []string) {
	if m.newer == nil || m.size >= mostOfMemo {
		m.newer, m.old, m.size = map[string][]string{}, m.newer, 0
	}
	m.newer[strings.Clone(text)] = terms
	m.size += sizeOf(text, terms)
}
