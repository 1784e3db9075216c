package tokenizer

import "unicode/utf8"

// wordPiece takes the longest piece of its vocabulary, again and again. A word of which a
// part is not known is not known.
type wordPiece struct {
	vocab   map[string]int
	unknown int
	prefix  string // of what continues a word
	longest int    // word, in characters
}

func (w *wordPiece) cut(ids []int, word string) []int {
	if utf8.RuneCountInString(word) > w.longest {
		return append(ids, w.unknown)
	}
	before := len(ids)
	for start := 0; start < len(word); {
		id, end := w.longestFrom(word, start)
		if end == start {
			return append(ids[:before], w.unknown)
		}
		ids = append(ids, id)
		start = end
	}
	return ids
}

func (w *wordPiece) longestFrom(word string, start int) (id, end int) {
	for end = len(word); end > start; {
		part := word[start:end]
		if start > 0 {
			part = w.prefix + part
		}
		if id, ok := w.vocab[part]; ok {
			return id, end
		}
		_, n := utf8.DecodeLastRuneInString(word[start:end])
		end -= n
	}
	return 0, start
}
