package node

import (
	"strings"

	"maru/agent"
	"maru/phrase/prose"
	"maru/rag"
	"maru/rag/answer"
)

// Closest returns the sentence of the passages that clearly answers a question, or else the one with most of its words, with the
// index of its passage and the share of the words that it holds; "" if there is none.
func Closest(question string, passages []agent.Source) (sentence string, of int, share float64) {
	if found := Answers(question, passages); len(found) > 0 {
		return found[0].Text, found[0].N, 1
	}
	var sentences []string
	var from []int
	for i, p := range passages {
		for _, sentence := range prose.Sentences(p.Quote) {
			sentences, from = append(sentences, sentence), append(from, i)
		}
	}
	at, share := rag.Closest(question, sentences)
	if at < 0 {
		return "", 0, 0
	}
	return sentences[at], from[at], share
}

// Answers returns the sentences that clearly answer, with the indexes of their passages.
func Answers(question string, passages []agent.Source) []answer.Sentence {
	list := make([]answer.Passage, len(passages))
	for i, p := range passages {
		list[i] = answer.Passage{N: i, Title: strings.Trim(p.Title+" › "+p.Heading, " ›"), Text: p.Quote}
	}
	return answer.Best(question, "", list)
}
