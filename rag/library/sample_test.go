package library_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"maru/bot"
	"maru/rag"
	"maru/rag/library"
)

// sample is a handbook of one page.
var sample = fstest.MapFS{"leave.md": {Data: []byte("# Leave\n\nEverybody has 15 days of annual leave a year.\n")}}

// found asks for the days of leave and names the documents of the answer.
func (w *world) found(t *testing.T, scopes ...string) string {
	t.Helper()
	hits, err := w.lib.Search(t.Context(), rag.Query{Text: "How many days of annual leave?", Scopes: scopes, Threshold: -1})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range hits {
		out = append(out, h.Document.Source)
	}
	return strings.Join(out, " ")
}

// add adds a document of the team's own.
func (w *world) add(t *testing.T, scope, name string) rag.Document {
	t.Helper()
	doc, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: scope, Name: name, By: "u1", Body: strings.NewReader("# Our leave\n\nWe have 25 days of annual leave.\n")})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestTheSampleGivesWayToOwnDocuments searches the sample only in scopes without a document of the team's own.
func TestTheSampleGivesWayToOwnDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.lib.AddSample(t.Context(), sample); err != nil {
		t.Fatal(err)
	}
	const channel, other = "channel:web/main/c1", "channel:web/main/c2"
	expect := func(what, want string, scopes ...string) {
		t.Helper()
		if got := w.found(t, scopes...); got != want {
			t.Errorf("%s: found %q, want %q", what, got, want)
		}
	}
	expect("nothing of one's own", "handbook/leave.md", bot.ScopePublic, channel)
	expect("without the public scope", "", channel)
	if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: channel, Name: "note.md", By: bot.NotePrefix + "web/main/u1", Body: strings.NewReader("the stand-up is at 10")}); err != nil {
		t.Fatal(err)
	}
	expect("a note alone", "handbook/leave.md", bot.ScopePublic, channel)
	if _, err := w.lib.Remove(t.Context(), []string{channel}, rag.DocumentID(channel, "note.md")); err != nil {
		t.Fatal(err)
	}
	own := w.add(t, channel, "handbook/ours.md")
	expect("a document of the channel", "handbook/ours.md", bot.ScopePublic, channel)
	expect("another channel", "handbook/leave.md", bot.ScopePublic, other)
	if docs, err := w.lib.Documents(t.Context(), []string{bot.ScopePublic, channel}); err != nil || len(docs) != 1 {
		t.Errorf("the list names %v (%v), want the own document alone", docs, err)
	}
	id := rag.DocumentID(rag.ScopeSample, "handbook/leave.md")
	if _, _, err := w.lib.Passage(t.Context(), []string{bot.ScopePublic, channel}, id+"#0"); err != nil {
		t.Errorf("a citation of the sample cannot be opened any more: %v", err)
	}
	if err := w.lib.AddSample(t.Context(), sample); err != nil { // at the next start
		t.Fatal(err)
	}
	if _, err := w.lib.Remove(t.Context(), []string{channel}, own.ID); err != nil {
		t.Fatal(err)
	}
	expect("the own document removed", "handbook/leave.md", bot.ScopePublic, channel)
	w.add(t, bot.ScopePublic, "handbook/everybody.md")
	expect("a public document", "handbook/everybody.md", bot.ScopePublic, other)
}

// TestTheSampleStaysAway switches the sample off and on again, over restarts.
func TestTheSampleStaysAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// Earlier versions of the program had it in the public scope.
	if _, err := w.lib.AddBundled(t.Context(), bot.ScopePublic, []library.Bundled{{Name: "handbook/leave.md", Data: []byte("# Leave\n\n15 days of annual leave.\n")}}); err != nil {
		t.Fatal(err)
	}
	start := func(what, want string) {
		t.Helper()
		if err := w.lib.AddSample(t.Context(), sample); err != nil {
			t.Fatal(err)
		}
		if got := w.found(t, bot.ScopePublic); got != want {
			t.Errorf("%s: found %q, want %q", what, got, want)
		}
	}
	start("a record of an earlier version", "handbook/leave.md")
	if err := w.lib.SetSample(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if got := w.found(t, bot.ScopePublic); got != "" {
		t.Errorf("off: found %q", got)
	}
	start("off, next start", "")
	if docs, err := w.lib.Documents(t.Context(), []string{bot.ScopePublic}); err != nil || len(docs) != 0 {
		t.Errorf("off: the list names %v (%v)", docs, err)
	}
	if err := w.lib.SetSample(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	start("on again", "handbook/leave.md")
}
