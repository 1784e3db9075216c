package memtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot"
	"maru/rag/source"
)

// sources returns the part of a record that keeps sources: every record has it.
func sources(t *testing.T, r bot.Record) source.Store {
	t.Helper()
	s, ok := r.(source.Store)
	if !ok {
		t.Fatalf("%T keeps no sources", r)
	}
	return s
}

func putSource(t *testing.T, s source.Store, r source.Row) source.Row {
	t.Helper()
	v, err := s.PutSource(t.Context(), r)
	noErr(t, "put source", err)
	r.Version = v
	return r
}

// handbookSource returns a row as the configuration makes it.
func handbookSource(name string) source.Row {
	return source.Row{Name: name, Team: "slack/T1", File: true, Created: dueAt, Spec: source.Spec{
		Kind: source.Website, URL: "https://docs.example.com/", Scope: "public", Every: time.Hour, Pages: 10,
	}}
}

// leaseSource leases a source to an owner for a minute.
func leaseSource(t *testing.T, s source.Store, name, owner string, now time.Time) bool {
	t.Helper()
	_, ok, err := s.LeaseSource(t.Context(), name, owner, now, now.Add(time.Minute))
	noErr(t, "lease source", err)
	return ok
}

func pages(state source.State, sweep int64, ids ...string) []source.Entry {
	var out []source.Entry
	for _, id := range ids {
		out = append(out, source.Entry{Item: source.Item{ID: id, URL: "https://docs.example.com/" + id}, State: state, Sweep: sweep})
	}
	return out
}

func itemIDs(t *testing.T, s source.Store, q source.Query) string {
	t.Helper()
	list, err := s.SourceItems(t.Context(), "docs", q)
	noErr(t, "items", err)
	var ids []string
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	return strings.Join(ids, " ")
}

