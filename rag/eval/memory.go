package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"maru/memory/longterm"
	"maru/memory/longterm/episode"
)

// MemoryReport measures retrieval of the answering turns in long conversations, and its token cost against the full
// transcript.
type MemoryReport struct {
	Set           string  `json:"set"`
	Conversations int     `json:"conversations"`
	Turns         int     `json:"turns"`
	Questions     int     `json:"questions"` // questions with evidence
	RecallAt5     float64 `json:"recall_at_5"`
	RecallAt10    float64 `json:"recall_at_10"`
	OddAt5        float64 `json:"held_out_recall_at_5"` // questions held out from tuning
	OddAt10       float64 `json:"held_out_recall_at_10"`
	Tokens        float64 `json:"tokens_per_question"`            // of the ten turns shown
	Transcript    float64 `json:"transcript_tokens_per_question"` // of the whole conversation: recall 1
	P50           float64 `json:"p50_ms"`
	P95           float64 `json:"p95_ms"`
}

// conversation is one conversation of a set, indexed.
type conversation struct {
	index  *episode.Index
	turns  []episode.Turn
	tokens int // of the whole transcript
}

// shownTurns is the number of turns shown per question.
const shownTurns = 10

// ErrNoConversations reports a set without evidence in conversations.
var ErrNoConversations = errors.New("no question has evidence in a conversation; a set for --memory has conv in corpus.jsonl and queries.jsonl")

// MeasureMemory asks every question of a set of conversations (corpus.jsonl with conv, session, date and speaker), or
// each every-th one.
func MeasureMemory(set *Set, every int) (MemoryReport, error) {
	r := MemoryReport{Set: set.Name, Turns: len(set.Corpus)}
	all, err := conversations(set)
	if err != nil {
		return r, err
	}
	r.Conversations = len(all)
	var took []time.Duration
	var odd float64
	for i, q := range set.Queries {
		c := all[q.Conversation]
		if c == nil || i%every != 0 || len(set.Answers[q.ID]) == 0 {
			continue
		}
		start := time.Now()
		hits := c.index.Search(q.Text, shownTurns)
		took = append(took, time.Since(start))
		five, ten := recalled(hits, set.Answers[q.ID])
		r.RecallAt5 += five
		r.RecallAt10 += ten
		if i%2 == 1 {
			r.OddAt5 += five
			r.OddAt10 += ten
			odd++
		}
		for _, h := range hits {
			r.Tokens += float64(cost(h.Turn))
		}
		r.Transcript += float64(c.tokens)
	}
	if r.Questions = len(took); r.Questions == 0 {
		return r, ErrNoConversations
	}
	n := float64(r.Questions)
	r.RecallAt5, r.RecallAt10, r.Tokens, r.Transcript = r.RecallAt5/n, r.RecallAt10/n, r.Tokens/n, r.Transcript/n
	r.OddAt5, r.OddAt10 = r.OddAt5/max(odd, 1), r.OddAt10/max(odd, 1)
	slices.Sort(took)
	r.P50, r.P95 = took[len(took)/2].Seconds()*1000, took[len(took)*95/100].Seconds()*1000
	return r, nil
}

// conversations indexes the conversations of a set.
func conversations(set *Set) (map[string]*conversation, error) {
	all := map[string]*conversation{}
	for _, p := range set.Corpus {
		if p.Conversation == "" {
			continue
		}
		at, err := time.Parse("3:04 pm on 2 January, 2006", p.Date)
		if p.Date != "" && err != nil {
			return nil, fmt.Errorf("%s: date %q: want one like \"1:56 pm on 8 May, 2023\"", p.ID, p.Date)
		}
		c := all[p.Conversation]
		if c == nil {
			c = &conversation{}
			all[p.Conversation] = c
		}
		t := episode.Turn{ID: p.ID, Speaker: p.Speaker, Session: p.Session, At: at, Text: strings.TrimPrefix(p.Text, p.Speaker+": ")}
		c.turns = append(c.turns, t)
		c.tokens += cost(t)
	}
	for _, c := range all {
		c.index = episode.New(c.turns)
	}
	return all, nil
}

// cost returns the tokens of a turn in a prompt, with speaker and date.
func cost(t episode.Turn) int {
	return longterm.Tokens(t.At.Format(time.DateOnly) + " " + t.Speaker + ": " + t.Text)
}

// recalled returns the share of the evidence among the first five and ten.
func recalled(hits []episode.Hit, evidence map[string]int) (five, ten float64) {
	for i, h := range hits {
		if evidence[h.Turn.ID] == 0 {
			continue
		}
		ten += 1 / float64(len(evidence))
		if i < 5 {
			five += 1 / float64(len(evidence))
		}
	}
	return five, ten
}

// Write prints the report, with the full transcript beside it.
func (r MemoryReport) Write(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	_, err := fmt.Fprintf(out, `%s: %d conversations, %d turns, %d questions
                      R@5    R@10   tokens/question
ten best turns        %.3f  %.3f  %.0f
  held-out questions  %.3f  %.3f
full transcript       1.000  1.000  %.0f
time of a question: p50 %.2f ms, p95 %.2f ms
`, r.Set, r.Conversations, r.Turns, r.Questions, r.RecallAt5, r.RecallAt10, r.Tokens, r.OddAt5, r.OddAt10, r.Transcript, r.P50, r.P95)
	return err
}

// WriteMemory measures and prints each of several folders of conversations.
func WriteMemory(out io.Writer, dirs []string, every int, asJSON bool) error {
	for _, dir := range dirs {
		set, err := ReadSet(dir)
		if err != nil {
			return err
		}
		r, err := MeasureMemory(set, max(every, 1))
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		if err := r.Write(out, asJSON); err != nil {
			return err
		}
	}
	return nil
}
