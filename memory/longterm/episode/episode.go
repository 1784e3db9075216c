// Package episode retrieves turns of long conversations: the few of hundreds over months that answer a question. It
// needs no model. It weighs words as rag does and adds conversational context: the speaker, the preceding question,
// the date, and the session's topic.
//
// It must not know stores or agents. The chat agent recalls a thread with it, and `maru eval --memory` measures it.
package episode

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"maru/rag"
)

// Turn is one message of a conversation.
type Turn struct {
	ID      string
	Speaker string
	Session int // maximum gap between turns of one session
	At      time.Time
	Text    string
}

// Hit is a turn that was found.
type Hit struct {
	Turn  Turn
	Score float64 // comparable within one answer only
}

// The weights of the signals, tuned on every second question of the LoCoMo set;
// the other half gives R@5 0.74 and R@10 0.81 with them (see docs/evaluation.md).
const (
	fromQuestion = 0.9  // of the score of the turn before, if it asked something: this is its answer
	fromBefore   = -0.2 // if it was a statement: repeating the question's words adds nothing
	fromAfter    = 0.3  // of the score of the turn after
	fromSession  = 1.0  // of the score of the whole session
	ofSpeaker    = 1.15 // factor for turns of the one person whom the question names
	ofMonth      = 2.0  // factor for turns of the month that the question names
	tellingTime  = 1.6  // factor for turns that tell a time, if the question asks for one
	ofName       = 0.1  // weight of a speaker's name: nearly all turns are about the speakers
	ofStopWord   = 0.1  // weight of words that only ask
)

// Index holds one conversation. It is made once and is then safe for concurrent
// use.
type Index struct {
	turns    []Turn
	byTurn   field
	bySess   field
	sessions []int             // of each turn: its session's number in bySess
	timed    []bool            // of each turn: it tells a time
	asking   []bool            // of each turn: it asks something
	speakers map[string]string // persons by each word of their name
}

// New indexes the turns of a conversation, in the order in which they were said.
func New(turns []Turn) *Index {
	x := &Index{turns: turns, speakers: map[string]string{}, byTurn: newField(), bySess: newField()}
	numbers := map[int]int{}
	var a rag.Analyzer
	for i, t := range turns {
		s, ok := numbers[t.Session]
		if !ok {
			s = len(numbers)
			numbers[t.Session] = s
		}
		x.sessions = append(x.sessions, s)
		x.timed = append(x.timed, tellsTime(t.Text))
		x.asking = append(x.asking, strings.ContainsAny(t.Text, "?？"))
		for _, term := range a.Terms(t.Text) {
			w := base(term)
			x.byTurn.add(w, i)
			x.bySess.add(w, s)
		}
		for w := range strings.FieldsSeq(strings.ToLower(t.Speaker)) {
			x.speakers[w] = t.Speaker
		}
	}
	x.byTurn.close(len(turns))
	x.bySess.close(len(numbers))
	return x
}

// Search returns the turns, at most limit, that most likely answer a question,
// best first.
func (x *Index) Search(question string, limit int) []Hit {
	words, who := x.read(question)
	score := x.gather(x.byTurn.score(words), x.bySess.score(words))
	x.favour(score, question, who)
	order := make([]int, 0, len(score))
	for i, s := range score {
		if s > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(score[j], score[i]) })
	hits := make([]Hit, 0, min(limit, len(order)))
	for _, i := range order[:min(limit, len(order))] {
		hits = append(hits, Hit{x.turns[i], score[i]})
	}
	return hits
}

// read weighs the words of a question and finds whom it names.
func (x *Index) read(question string) (words map[string]float64, who map[string]bool) {
	var a rag.Analyzer
	words, who = map[string]float64{}, map[string]bool{}
	for _, w := range a.Query(question) {
		weight := max(w.Weight, ofStopWord)
		if name := x.speakers[w.Text]; name != "" {
			who[name] = true
			weight = ofName
		}
		for i, t := range w.Terms {
			words[base(t)] = max(words[base(t)], weight*w.TermWeight(i))
		}
	}
	return words, who
}

// gather adds the scores of neighbouring turns to a turn's own.
func (x *Index) gather(own, sessions []float64) []float64 {
	out := slices.Clone(own)
	for i := range out {
		if i > 0 && x.sessions[i-1] == x.sessions[i] {
			w := fromBefore
			if x.asking[i-1] {
				w = fromQuestion
			}
			out[i] += w * own[i-1]
		}
		if i+1 < len(own) && x.sessions[i+1] == x.sessions[i] {
			out[i] += fromAfter * own[i+1]
		}
		out[i] += fromSession * sessions[x.sessions[i]]
	}
	return out
}

// favour raises the turns of whom and of when the question asks.
func (x *Index) favour(score []float64, question string, who map[string]bool) {
	q := strings.ToLower(question)
	when := asksWhen(q)
	months := monthsIn(q)
	for i, t := range x.turns {
		if len(who) == 1 && who[t.Speaker] {
			score[i] *= ofSpeaker
		}
		if when && x.timed[i] {
			score[i] *= tellingTime
		}
		if !t.At.IsZero() && slices.Contains(months, t.At.Month()) {
			score[i] *= ofMonth
		}
	}
}
