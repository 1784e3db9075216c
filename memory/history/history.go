// Package history searches a thread's earlier transcript for agents: relevant entries, entries related to a question,
// and corrections. It must not know agents' state, stores or platforms.
package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/workflow"
	"maru/bot"
	"maru/memory/longterm/episode"
	"maru/phrase/correction"
)

// maxEntries bounds the newest messages of people in a thread that Earlier searches.
const maxEntries = 1000

// Record is where transcripts are kept; [bot.Record] is one.
type Record interface {
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
	SaidIn(ctx context.Context, thread string, limit int) ([]bot.Entry, error) // by people, without sources
	RunByID(ctx context.Context, id string) (bot.Run, error)
	Note(ctx context.Context, key string) (string, error)
	NotesOf(ctx context.Context, keys []string) (map[string]string, error)
}

// History is the record's transcripts as agents ask for them.
type History struct{ record Record }

var _ workflow.Past = History{}

// New returns the history of the threads in a record.
func New(r Record) History { return History{r} }

// Earlier implements workflow.Past. It returns only people's messages: an answer may quote documents, which have
// permissions of their own. Shown messages take part in the search, for they may correct earlier ones, and cost no
// further reads.
func (h History) Earlier(ctx context.Context, thread, question string, shown func(string) bool, limit int) ([]workflow.Said, error) {
	entries, err := h.record.SaidIn(ctx, thread, maxEntries)
	if err != nil {
		return nil, fmt.Errorf("read a thread's past: %w", err)
	}
	var turns []episode.Turn
	older := false
	for _, e := range entries {
		older = older || !shown(e.ID)
		turns = append(turns, episode.Turn{ID: e.ID, Speaker: e.Author, Session: int(e.At.Unix() / (24 * 3600)), At: e.At, Text: e.Text})
	}
	if !older {
		return nil, nil
	}
	hits := withCorrections(turns, episode.New(turns).Search(question, limit))
	hits = slices.DeleteFunc(hits, func(f episode.Hit) bool { return shown(f.Turn.ID) })
	keys := make([]string, len(hits))
	for i, found := range hits {
		keys[i] = bot.NoteUnsaid + found.Turn.ID
	}
	back, err := h.record.NotesOf(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("read withdrawn messages: %w", err)
	}
	var out []workflow.Said
	for i, found := range hits {
		if back[keys[i]] == "" {
			out = append(out, workflow.Said{ID: found.Turn.ID, By: author(entries, found.Turn.ID), Author: found.Turn.Speaker, Text: found.Turn.Text, At: found.Turn.At, Score: found.Score})
		}
	}
	return out, nil
}

// author returns the id of the person who wrote an entry, "" if it is not known.
func author(entries []bot.Entry, id string) string {
	i := slices.IndexFunc(entries, func(e bot.Entry) bool { return e.ID == id })
	t, err := bot.ParseThread(entries[i].Thread)
	if err != nil || entries[i].User == "" {
		return ""
	}
	return t.Person(bot.User{ID: entries[i].User})
}

const (
	missedFirst  = 4  // newest entries of a thread that the search for missed turns reads
	missedLooked = 60 // and at most
)

// Missed implements workflow.Past. It omits talk among people, answers to deleted questions and unquotable entries. A reminder that
// was due stands alone.
func (h History) Missed(ctx context.Context, thread, before string, known func(string) bool, limit int) ([]workflow.Said, error) {
	entries, err := h.since(ctx, thread, before, known)
	if err != nil {
		return nil, fmt.Errorf("read missed turns: %w", err)
	}
	var out []workflow.Said
	for i, e := range slices.Backward(entries) {
		if !e.Own && known(e.ID) {
			break
		}
		if e.Deleted || e.Text == "" || e.Own && answersOne(e, entries[:i]) {
			continue
		}
		of := h.exchange
		if e.Own {
			of = h.unasked
		}
		turn, err := of(ctx, e, entries)
		if err != nil {
			return nil, fmt.Errorf("read missed turns: %w", err)
		}
		if len(out)+len(turn) > limit {
			break
		}
		out = slices.Insert(out, 0, turn...)
	}
	return out, nil
}

