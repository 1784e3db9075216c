package workflow

import (
	"maru/agent"
	"maru/rag"
)

// Cite holds an answer against the passages it may cite: an invented citation is
// removed, also where there are no passages, a wrong or missing one put right where
// the passages tell which. It returns the answer and the passages that it cites,
// both numbered from 1 in the order in which the answer cites them, and says in an
// event when something was invented.
func (x *Exec) Cite(answer string, passages []agent.Source) (text string, cited []agent.Source) {
	hits := make([]rag.Hit, len(passages))
	for i, p := range passages {
		hits[i] = rag.Hit{Document: rag.Document{Title: p.Title}, Chunk: rag.Chunk{Context: p.Heading, Text: p.Quote}}
	}
	g := rag.Ground(answer, hits)
	if g.Invented > 0 {
		x.Emit(agent.Event{Kind: agent.EventCustom, Name: "invented_citations", Text: "removed"})
	}
	text, old := rag.Renumber(g.Text, len(passages))
	for i, n := range old {
		p := passages[n-1]
		p.N = i + 1
		cited = append(cited, p)
	}
	return text, cited
}
