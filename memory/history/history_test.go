package history_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/memory/history"
)

// thread is a record of one transcript.
type thread struct {
	entries []bot.Entry
	notes   map[string]string
	runs    map[string]bot.Run
	read    *int // notes and runs that were read
}

func (r thread) Transcript(_ context.Context, _ string, limit int) ([]bot.Entry, error) {
	return r.entries[max(0, len(r.entries)-limit):], nil
}

func (r thread) SaidIn(_ context.Context, _ string, limit int) (out []bot.Entry, err error) {
	for _, e := range r.entries {
		if !e.Own && !e.Deleted && e.Text != "" {
			out = append(out, e)
		}
	}
	return out[max(0, len(out)-limit):], nil
}

func (r thread) Note(_ context.Context, key string) (string, error) {
	if r.read != nil {
		*r.read++
	}
	return r.notes[key], nil
}

func (r thread) NotesOf(_ context.Context, keys []string) (map[string]string, error) {
	if r.read != nil {
		*r.read += len(keys)
	}
	return r.notes, nil
}

func (r thread) RunByID(_ context.Context, id string) (bot.Run, error) {
	if r.read != nil {
		*r.read++
	}
	run, ok := r.runs[id]
	if !ok {
		return bot.Run{}, bot.ErrNotFound
	}
	return run, nil
}

func said(id, author, text string) bot.Entry {
	return bot.Entry{ID: id, Thread: "slack/T1/C1/1", Author: author, User: author, Text: text, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

// TestEarlierTakesCorrectionsAlong: a correction hardly shares a word with the question, an answer
// of the bot is nobody's own message, and what was taken back is not quoted.
func TestEarlierTakesCorrectionsAlong(t *testing.T) {
	t.Parallel()
	answer := said("3", "", "The workshop is on Tuesday in Busan.")
	answer.Own = true
	deleted := said("5", "U1", "The workshop costs a lot.")
	deleted.Deleted = true
	r := thread{
		entries: []bot.Entry{
			said("1", "U1", "The workshop is on Tuesday."), said("2", "U1", "Not on Tuesday, on Wednesday."), answer,
			said("4", "U2", "The workshop is in the large hall."), deleted,
		},
		notes: map[string]string{bot.NoteUnsaid + "4": "taken back"},
	}
	for shown, want := range map[string]string{"": "12", "1": "2", "2": "1", "12": "", "124": ""} {
		read := 0
		r.read = &read
		found, err := history.New(r).Earlier(t.Context(), "t", "when is the workshop?", func(id string) bool { return strings.Contains(shown, id) }, 5)
		if err != nil {
			t.Fatal(err)
		}
		ids := ""
		for _, f := range found {
			ids += f.ID
			if f.By != "slack/T1/U1" {
				t.Errorf("%s is by %q", f.ID, f.By)
			}
		}
		if ids != want {
			t.Errorf("with %q shown, %q is found, want %q", shown, ids, want)
		}
		if read > 3-len(shown) {
			t.Errorf("with %q shown, %d notes are read", shown, read)
		}
	}
}

// TestMissedLeavesOutWhatNoAgentRanFor: what people said among themselves is not in it, and an
// answer comes with its question.
func TestMissedLeavesOutWhatNoAgentRanFor(t *testing.T) {
	t.Parallel()
	answer := said("3", "", "It is at nine.")
	answer.Own, answer.Run = true, bot.RunID("2")
	r := thread{
		entries: []bot.Entry{said("1", "U2", "Shall we have lunch?"), said("2", "U1", "When is the ferry?"), answer, said("4", "U1", "And the bus?")},
		runs:    map[string]bot.Run{bot.RunID("2"): {ID: bot.RunID("2"), Status: bot.RunDone, Trace: []byte(`[{}]`)}},
	}
	missed, err := history.New(r).Missed(t.Context(), "t", "4", func(string) bool { return false }, 10)
	if err != nil || len(missed) != 2 || missed[0].ID != "2" || !missed[1].Own || missed[1].ID != "3" {
		t.Errorf("missed %+v, %v", missed, err)
	}
}

// TestMissedReadsNoRunOfAnAnswer: the last answer, after each message that the agent knows, is seen by its question.
func TestMissedReadsNoRunOfAnAnswer(t *testing.T) {
	t.Parallel()
	answer, read := said("2", "", "It is at nine."), 0
	answer.Own, answer.Run = true, bot.RunID("1")
	r := thread{entries: []bot.Entry{said("1", "U1", "When is the ferry?"), answer, said("3", "U1", "And the bus?")}, read: &read}
	missed, err := history.New(r).Missed(t.Context(), "t", "3", func(id string) bool { return id == "1" }, 10)
	if err != nil || len(missed) != 0 || read != 0 {
		t.Errorf("missed %+v, %v, after %d reads", missed, err, read)
	}
}

// TestMissedTellsOfWhatARuleAnswered: a reminder is told of as its author's own. The answer of a rule may quote others, and that of
// an agent anybody.
func TestMissedTellsOfWhatARuleAnswered(t *testing.T) {
	t.Parallel()
	for trace, by := range map[string]string{
		`[{"kind":"custom","name":"ruled"}]`: "slack/T/U1", `[{"kind":"status"}]`: "",
		`[{"kind":"custom","name":"ruled"},{"kind":"node_start"}]`: "", // an agent answered after all
	} {
		asked, answer := said("1", "U1", "Remind me to leave at five."), said("2", "", "Scheduled: leave.")
		asked.User, asked.Thread, answer.Own, answer.Run = "U1", "slack/T/C/1", true, bot.RunID("1")
		r := thread{
			entries: []bot.Entry{asked, answer, said("3", "U1", "What did I just ask you?")},
			runs:    map[string]bot.Run{bot.RunID("1"): {ID: bot.RunID("1"), Status: bot.RunDone, Trace: []byte(trace)}},
		}
		missed, err := history.New(r).Missed(t.Context(), "t", "3", func(string) bool { return false }, 10)
		if err != nil || len(missed) != 2 || missed[0].ID != "1" || missed[0].By != by || !missed[1].Own || missed[1].By != "" {
			t.Errorf("%s: missed %+v, %v, want them of %q", trace, missed, err, by)
		}
	}
}

// TestMissedTellsOfReminders: one that was due answers nobody, and its thread has it like the others. It is told once.
func TestMissedTellsOfReminders(t *testing.T) {
	t.Parallel()
	due, answer := said("r1", "", "Reminder: call Kim"), said("r2", "", "It is at nine.")
	due.Own, due.Run, answer.Own, answer.Run = true, "r1", true, "r2"
	r := thread{
		entries: []bot.Entry{said("1", "U1", "When is the ferry?"), answer, due, said("2", "U1", "What was that about?")},
		runs:    map[string]bot.Run{"r1": {ID: "r1", Trace: []byte(`[{"kind":"custom","name":"unasked"}]`)}, "r2": {ID: "r2", Trace: []byte(`[{"kind":"status"}]`)}},
	}
	known := func(id string) bool { return id == "1" }
	if missed, err := history.New(r).Missed(t.Context(), "t", "2", known, 10); err != nil || len(missed) != 1 || missed[0].ID != "r1" || !missed[0].Own {
		t.Errorf("missed %+v, %v", missed, err)
	}
	r.entries = append(r.entries, said("3", "U1", "Thanks"))
	known = func(id string) bool { return id == "2" }
	if missed, err := history.New(r).Missed(t.Context(), "t", "3", known, 10); err != nil || len(missed) != 0 {
		t.Errorf("missed again %+v, %v", missed, err)
	}
}
