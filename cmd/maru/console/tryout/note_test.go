package tryout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/web/site"
	"maru/agent"
	"maru/bot"
	"maru/bot/overview"
	"maru/bot/rehearsal"
	"maru/config"
)

// memory is a record of notes, and of answered questions that may be deleted.
type memory struct {
	mu      sync.Mutex
	notes   map[string]string
	deleted map[string]bool
}

func (m *memory) Note(_ context.Context, key string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.notes[key], nil
}

func (m *memory) SetNote(_ context.Context, key, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes[key] = value; value == "" {
		delete(m.notes, key)
	}
	return nil
}

func (m *memory) NotesOf(_ context.Context, keys []string) (map[string]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]string{}
	for _, k := range keys {
		if v := m.notes[k]; v != "" {
			out[k] = v
		}
	}
	return out, nil
}

func (m *memory) FirstNote(_ context.Context, key, value string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes[key] == "" {
		m.notes[key] = value
	}
	return m.notes[key], nil
}

func (m *memory) RunByID(_ context.Context, id string) (bot.Run, error) {
	trace, err := json.Marshal([]agent.Event{{Kind: agent.EventCustom}})
	return bot.Run{ID: id, Thread: "slack/T1/C1/" + id, Status: bot.RunDone, Trace: trace}, err
}

func (m *memory) Transcript(_ context.Context, thread string, _ int) ([]bot.Entry, error) {
	run := thread[strings.LastIndex(thread, "/")+1:]
	return []bot.Entry{{ID: "q" + run, Text: "how many?", User: "U1", Deleted: m.deleted[run]}, {ID: run, Own: true, Text: "15"}}, nil
}

func (m *memory) Reply(_ context.Context, run string) (bot.Reply, error) {
	return bot.Reply{Item: "q" + run}, nil
}
func (m *memory) Private(context.Context, string) (bool, error)               { return false, nil }
func (m *memory) SettingsOf(context.Context, []string) ([]bot.Setting, error) { return nil, nil }
func (m *memory) ListRuns(context.Context, overview.RunQuery) ([]overview.Run, error) {
	return nil, nil
}
func (m *memory) RunApprovals(context.Context, string, string, int) ([]bot.Approval, error) {
	return nil, nil
}

