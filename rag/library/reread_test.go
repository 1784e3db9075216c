package library_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"maru/bot"
	"maru/rag"
)

// aged puts a document of the index back as an older program would have read it.
func (r rereading) aged(name string, reader int, text string) {
	r.t.Helper()
	doc, err := r.w.lib.Document(r.t.Context(), []string{bot.ScopePublic}, rag.DocumentID(bot.ScopePublic, name))
	if err != nil {
		r.t.Fatalf("%s: %v", name, err)
	}
	doc, chunks := rag.Own(doc, []rag.Chunk{{Text: text, End: len(text)}}, doc.Scope)
	doc.Reader = reader
	if err := r.w.lib.Put(r.t.Context(), doc, chunks); err != nil {
		r.t.Fatal(err)
	}
}

// says returns the text of a document.
func (r rereading) says(name string) (rag.Document, string) {
	r.t.Helper()
	chunks, doc, err := r.w.lib.Passages(r.t.Context(), []string{bot.ScopePublic}, rag.DocumentID(bot.ScopePublic, name), 0, 10)
	if err != nil {
		r.t.Fatal(err)
	}
	var text []string
	for _, c := range chunks {
		text = append(text, c.Text)
	}
	return doc, strings.Join(text, "\n")
}

// rereading is a world whose loader notes what it reads.
type rereading struct {
	t *testing.T
	w *world
}

// outdated reports whether the loader reads a document better than it was read.
func (r rereading) outdated(d rag.Document) bool { return d.Reader < r.w.loader.Version(d.MIME) }

// TestDocumentsAreReadAgainByABetterReader: what an older program has read serves until this
// one has read it, which it does at the next look, once, and without making it newer. A reader that is newer than
// this one is not undone, and one that refuses the file takes nothing away.
func TestDocumentsAreReadAgainByABetterReader(t *testing.T) {
	t.Parallel()
	w, docs, holds, _ := followed(t)
	r := rereading{t, w}
	for i := range 3 {
		write(t, filepath.Join(docs, fmt.Sprintf("%d.md", i)), fmt.Sprintf("# Ferry\n\nFerry %d leaves at seven.", i))
	}
	const all = "docs/0.md Ferry, docs/1.md Ferry, docs/2.md Ferry"
	holds("first look", all)
	before, _ := r.says("docs/0.md")
	if before.Reader == 0 || r.outdated(before) {
		t.Fatalf("read by version %d", before.Reader)
	}
	r.aged("docs/0.md", 0, "as read long ago")
	r.aged("docs/1.md", before.Reader-1, "as read of late")
	r.aged("docs/2.md", before.Reader+1, "as read by a program to come")
	if doc, text := r.says("docs/0.md"); text != "as read long ago" || !r.outdated(doc) {
		t.Errorf("%q of version %d", text, doc.Reader)
	}
	w.loader.fail = errors.New("out of luck")
	holds("reading fails", all)
	if _, text := r.says("docs/0.md"); text != "as read long ago" {
		t.Errorf("after a failure it says %q", text)
	}
	w.loader.read, w.loader.fail = nil, nil
	for range 2 {
		holds("read again", all)
		if got := strings.Join(w.loader.read, " "); got != "docs/0.md docs/1.md" {
			t.Errorf("read again: %s", got)
		}
	}
	for name, want := range map[string]string{"docs/0.md": "Ferry 0 leaves at seven.", "docs/1.md": "Ferry 1 leaves at seven.", "docs/2.md": "as read by a program to come"} {
		doc, text := r.says(name)
		if text != want || name == "docs/0.md" && !doc.At.Equal(before.At) {
			t.Errorf("%s says %q, of %s, want %q of %s", name, text, doc.At, want, before.At)
		}
	}
}