var sourceCases = map[string]func(*testing.T, bot.Record){
	"a_row_comes_back_whole": func(t *testing.T, r bot.Record) {
		s := sources(t, r)
		putSource(t, s, handbookSource("wiki"))
		want := putSource(t, s, handbookSource("docs"))
		list, err := s.Sources(t.Context())
		noErr(t, "list", err)
		if len(list) != 2 || list[0].Name != "docs" || list[1].Name != "wiki" {
			t.Fatalf("%+v", list)
		}
		got := list[0]
		if got.Version != want.Version || got.Spec != want.Spec || got.Team != want.Team || !got.File || !got.Created.Equal(want.Created) {
			t.Errorf("%+v, want %+v", got, want)
		}
	},
	"only_the_next_version_replaces_a_row": func(t *testing.T, r bot.Record) {
		s := sources(t, r)
		row := putSource(t, s, handbookSource("docs"))
		if _, err := s.PutSource(t.Context(), handbookSource("docs")); !errors.Is(err, source.ErrChanged) {
			t.Errorf("a second new row: %v", err)
		}
		old := row
		row.Paused = true
		row = putSource(t, s, row)
		if _, err := s.PutSource(t.Context(), old); !errors.Is(err, source.ErrChanged) {
			t.Errorf("an old version: %v", err)
		}
		if list, err := s.Sources(t.Context()); err != nil || !list[0].Paused || list[0].Version != row.Version {
			t.Errorf("%+v, %v", list, err)
		}
	},
	"one_of_many_gets_the_lease": func(t *testing.T, r bot.Record) {
		s := sources(t, r)
		putSource(t, s, handbookSource("docs"))
		var won atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				_, ok, err := s.LeaseSource(t.Context(), "docs", fmt.Sprint("p", i), dueAt, dueAt.Add(time.Minute))
				if err != nil {
					t.Error(err)
				}
				if ok {
					won.Add(1)
				}
			})
		}
		if all.Wait(); won.Load() != 1 {
			t.Errorf("%d owners", won.Load())
		}
	},
	"a_lease_is_renewed_given_back_and_taken_over_when_it_ends": func(t *testing.T, r bot.Record) {
		s := sources(t, r)
		putSource(t, s, handbookSource("docs"))
		if leaseSource(t, s, "none", "a", dueAt) {
			t.Error("a lease of nothing")
		}
		if !leaseSource(t, s, "docs", "a", dueAt) || !leaseSource(t, s, "docs", "a", dueAt.Add(30*time.Second)) {
			t.Error("the owner cannot renew")
		}
		if leaseSource(t, s, "docs", "b", dueAt.Add(80*time.Second)) {
			t.Error("another has a lease that was renewed")
		}
		if !leaseSource(t, s, "docs", "b", dueAt.Add(90*time.Second)) {
			t.Error("a lease that has ended is not taken over")
		}
		noErr(t, "free another's", s.FreeSource(t.Context(), "docs", "a"))
		if leaseSource(t, s, "docs", "c", dueAt.Add(91*time.Second)) {
			t.Error("one who lost it gave it back")
		}
		noErr(t, "free", s.FreeSource(t.Context(), "docs", "b"))
		if !leaseSource(t, s, "docs", "c", dueAt.Add(91*time.Second)) {
			t.Error("a lease that was given back is not free")
		}
	},
	"writes_of_one_who_lost_the_lease_change_nothing": func(t *testing.T, r bot.Record) {
		s := sources(t, r)
		putSource(t, s, handbookSource("docs"))
		leaseSource(t, s, "docs", "a", dueAt)
		leaseSource(t, s, "docs", "b", dueAt.Add(time.Hour))
		for what, err := range map[string]error{
			"save":   s.SaveSource(t.Context(), "docs", "a", source.Progress{Sweep: 9}, pages(source.Pending, 1, "x"), nil),
			"revive": s.ReviveItems(t.Context(), "docs", "a", []source.State{source.Synced}),
			"drop":   s.DropSource(t.Context(), "docs", "a"),
		} {
			if !errors.Is(err, source.ErrLost) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if list, err := s.Sources(t.Context()); err != nil || len(list) != 1 || list[0].Progress.Sweep != 0 || itemIDs(t, s, source.Query{}) != "" {
			t.Errorf("%+v, %v", list, err)
		}
	},
	"progress_and_items_are_kept_together_and_apart_from_the_row": func(t *testing.T, r bot.Record) {
		s := sources(t, r)
		row := putSource(t, s, handbookSource("docs"))
		leaseSource(t, s, "docs", "a", dueAt)
		p := source.Progress{Sweep: 1, Phase: source.Listing, Cursor: "next", Due: dueAt, Why: source.Why{"en": "away"}}
		one := pages(source.Refused, 1, "a")[0]
		one.Due, one.Tries, one.Document, one.Validators, one.Why = dueAt, 2, "d1", "etag", source.Why{"ko": "못 읽어요"}
		noErr(t, "save", s.SaveSource(t.Context(), "docs", "a", p, []source.Entry{one}, nil))
		row.Paused = true
		putSource(t, s, row)
		got, ok, err := s.LeaseSource(t.Context(), "docs", "a", dueAt, dueAt.Add(time.Minute))
		noErr(t, "lease", err)
		if !ok || !got.Paused || got.Progress.Cursor != "next" || got.Progress.Phase != source.Listing || !got.Progress.Due.Equal(dueAt) || got.Progress.Why["en"] != "away" {
			t.Errorf("%+v", got)
		}
		list, err := s.SourceItems(t.Context(), "docs", source.Query{})
		noErr(t, "items", err)
		if len(list) != 1 {
			t.Fatalf("%+v", list)
		}
		if e := list[0]; e.ID != "a" || e.URL != one.URL || e.State != source.Refused || e.Sweep != 1 || !e.Due.Equal(dueAt) || e.Tries != 2 || e.Document != "d1" || e.Validators != "etag" || e.Why["ko"] != "못 읽어요" {
			t.Errorf("%+v", e)
		}
	},
	"items_are_selected_counted_revived_and_dropped": func(t *testing.T, r bot.Record) {
		s := sources(t, r)
		putSource(t, s, handbookSource("docs"))
		putSource(t, s, handbookSource("wiki"))
		leaseSource(t, s, "docs", "a", dueAt)
		leaseSource(t, s, "wiki", "a", dueAt)
		later := pages(source.Pending, 2, "later")
		later[0].Due = dueAt.Add(time.Minute)
		put := slices.Concat(pages(source.Pending, 2, "b", "가"), pages(source.Synced, 1, "a", "c"), pages(source.Failed, 2, "d"), later)
		noErr(t, "save", s.SaveSource(t.Context(), "docs", "a", source.Progress{}, put, nil))
		noErr(t, "save", s.SaveSource(t.Context(), "wiki", "a", source.Progress{}, pages(source.Synced, 1, "a"), nil))
		for name, c := range map[string]struct {
			q    source.Query
			want string
		}{
			"all":        {source.Query{}, "a b c d later 가"},
			"pending":    {source.Query{States: []source.State{source.Pending}}, "b later 가"},
			"due":        {source.Query{States: []source.State{source.Pending}, Due: dueAt}, "b 가"},
			"before":     {source.Query{Before: 2}, "a c"},
			"some":       {source.Query{IDs: []string{"c", "b", "none"}}, "b c"},
			"none":       {source.Query{IDs: []string{}}, ""},
			"after":      {source.Query{After: "b", Limit: 2}, "c d"},
			"two states": {source.Query{States: []source.State{source.Failed, source.Synced}}, "a c d"},
		} {
			if got := itemIDs(t, s, c.q); got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
		noErr(t, "revive", s.ReviveItems(t.Context(), "docs", "a", []source.State{source.Failed, source.Synced}))
		noErr(t, "drop", s.SaveSource(t.Context(), "docs", "a", source.Progress{}, pages(source.Skipped, 3, "b"), []string{"a"}))
		n, err := s.CountItems(t.Context(), "docs")
		noErr(t, "count", err)
		if n[source.Pending] != 4 || n[source.Skipped] != 1 || len(n) != 2 {
			t.Errorf("%v", n)
		}
		if n, err := s.CountItems(t.Context(), "wiki"); err != nil || n[source.Synced] != 1 {
			t.Errorf("another source: %v, %v", n, err)
		}
		noErr(t, "drop", s.DropSource(t.Context(), "docs", "a"))
		if list, err := s.Sources(t.Context()); err != nil || len(list) != 1 || itemIDs(t, s, source.Query{}) != "" {
			t.Errorf("%+v, %v", list, err)
		}
	},
	"a_workspace_that_is_purged_takes_its_sources_along": func(t *testing.T, r bot.Record) {
		s := sources(t, r)
		other := handbookSource("wiki")
		other.Team = ""
		putSource(t, s, handbookSource("docs"))
		putSource(t, s, other)
		leaseSource(t, s, "docs", "a", dueAt)
		noErr(t, "save", s.SaveSource(t.Context(), "docs", "a", source.Progress{}, pages(source.Synced, 1, "a"), nil))
		noErr(t, "purge", r.Purge(t.Context(), "slack", "T1"))
		if list, err := s.Sources(t.Context()); err != nil || len(list) != 1 || list[0].Name != "wiki" || itemIDs(t, s, source.Query{}) != "" {
			t.Errorf("%+v, %v", list, err)
		}
	},
}
