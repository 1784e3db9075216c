package said

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"maru/agent"
	"maru/bot"
	"maru/rag"
)

// Desk tracks the messages with active runs and their search results. It is safe for concurrent use.
type Desk struct {
	log *slog.Logger
	off bool

	mu   sync.Mutex
	open map[string]*session // by message key
}

// New returns a Desk.
func New(log *slog.Logger) *Desk { return &Desk{log: log, open: map[string]*session{}} }

// Disable switches the reading of channels off, before the first message.
func (d *Desk) Disable() { d.off = true }

// session is one message while it is answered.
type session struct {
	m        bot.Message
	searcher Searcher
	runs     int // active runs; guarded by Desk.mu

	mu    sync.Mutex
	found map[string]Message // by link
	asked map[string]bool    // arguments of the calls that were made in this process
}

// Begin allows the run that answers m to search until end is called. without lists scopes in which the tool is not
// offered, if the platform cannot be searched.
func (d *Desk) Begin(m bot.Message, a bot.Adapter) (without []string, end func()) {
	searcher, ok := a.(Searcher)
	if !ok {
		return []string{agent.Without(Tool)}, func() {}
	}
	key := m.Key()
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.open[key]
	if s == nil {
		s = &session{m: m, searcher: searcher, found: map[string]Message{}, asked: map[string]bool{}}
		d.open[key] = s
	}
	s.runs++
	return nil, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if s.runs--; s.runs == 0 {
			delete(d.open, key)
		}
	}
}

// of returns the session of a message, nil if it has no active run.
func (d *Desk) of(key string) *session {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[key]
}

// search queries the platform and keeps the results while the session is open.
func (s *session) search(ctx context.Context, arguments string, q Query) (Found, error) {
	found, err := s.searcher.Said(ctx, s.m, q)
	if err != nil {
		return Found{}, err
	}
	if found.Unranked {
		found.Messages = fitting(found.Messages, q)
	}
	found.Messages = found.Messages[:min(len(found.Messages), q.Limit)]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[arguments] = true
	for _, m := range found.Messages {
		s.found[m.Link] = m
	}
	return found, nil
}

// words returns the messages behind links. It repeats the search of a call made by another process.
func (s *session) words(ctx context.Context, arguments string, q Query) (map[string]Message, error) {
	s.mu.Lock()
	asked := s.asked[arguments]
	s.mu.Unlock()
	var err error
	if !asked {
		_, err = s.search(ctx, arguments, q)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.found), err
}

// Messages that were read rather than searched must contain this share of the weight of the query's words, and
// half of the best one's.
const (
	leastHeld = 0.3
	leastBest = 0.5
)

// fitting ranks messages that were read rather than searched by the query's words in them, best first.
func fitting(all []Message, q Query) []Message {
	type scored struct {
		m     Message
		score float64
	}
	var words rag.Analyzer
	query := words.Query(q.Text)
	total := 0.0
	for _, w := range query {
		total += w.Weight
	}
	var list []scored
	for _, m := range all {
		held, score := rag.HoldingOf(m.Author, m.Channel, m.Text), 0.0
		for _, w := range query {
			score += w.Weight * held.Match(w)
		}
		if total > 0 && score/total >= leastHeld {
			list = append(list, scored{m, score / total})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []Message
	for _, s := range list {
		if s.score >= leastBest*list[0].score {
			out = append(out, s.m)
		}
	}
	return out
}
