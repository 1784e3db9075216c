package console_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"maru/adapters/web"
	"maru/bot"
	"maru/memory/longterm"
)

// noted stores a note of a channel, as its command does.
func (o office) noted(t testing.TB, at bot.Thread, words string) {
	t.Helper()
	u := bot.User{ID: "U1", Name: "alice"}
	if _, err := o.docs.Add(t.Context(), bot.NewDocument{Scope: at.ChannelScope(), Name: "note-" + at.Channel + ".md", By: at.NoteBy(u), Body: strings.NewReader(words)}); err != nil {
		t.Fatal(err)
	}
}

func TestMemoryIsThePersonsOwn(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	other := bot.User{ID: "U1", Locale: "en"}
	for who, words := range map[string]string{home.Person(operator): "short answers", channel.Person(other): "long answers"} {
		owner := longterm.Owner{Workspace: "w", Person: who, Scopes: []string{bot.ScopePublic}, Home: bot.ScopePublic}
		if err := o.memory.Prefer(t.Context(), owner, "s", time.Now(), longterm.PreferenceLesson{Type: longterm.Like, Subject: "length", Value: words, Quote: words}); err != nil {
			t.Fatal(err)
		}
	}
	list, state, err := o.ListMemory(t.Context(), operator, home)
	if err != nil || len(list) != 1 || !strings.Contains(list[0].Text, "short answers") || state == "" {
		t.Fatalf("remembered %+v, %q, %v", list, state, err)
	}
	theirs, _, err := o.ListMemory(t.Context(), other, channel)
	if err != nil || len(theirs) != 1 {
		t.Fatalf("remembered %+v, %v", theirs, err)
	}
	if _, err := o.ForgetMemory(t.Context(), operator, home, theirs[0].ID); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("another person's memory: %v", err)
	}
	if said, err := o.ForgetMemory(t.Context(), operator, home, list[0].ID); err != nil || said == "" {
		t.Errorf("forgot: %q, %v", said, err)
	}
	if list, _, err := o.ListMemory(t.Context(), operator, home); len(list) != 0 || err != nil {
		t.Errorf("still remembered %+v, %v", list, err)
	}
	if theirs, _, err := o.ListMemory(t.Context(), other, channel); len(theirs) != 1 || err != nil {
		t.Errorf("remembered of the other %+v, %v", theirs, err)
	}
}

// TestMemoryOfBothPlaces: the page of somebody who signed in lists what was learned in their workspace and on the console.
func TestMemoryOfBothPlaces(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	by, from := bot.User{ID: "U1", Operator: true, Locale: "en"}, bot.Thread{Platform: "slack", Team: "T1"}
	for _, at := range []bot.Thread{from, web.HomeOf(from, by.ID)} {
		owner := longterm.Owner{Workspace: "w", Person: at.Person(by), Scopes: []string{bot.ScopePublic}, Home: bot.ScopePublic}
		if err := o.memory.Prefer(t.Context(), owner, "s", time.Now(), longterm.PreferenceLesson{Type: longterm.Like, Subject: "length", Value: at.Team, Quote: at.Team}); err != nil {
			t.Fatal(err)
		}
	}
	list, state, err := o.ListMemory(t.Context(), by, from)
	if err != nil || len(list) != 2 || state == "" {
		t.Fatalf("remembered %+v, %q, %v", list, state, err)
	}
	for _, l := range list {
		if said, err := o.ForgetMemory(t.Context(), by, from, l.ID); err != nil || said == "" {
			t.Errorf("forgot %s: %q, %v", l.Text, said, err)
		}
	}
	if list, _, err := o.ListMemory(t.Context(), by, from); len(list) != 0 || err != nil {
		t.Errorf("still remembered %+v, %v", list, err)
	}
}

func TestNotesOfChannelsAreListedAndRemoved(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.ran(t, "m1", private)
	o.noted(t, channel, "the stand-up is at 10")
	o.noted(t, private, "my secret")
	list, total, err := o.ListNotes(t.Context(), operator, home, 0, 10)
	if err != nil || total != 1 || len(list) != 1 || list[0].Words != "the stand-up is at 10" {
		t.Fatalf("notes %+v of %d, %v", list, total, err)
	}
	if _, err := o.ForgetNote(t.Context(), operator, home, private.ChannelScope(), "x"); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("a private note: %v", err)
	}
	if said, err := o.ForgetNote(t.Context(), operator, home, list[0].Scope, list[0].ID); err != nil || said == "" {
		t.Errorf("removed: %q, %v", said, err)
	}
	if _, total, err := o.ListNotes(t.Context(), operator, home, 0, 10); total != 0 || err != nil {
		t.Errorf("%d notes are left, %v", total, err)
	}
	entries, err := o.record.AuditTail(t.Context(), "slack/T1", 10)
	if err != nil || len(entries) != 1 || entries[0].What != "noted.remove" || entries[0].Who != "owner" {
		t.Errorf("audited %+v, %v", entries, err)
	}
}