// TestOneReplicaPlays: of two that want to, one does; the other takes over when the first has been silent for a while, and the first
// then gives up.
func TestOneReplicaPlays(t *testing.T) {
	t.Parallel()
	m := &memory{notes: map[string]string{}}
	now := time.Now()
	room := func(name string) *Room {
		return Over(nil, Config{Record: m, Me: name, Now: func() time.Time { return now }}).Room
	}
	one, two := room("one"), room("two")
	r := row{ID: "a", State: site.RehearsalRuns, Stint: 1}
	claim := func(by *Room) int {
		t.Helper()
		n, _, err := by.claim(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if a, b := claim(one), claim(two); a != 1 || b != 0 {
		t.Fatalf("leases %d and %d", a, b)
	}
	h := &heart{room: one, id: "a", pulse: pulse{Lease: 1, Stint: 1}, began: now}
	for range 3 { // it lives
		now = now.Add(stale - time.Second)
		if err := h.check(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := claim(two); n != 0 {
			t.Fatalf("the other has lease %d", n)
		}
	}
	now = now.Add(stale)
	if n := claim(two); n != 2 {
		t.Fatalf("it is not taken over: %d", n)
	}
	if err := h.check(t.Context()); !errors.Is(err, errLost) {
		t.Errorf("the first goes on: %v", err)
	}
	two.cfg.Alone = true
	if n := claim(two); n != 3 { // after a restart, where there is no other process
		t.Errorf("it waits alone: %d", n)
	}
}

func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	m := &memory{notes: map[string]string{}, deleted: map[string]bool{}}
	n := notes{m}
	add := func(i int, state string) error {
		return n.add(t.Context(), row{ID: fmt.Sprint("h", i), State: state, At: time.Unix(int64(i), 0)}, change{Text: "{}"})
	}
	for i := range mostKept {
		if err := add(i, map[bool]string{true: site.RehearsalDraft, false: site.RehearsalEnded}[i == 7]); err != nil {
			t.Fatal(err)
		}
	}
	if err := add(20, site.RehearsalEnded); err != nil { // the draft gives way
		t.Fatal(err)
	}
	if _, _, err := n.one(t.Context(), "h7"); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("the draft: %v", err)
	}
	if err := add(21, site.RehearsalEnded); !errors.Is(err, errFull) || m.notes[partKey("h21", "change")] != "" {
		t.Errorf("one too many: %v", err)
	}
	r, _, err := n.one(t.Context(), "h3")
	if err != nil {
		t.Fatal(err)
	}
	r.Runs, r.Chosen = []string{"r1", "r2"}, true
	j, err := n.journal(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range r.Runs {
		if err := j.Add(rehearsal.Outcome{Run: run, After: rehearsal.Answer{Text: "secret"}}); err != nil {
			t.Fatal(err)
		}
	}
	m.deleted["r1"] = true
	if err := n.prune(t.Context(), r); err != nil || m.notes[outcomeKey("h3", "r1")] != "" || m.notes[outcomeKey("h3", "r2")] == "" {
		t.Errorf("outcomes of deleted questions: %v %q", err, m.notes)
	}
	all, err := n.list(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if one.ID == r.ID {
			one.Runs = r.Runs
		}
		if err := n.forget(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.notes) > 0 {
		t.Errorf("left behind: %q", m.notes)
	}
}

// dead is a memory of notes whose process dies before its nth change.
type dead struct {
	*memory

	left int
}

func (d *dead) SetNote(ctx context.Context, key, value string) error {
	if d.left--; d.left < 0 {
		return errors.New("killed")
	}
	return d.memory.SetNote(ctx, key, value)
}

// TestForgottenHalfWay: whichever change of a discard is the last before a kill, people see the rehearsal either whole or not at
// all, and the next start leaves nothing of it.
func TestForgottenHalfWay(t *testing.T) {
	t.Parallel()
	admin := bot.User{ID: "owner", Operator: true}
	for after := 0; ; after++ {
		m := &memory{notes: map[string]string{}}
		d := &dead{m, 1 << 20}
		room := Over(nil, Config{Record: d, Now: func() time.Time { return time.Unix(9, 0) }, Settings: func() config.Config { return config.Config{} }}).Room
		kept := row{ID: "a", Kind: site.RehearsesSettings, State: site.RehearsalEnded, At: time.Unix(8, 0), Runs: []string{"r1", "r2"}, Chosen: true}
		if err := room.notes.add(t.Context(), kept, change{}); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{leaseKey("a", 1), leaseKey("a", 2), leaseKey("a", 3), partKey("a", "pulse"), outcomeKey("a", "r1"), outcomeKey("a", "r2")} {
			if err := m.SetNote(t.Context(), key, "{}"); err != nil {
				t.Fatal(err)
			}
		}
		d.left = after
		_, err := room.ActOnRehearsal(t.Context(), admin, bot.Thread{}, "a", site.RehearsalDiscard, site.RehearsalBounds{})
		if d.left = 1 << 20; err == nil {
			if after < 9 {
				t.Errorf("only %d changes", after)
			}
			return
		}
		list, err := room.ListRehearsals(t.Context(), admin)
		if want := after == 0; err != nil || len(list) > 0 != want {
			t.Errorf("after %d changes: %d are shown, %v", after, len(list), err)
		}
		if after == 0 {
			continue
		}
		if err := room.sweep(t.Context()); err != nil || len(m.notes) > 0 {
			t.Errorf("after %d changes: left %q, %v", after, m.notes, err)
		}
	}
}

// TestSettingsAreTheSame as values, however they are written.
func TestSettingsAreTheSame(t *testing.T) {
	t.Parallel()
	set := func(value string) []bot.Setting {
		s := bot.Setting{Place: "slack/T1", Key: "agent"}
		if value != "" {
			s.Value = json.RawMessage(value)
		}
		return []bot.Setting{s}
	}
	for _, c := range []struct {
		a, b []bot.Setting
		want bool
	}{
		{set(`{"a": 1, "b": 2}`), set(`{"b":2,"a":1}`), true}, {set(`"chat"`), set(`"guide"`), false}, {set(""), nil, true}, {set(`"chat"`), nil, false}, {nil, set(`"chat"`), false},
	} {
		if got := same(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
	undone := back(change{Settings: append(set(`"guide"`), bot.Setting{Place: "slack/T1", Key: "persona", Value: json.RawMessage(`"x"`)}), Held: set(`"chat"`)})
	if len(undone) != 2 || string(undone[0].Value) != `"chat"` || undone[1].Value != nil {
		t.Errorf("undone by %+v", undone)
	}
}
