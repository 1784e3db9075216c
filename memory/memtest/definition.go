package memtest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"maru/bot"
	"maru/bot/definition"
)

// definitions returns the part of a record that keeps workflows: every record has it.
func definitions(t *testing.T, r bot.Record) definition.Store {
	t.Helper()
	s, ok := r.(definition.Store)
	if !ok {
		t.Fatalf("%T keeps no definitions", r)
	}
	return s
}

func saveVersion(t *testing.T, s definition.Store, v definition.Version) {
	t.Helper()
	noErr(t, fmt.Sprintf("save version %d of %s", v.N, v.ID), s.SaveDefinition(t.Context(), v))
}

// audited lists what was noted about workflows, newest first.
func audited(t *testing.T, r bot.Record) (out []string) {
	t.Helper()
	list, err := r.AuditTail(t.Context(), definition.Team, 100)
	noErr(t, "audit", err)
	for _, e := range list {
		out = append(out, e.Who+" "+e.What+" "+string(e.Detail))
	}
	return out
}

var definitionCases = map[string]func(*testing.T, bot.Record){
	"the_newest_version_of_each_is_listed": func(t *testing.T, r bot.Record) {
		s := definitions(t, r)
		saveVersion(t, s, definition.Version{ID: "triage", N: 1, Text: `{"id":"triage"}`, By: "web/local/admin"})
		saveVersion(t, s, definition.Version{ID: "triage", N: 2, Text: `{"id":"triage","name":"분류"}`, By: "slack/T1/U2", At: dueAt})
		saveVersion(t, s, definition.Version{ID: "answers", N: 1, Text: `{"id":"answers"}`, By: "U3"})
		list, err := s.Definitions(t.Context())
		noErr(t, "list", err)
		if len(list) != 2 || list[0].ID != "answers" || list[1].N != 2 || list[1].Text != `{"id":"triage","name":"분류"}` || list[1].By != "slack/T1/U2" || !list[1].At.Equal(dueAt) || list[0].At.IsZero() {
			t.Errorf("%+v", list)
		}
		first, err := s.DefinitionVersion(t.Context(), "triage", 1)
		noErr(t, "first version", err)
		equal(t, "its text", first.Text, `{"id":"triage"}`)
		for _, n := range []int64{0, 3} {
			_, err = s.DefinitionVersion(t.Context(), "triage", n)
			wantErr(t, fmt.Sprint("version ", n), err, bot.ErrNotFound)
		}
	},
	"versions_come_newest_first_and_say_what_they_are": func(t *testing.T, r bot.Record) {
		s := definitions(t, r)
		saveVersion(t, s, definition.Version{ID: "triage", N: 1, Text: "a", By: "U1"})
		saveVersion(t, s, definition.Version{ID: "triage", N: 2, By: "U2"})
		saveVersion(t, s, definition.Version{ID: "triage", N: 3, Text: "a", By: "U1", Restores: 1})
		list, err := s.DefinitionVersions(t.Context(), "triage", 10)
		noErr(t, "versions", err)
		if len(list) != 3 || list[0].N != 3 || list[0].Restores != 1 || !list[1].Removed() || list[2].Removed() {
			t.Errorf("%+v", list)
		}
		if list, err = s.DefinitionVersions(t.Context(), "triage", 1); err != nil || len(list) != 1 || list[0].N != 3 {
			t.Errorf("the newest: %+v, %v", list, err)
		}
		got := audited(t, r)
		for i, want := range []string{
			`U1 workflow.restore {"workflow":"triage","version":3,"restores":1}`, `U2 workflow.remove {"workflow":"triage","version":2}`, `U1 workflow.save {"workflow":"triage","version":1}`,
		} {
			equal(t, "audit entry", got[i], want)
		}
	},
	"an_old_editor_saves_nothing": func(t *testing.T, r bot.Record) {
		s := definitions(t, r)
		saveVersion(t, s, definition.Version{ID: "triage", N: 1, Text: "a", By: "U1"})
		for _, n := range []int64{-1, 0, 1, 3} {
			wantErr(t, fmt.Sprint("version ", n), s.SaveDefinition(t.Context(), definition.Version{ID: "triage", N: n, Text: "b", By: "U2"}), definition.ErrChanged)
		}
		list, err := s.Definitions(t.Context())
		noErr(t, "list", err)
		equal(t, "text", list[0].Text, "a")
		equal(t, "audit entries", len(audited(t, r)), 1)
	},
	"one_of_many_saves_the_next_version": func(t *testing.T, r bot.Record) {
		s := definitions(t, r)
		saveVersion(t, s, definition.Version{ID: "triage", N: 1, Text: "a", By: "U1"})
		var all sync.WaitGroup
		var mu sync.Mutex
		saved := 0
		for i := range 8 {
			all.Go(func() {
				err := s.SaveDefinition(t.Context(), definition.Version{ID: "triage", N: 2, Text: fmt.Sprint("b", i), By: "U1"})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					saved++
				} else if !errors.Is(err, definition.ErrChanged) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		equal(t, "saved", saved, 1)
		equal(t, "audit entries", len(audited(t, r)), 2)
	},
}
