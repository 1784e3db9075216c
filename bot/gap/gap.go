// Package gap reports a channel's unanswered questions to its admins: questions that the documents
// don't answer, and answers that were voted down. [Gaps] groups similar ones, shows them by "/maru
// gaps", sends them weekly to admins who ask for it, and takes an answer, which becomes a note of
// the channel (maru/bot/note).
//
// Invariants:
//
//   - Questions are not stored: each report reads the record, so deleted, edited and forgotten ones
//     are not in it.
//   - A report has the questions of one channel. Its readers are admins. A scheduled report goes
//     only to people who are still admins of the channel and can read it.
//   - No model decides what a gap is or which gaps are similar.
package gap

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/note"
	"maru/config"
	"maru/phrase/fit"
	"maru/rag"
)

// Limits of a report.
const (
	maxThreads = 500 // of a channel, the newest
	maxEntries = 400 // of a thread, the newest
	maxGaps    = 15  // groups that are shown
)

// Record is the part of the record that reports read.
type Record interface {
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error)
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
	Rated(ctx context.Context, team string, from, to time.Time) ([]bot.Rated, error)
	Reply(ctx context.Context, run string) (bot.Reply, error)
	Entry(ctx context.Context, thread, id string) (bot.Entry, error)
	Note(ctx context.Context, key string) (string, error)
}

// Rules answer what a person may do in a place.
type Rules interface {
	May(t bot.Thread, u bot.User, want config.Role) bool
	Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
}

// Config is what Gaps are made of.
type Config struct {
	Record   Record
	Rules    Rules
	Notes    *note.Notes // nil: notes are not checked for answers
	Weekly   Weekly      // nil: the record has no schedules
	Adapters bot.Platforms
	Now      func() time.Time
}

// Gaps finds and shows gaps. It is safe for concurrent use.
type Gaps struct {
	Config
}

// New returns Gaps.
func New(c Config) *Gaps { return &Gaps{c} }

// Gap is a group of similar questions without a good answer.
type Gap struct {
	Run      string // of the newest of them
	Question string // the newest
	Others   []string
	NotFound int // answers that the documents don't say
	Down     int // votes against answers
	Last     time.Time
}

// Total returns the number of failed answers.
func (g Gap) Total() int { return g.NotFound + g.Down }

// Of returns the gaps of a channel since a time, except those answered by a note, most frequent first.
func (gs *Gaps) Of(ctx context.Context, channel bot.Thread, since time.Time) ([]Gap, error) {
	found, err := gs.find(ctx, channel, since)
	if err != nil {
		return nil, err
	}
	groups := grouped(found)
	if gs.Notes != nil {
		answered, err := gs.Notes.Answers(ctx, channel)
		if err != nil {
			return nil, fmt.Errorf("find answers to gaps: %w", err)
		}
		groups = slices.DeleteFunc(groups, func(g Gap) bool { return answered(noteKey(g.Run)) })
	}
	slices.SortStableFunc(groups, func(a, b Gap) int {
		if n := b.Total() - a.Total(); n != 0 {
			return n
		}
		return b.Last.Compare(a.Last)
	})
	return groups, nil
}

// find returns the failed questions of a channel, oldest first.
func (gs *Gaps) find(ctx context.Context, channel bot.Thread, since time.Time) ([]Gap, error) {
	threads, err := gs.Record.Threads(ctx, channel.Platform, channel.Team, channel.Channel, maxThreads)
	if err != nil {
		return nil, fmt.Errorf("list a channel's threads: %w", err)
	}
	votes, err := gs.Record.Rated(ctx, channel.TeamKey(), since, gs.Now().Add(time.Hour))
	if err != nil {
		return nil, fmt.Errorf("read ratings: %w", err)
	}
	down := map[string]int{}
	for _, v := range votes {
		if v.Vote < 0 {
			down[v.Run]++
		}
	}
	var out []Gap
	for _, t := range threads {
		if t.Updated.Before(since) {
			continue
		}
		entries, err := gs.Record.Transcript(ctx, t.Thread.Key(), maxEntries)
		if err != nil {
			return nil, fmt.Errorf("read a thread: %w", err)
		}
		asked := map[string]bot.Entry{} // by the run that answers it
		for _, e := range entries {
			if !e.Own {
				asked[bot.RunID(e.ID)] = e
				continue
			}
			q, ok := asked[e.Run]
			missing := rag.Declines(e.Text)
			if !ok || q.Deleted || fit.Blank(q.Text) || e.At.Before(since) || !missing && down[e.Run] == 0 {
				continue
			}
			if unsaid, err := gs.Record.Note(ctx, bot.NoteUnsaid+q.ID); err != nil {
				return nil, fmt.Errorf("read note: %w", err)
			} else if unsaid != "" {
				continue
			}
			g := Gap{Run: e.Run, Question: fit.OneLine(q.Text), Down: down[e.Run], Last: e.At}
			if missing {
				g.NotFound = 1
			}
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b Gap) int { return a.Last.Compare(b.Last) })
	return out, nil
}

// grouped groups similar questions. The newest represents its group.
func grouped(list []Gap) []Gap {
	var out []Gap
	for _, g := range list {
		at := slices.IndexFunc(out, func(o Gap) bool { return alike(o.Question, g.Question) })
		if at < 0 {
			out = append(out, g)
			continue
		}
		o := out[at]
		g.NotFound, g.Down, g.Others = g.NotFound+o.NotFound, g.Down+o.Down, o.Others
		if !strings.EqualFold(o.Question, g.Question) && !slices.Contains(g.Others, o.Question) {
			g.Others = append(g.Others, o.Question)
		}
		out[at] = g
	}
	return out
}

// alike reports whether two questions are about the same subject: each has most of the other's words, or one has
// all of the other's and few others.
func alike(a, b string) bool {
	x, y := held(a, b), held(b, a)
	return min(x, y) >= 0.6 || max(x, y) >= 0.9 && min(x, y) >= 0.45
}

// held returns the weighted share of a question's words in another text.
func held(question, in string) float64 {
	var a rag.Analyzer
	all, has, holding := 0.0, 0.0, rag.HoldingOf(in)
	for _, w := range a.Query(question) {
		if len(w.Terms) > 0 {
			all += w.Weight
			has += w.Weight * holding.Match(w)
		}
	}
	if all == 0 { // nothing but stop words
		if strings.EqualFold(fit.OneLine(question), fit.OneLine(in)) {
			return 1
		}
		return 0
	}
	return has / all
}

// noteKey names the note that answers a run's question.
func noteKey(run string) string { return Control + run }
