package library_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/rag/load/loadtest"
)

// TestFolderIsFollowed changes a watched folder in every way and looks at the
// documents after each look.
func TestFolderIsFollowed(t *testing.T) {
	t.Parallel()
	w, docs, holds, _ := followed(t)
	holds("no folder", "")
	write(t, filepath.Join(docs, "a.md"), "# Ferry\n\nIt leaves at seven.")
	write(t, filepath.Join(docs, "in/b.md"), "# Bus\n\nIt leaves at eight.")
	write(t, filepath.Join(docs, "broken.pdf"), "no PDF")
	holds("first look", "docs/a.md Ferry, docs/in/b.md Bus")
	if got := w.lib.RefusedFiles(); !slices.Equal(got, []string{"docs/broken.pdf"}) {
		t.Errorf("told of %v", got)
	}
	write(t, filepath.Join(docs, "a.md"), "# Ship\n\nIt leaves at nine.")
	holds("one changed", "docs/a.md Ship, docs/in/b.md Bus")
	write(t, filepath.Join(docs, "a.md"), "")
	holds("one empty", "docs/a.md Ship, docs/in/b.md Bus")
	if err := os.RemoveAll(filepath.Join(docs, "in")); err != nil {
		t.Fatal(err)
	}
	holds("one gone", "docs/a.md Ship")
	if err := os.RemoveAll(docs); err != nil {
		t.Fatal(err)
	}
	holds("the folder is away", "docs/a.md Ship")
	if told := w.lib.Refused("ko"); !strings.Contains(strings.Join(told, "\n"), "MARU_DOCUMENTS_DIR") {
		t.Errorf("told %v", told)
	}
	write(t, filepath.Join(docs, "a.md"), "# Ship\n\nIt leaves at nine.")
	holds("it is back", "docs/a.md Ship")
	if told := w.lib.Refused("ko"); len(told) > 0 {
		t.Errorf("still told %v", told)
	}
}

// TestFolderAsPeopleWorkInIt renames, saves as editors do, writes slowly, links and deletes.
func TestFolderAsPeopleWorkInIt(t *testing.T) {
	t.Parallel()
	w, docs, holds, young := followed(t)
	at := func(name string) string { return filepath.Join(docs, name) }
	write(t, at("a.md"), "# Ferry\n\nIt leaves at seven.")
	holds("at first", "docs/a.md Ferry")

	// Saved by way of a file beside it, in the moment between and after it.
	write(t, at("a.md.sb-12ab-xyz"), "# Ship\n\nIt lea")
	write(t, at(".a.md.tmp"), "# Ship\n\nIt lea")
	if !young() || len(w.lib.RefusedFiles()) > 0 {
		t.Errorf("half of a save was read: %v", w.lib.Refused("en"))
	}
	write(t, at("a.md.sb-12ab-xyz"), "# Ship\n\nIt leaves at nine.")
	rename(t, at("a.md.sb-12ab-xyz"), at("a.md"))
	holds("saved", "docs/a.md Ship")

	rename(t, at("a.md"), at("b.md"))
	holds("renamed", "docs/b.md Ship")
	write(t, at("in/c.md"), "# Bus\n\nIt leaves at eight.")
	holds("in a folder", "docs/b.md Ship, docs/in/c.md Bus")
	rename(t, at("in"), at("out"))
	holds("folder renamed", "docs/b.md Ship, docs/out/c.md Bus")

	// A file that comes slowly is read when nobody has written to it for a while.
	write(t, at("slow.pdf"), "%PDF-1.7\n1 0 ob")
	if !young() || len(w.lib.RefusedFiles()) > 0 {
		t.Errorf("half a file was read: %v", w.lib.Refused("en"))
	}
	write(t, at("slow.pdf"), "%PDF-1.7\nnonsense\n%%EOF")
	holds("it stays broken", "docs/b.md Ship, docs/out/c.md Bus")
	if told := w.lib.Refused("ko"); len(told) != 1 || !strings.Contains(told[0], "docs/slow.pdf") || !strings.Contains(told[0], "손상") {
		t.Errorf("told %v", told)
	}
	if err := os.Remove(at("slow.pdf")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(docs), at("up")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("b.md"), at("same.md")); err != nil {
		t.Fatal(err)
	}
	holds("with links", "docs/b.md Ship, docs/out/c.md Bus, docs/same.md Ship")
	if told := w.lib.Refused("en"); len(told) != 1 || !strings.Contains(told[0], "docs/up is a link that points outside") {
		t.Errorf("told %v", told)
	}
	for _, name := range []string{"up", "same.md", "out/c.md"} {
		if err := os.Remove(at(name)); err != nil {
			t.Fatal(err)
		}
	}
	holds("deleted", "docs/b.md Ship")
	if told := w.lib.Refused("en"); len(told) > 0 {
		t.Errorf("still told %v", told)
	}
	future := time.Now().Add(48 * time.Hour) // of a server whose clock is wrong
	write(t, at("b.md"), "# Plane\n\nIt leaves at noon.")
	if err := os.Chtimes(at("b.md"), future, future); err != nil {
		t.Fatal(err)
	}
	holds("from the future", "docs/b.md Plane")
}

// TestFolderRefusals puts every file that must be refused into the watched folder. The reason
// of each is told in both languages, and they are not read again and again.
func TestFolderRefusals(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("each file is read by a process of its own")
	}
	w, docs, holds, _ := followed(t)
	write(t, filepath.Join(docs, "good.md"), "# Ferry\n\nIt leaves at seven.")
	var want []string
	for _, f := range loadtest.Refused() {
		write(t, filepath.Join(docs, f.Name), string(f.Data))
		want = append(want, "docs/"+f.Name)
	}
	holds("all of them", "docs/good.md Ferry")
	slices.Sort(want)
	if got := w.lib.RefusedFiles(); !slices.Equal(got, want) {
		t.Errorf("told of %v, want %v", got, want)
	}
	for language, todo := range map[string]string{"ko": "주세요", "en": "lease"} {
		for i, say := range w.lib.Refused(language) {
			if !strings.Contains(say, want[i]) || !strings.Contains(say, todo) && !strings.Contains(say, "I can read") {
				t.Errorf("%s: %q", language, say)
			}
		}
	}
	w.loader.read = nil
	holds("again", "docs/good.md Ferry")
	if len(w.loader.read) > 0 {
		t.Errorf("read again: %v", w.loader.read)
	}
}
