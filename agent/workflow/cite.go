package workflow

import (
	"maru/agent"
	"maru/rag"
)

// Cite holds an answer against the passages it may cite: an invented citation is
// removed, a wrong or missing one put right where the passages tell which. It
// returns the answer and the passages that it cites, and says in an event when
// something was invented.
func (x *Exec) Cite(answer string, passages []agent.Source) (text string, cited []agent.Source) {
	if len(passages) == 0 {
		return answer, nil
	}
	hits := make([]rag.Hit, len(passages))
	for i, p := range passages {
		hits[i] = rag.Hit{Document: rag.Document{Title: p.Title}, Chunk: rag.Chunk{Context: p.Heading, Text: p.Quote}}
	}
	g := rag.Ground(answer, hits)
	if g.Invented > 0 {
		x.Emit(agent.Event{Kind: agent.EventCustom, Name: "invented_citations", Text: "removed"})
	}
	numbers, _ := rag.Cited(g.Text, len(passages))
	for _, n := range numbers {
		cited = append(cited, passages[n-1])
	}
	return g.Text, cited
}
