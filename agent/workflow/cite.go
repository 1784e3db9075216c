package workflow

import (
	"encoding/json"
	"slices"
	"strings"

	"maru/agent"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/prose"
	"maru/rag"
)

// Cite checks an answer against the passages that it may cite: invented citations are removed, also where there are no
// passages, and wrong or missing ones are corrected where the passages tell which is right. It returns the answer and
// the passages that it cites, both numbered from 1 in the order of citing, and reports the corrections in an event. If
// the answer says that the documents do not say, the nearest passages are added; if it cites a document with other
// editions, or one that another document contradicts, what these say.
func (x *Exec) Cite(answer string, passages []agent.Source) (text string, cited []agent.Source) {
	hits := make([]rag.Hit, len(passages))
	for i, p := range passages {
		hits[i] = rag.Hit{Document: rag.Document{Title: p.Title}, Chunk: rag.Chunk{Context: p.Heading, Text: p.Quote}}
	}
	g := rag.Ground(answer, hits)
	if checked := (agent.Checked{Removed: g.Invented, Moved: g.Moved, Added: g.Added, Uncited: len(g.Uncited)}); checked != (agent.Checked{}) {
		if data, err := json.Marshal(checked); err == nil { // numbers: always
			x.Emit(agent.Event{Kind: agent.EventCustom, Name: agent.CustomChecked, Data: data})
		}
	}
	text, old := rag.Renumber(x.withDates(g.Text, passages), len(passages))
	for i, n := range old {
		p := passages[n-1]
		p.N = i + 1
		cited = append(cited, p)
	}
	if len(cited) == 0 && rag.Declines(text) && !tellsNearest(text) {
		if near := x.Nearest(x.Request.Text, passages); near != "" {
			x.Emit(agent.Event{Kind: agent.EventToken, Text: "\n\n" + near})
			text += "\n\n" + near
		}
	}
	return text, cited
}

// withDates adds to an answer what other editions and other documents say.
func (x *Exec) withDates(answer string, passages []agent.Source) string {
	numbers, _ := rag.Cited(answer, len(passages))
	if len(numbers) == 0 || rag.Declines(answer) {
		return answer
	}
	cited := make([]agent.Source, len(numbers))
	for i, n := range numbers {
		cited[i] = passages[n-1]
	}
	for _, note := range []string{x.editions(cited), x.disagreement(numbers, passages)} {
		if note != "" {
			x.Emit(agent.Event{Kind: agent.EventToken, Text: "\n\n" + note})
			answer += "\n\n" + note
		}
	}
	return answer
}

const (
	maxNearest = 3   // places that are named to somebody who is told that the documents do not say
	maxClosest = 160 // characters of what is written there
)

// Nearest names the passages that come nearest to a question that the documents do not answer, with the part of each
// that has words of the question; "" without any passage.
func (x *Exec) Nearest(question string, passages []agent.Source) string {
	return x.NearestAs("agent.nearest", question, passages)
}

// NearestAs is Nearest below another sentence of the catalogue.
func (x *Exec) NearestAs(above, question string, passages []agent.Source) string {
	var lines []string
	for _, p := range nearest(passages) {
		if p.Sample {
			p.Title = x.Phrase("agent.sample", p.Title)
		}
		line := "- " + placeOf(p)
		if ss := prose.Sentences(p.Quote); len(ss) > 0 {
			if at, _ := rag.Closest(question, ss); at >= 0 {
				line += ": “" + fit.Clip(ss[at], maxClosest) + "”"
			}
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return ""
	}
	return x.Phrase(above) + "\n" + strings.Join(lines, "\n")
}

func placeOf(p agent.Source) string {
	if p.Heading == "" || p.Heading == p.Title {
		return p.Title
	}
	return p.Title + " › " + p.Heading
}

// nearest returns the first passages of different places.
func nearest(passages []agent.Source) []agent.Source {
	var out []agent.Source
	for _, p := range passages {
		place := placeOf(p)
		seen := slices.ContainsFunc(out, func(o agent.Source) bool { return placeOf(o) == place })
		if place != "" && !seen && len(out) < maxNearest {
			out = append(out, p)
		}
	}
	return out
}

// Pointers returns the passages that an answer points to because it could not answer: those that
// [Exec.Nearest] named in it. They are not sources and have no numbers.
func Pointers(answer string, passages []agent.Source) []agent.Source {
	if !tellsNearest(answer) {
		return nil
	}
	out := nearest(passages)
	for i := range out {
		out[i].N = 0
	}
	return out
}

// tellsNearest reports whether an answer names the nearest places itself.
func tellsNearest(answer string) bool {
	return slices.ContainsFunc(phrase.Of("agent.nearest").Everywhere(), func(s string) bool { return strings.Contains(answer, s) })
}