// since returns the entries before a message, back to a known one, within a bound. Usually nothing was missed and the
// last few suffice.
func (h History) since(ctx context.Context, thread, before string, known func(string) bool) ([]bot.Entry, error) {
	for _, look := range []int{missedFirst, missedLooked} {
		entries, err := h.record.Transcript(ctx, thread, look)
		if err != nil {
			return nil, err
		}
		earlier := entries[:max(0, slices.IndexFunc(entries, func(e bot.Entry) bool { return e.ID == before }))]
		if look == missedLooked || slices.ContainsFunc(earlier, func(e bot.Entry) bool { return !e.Own && known(e.ID) }) {
			return earlier, nil
		}
	}
	return nil, nil
}

// exchange returns a message that an agent or a fixed rule answered, with the answer if there is one; nothing if the bot
// passed over it or it is not quoted any more.
func (h History) exchange(ctx context.Context, e bot.Entry, entries []bot.Entry) ([]workflow.Said, error) {
	run, trace, err := h.run(ctx, bot.RunID(e.ID))
	if err != nil || len(trace) == 0 {
		return nil, err
	}
	if back, err := h.record.Note(ctx, bot.NoteUnsaid+e.ID); err != nil || back != "" {
		return nil, err
	}
	by := ""
	if t, err := bot.ParseThread(e.Thread); err == nil && agent.Ruled(trace) {
		by = t.Person(bot.User{ID: e.User})
	}
	out := []workflow.Said{{ID: e.ID, Author: e.Author, Text: e.Text, At: e.At, By: by}}
	i := slices.IndexFunc(entries, func(a bot.Entry) bool { return a.Own && a.Run == run.ID && !a.Deleted && a.Text != "" })
	if i >= 0 && run.Status == bot.RunDone { // also a rule's answer may quote others: a channel's notes or schedules
		out = append(out, workflow.Said{ID: entries[i].ID, Own: true, Text: entries[i].Text, At: entries[i].At})
	}
	return out, nil
}

// answersOne reports whether an entry of the bot is the answer to one of these messages, as it usually is to the last. A
// reminder that was due has none. It spares reading the run with its trace.
func answersOne(e bot.Entry, asked []bot.Entry) bool {
	for _, q := range slices.Backward(asked) {
		if !q.Own && bot.RunID(q.ID) == e.Run {
			return true
		}
	}
	return false
}

// unasked returns an entry of the bot that answers nobody; nothing if it is an answer.
func (h History) unasked(ctx context.Context, e bot.Entry, _ []bot.Entry) ([]workflow.Said, error) {
	_, trace, err := h.run(ctx, e.Run)
	if err != nil || len(trace) != 1 || trace[0].Name != agent.CustomUnasked {
		return nil, err
	}
	return []workflow.Said{{ID: e.ID, Own: true, Text: e.Text, At: e.At}}, nil
}

// run returns a run and its trace, without events if it is not known.
func (h History) run(ctx context.Context, id string) (run bot.Run, trace []agent.Event, err error) {
	if run, err = h.record.RunByID(ctx, id); errors.Is(err, bot.ErrNotFound) {
		return run, nil, nil
	}
	if json.Unmarshal(run.Trace, &trace) != nil {
		trace = nil
	}
	return run, trace, err
}

// withCorrections adds the speaker's corrections to the matches: "no, on Wednesday, not Tuesday" shares hardly a word
// with the question, and without it the wrong statement would be quoted.
func withCorrections(turns []episode.Turn, found []episode.Hit) []episode.Hit {
	var out []episode.Hit
	add := func(h episode.Hit) {
		if !slices.ContainsFunc(out, func(o episode.Hit) bool { return o.Turn.ID == h.Turn.ID }) {
			out = append(out, h)
		}
	}
	for _, h := range found {
		add(h)
		i := slices.IndexFunc(turns, func(t episode.Turn) bool { return t.ID == h.Turn.ID })
		text := h.Turn.Text
		for _, t := range turns[i+1:] {
			if was, is, ok := correction.Read(t.Text); ok && t.Speaker == h.Turn.Speaker && strings.Contains(text, was) {
				add(episode.Hit{Turn: t, Score: h.Score})
				text = is
			}
		}
	}
	return out
}
