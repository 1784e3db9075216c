package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/config"
	"maru/rag"
	"maru/rag/load/loadtest"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// followed is a program with a watched folder, and what looks through it and compares the
// documents of the folder with want. A look comes long after the last change, or with young
// right after it.
func followed(t *testing.T) (a *app, docs string, holds func(when, want string), young func() bool) {
	t.Helper()
	dir := t.TempDir()
	docs = filepath.Join(dir, "docs")
	var cfg config.Config
	cfg.Store.DataDir = filepath.Join(dir, "data")
	cfg.Documents = config.Documents{MaxFile: 1 << 20, Folder: docs, Timeout: 1 << 35}
	a = &app{cfg: cfg, log: slog.New(slog.DiscardHandler)}
	if err := a.openLibrary(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.close() })
	holds = func(when, want string) {
		t.Helper()
		if a.syncFolder(t.Context(), docs, time.Now().Add(time.Hour)) {
			t.Errorf("%s: files wait", when)
		}
		if got := titles(t, a); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	return a, docs, holds, func() bool { return a.syncFolder(t.Context(), docs, time.Now()) }
}

// titles are the documents of the watched folder.
func titles(t *testing.T, a *app) string {
	t.Helper()
	list, err := a.library.Documents(t.Context(), []string{bot.ScopePublic})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range list {
		if strings.HasPrefix(d.Source, "docs/") {
			names = append(names, d.Source+" "+d.Title)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// TestFolderIsFollowed changes a watched folder in every way and looks at the
// documents after each look.
func TestFolderIsFollowed(t *testing.T) {
	t.Parallel()
	a, docs, holds, _ := followed(t)
	holds("no folder", "")
	write(t, filepath.Join(docs, "a.md"), "# Ferry\n\nIt leaves at seven.")
	write(t, filepath.Join(docs, "in/b.md"), "# Bus\n\nIt leaves at eight.")
	write(t, filepath.Join(docs, "broken.pdf"), "no PDF")
	holds("first look", "docs/a.md Ferry, docs/in/b.md Bus")
	if got := a.library.refused.names(); !slices.Equal(got, []string{"docs/broken.pdf"}) {
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
	if told := a.library.Refused("ko"); !strings.Contains(strings.Join(told, "\n"), "MARU_DOCUMENTS_DIR") {
		t.Errorf("told %v", told)
	}
	write(t, filepath.Join(docs, "a.md"), "# Ship\n\nIt leaves at nine.")
	holds("it is back", "docs/a.md Ship")
	if told := a.library.Refused("ko"); len(told) > 0 {
		t.Errorf("still told %v", told)
	}
}

// TestFolderAsPeopleWorkInIt renames, saves as editors do, writes slowly, links and deletes.
func TestFolderAsPeopleWorkInIt(t *testing.T) {
	t.Parallel()
	a, docs, holds, young := followed(t)
	at := func(name string) string { return filepath.Join(docs, name) }
	write(t, at("a.md"), "# Ferry\n\nIt leaves at seven.")
	holds("at first", "docs/a.md Ferry")

	// Saved by way of a file beside it, in the moment between and after it.
	write(t, at("a.md.sb-12ab-xyz"), "# Ship\n\nIt lea")
	write(t, at(".a.md.tmp"), "# Ship\n\nIt lea")
	if !young() || len(a.library.refused.names()) > 0 {
		t.Errorf("half of a save was read: %v", a.library.Refused("en"))
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
	if !young() || len(a.library.refused.names()) > 0 {
		t.Errorf("half a file was read: %v", a.library.Refused("en"))
	}
	write(t, at("slow.pdf"), "%PDF-1.7\nnonsense\n%%EOF")
	holds("it stays broken", "docs/b.md Ship, docs/out/c.md Bus")
	if told := a.library.Refused("ko"); len(told) != 1 || !strings.Contains(told[0], "docs/slow.pdf") || !strings.Contains(told[0], "손상") {
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
	if told := a.library.Refused("en"); len(told) != 1 || !strings.Contains(told[0], "docs/up is a link to something outside") {
		t.Errorf("told %v", told)
	}
	for _, name := range []string{"up", "same.md", "out/c.md"} {
		if err := os.Remove(at(name)); err != nil {
			t.Fatal(err)
		}
	}
	holds("deleted", "docs/b.md Ship")
	if told := a.library.Refused("en"); len(told) > 0 {
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
// of each is told in both languages, by the doctor too, and they are not read again and again.
func TestFolderRefusals(t *testing.T) {
	t.Parallel()
	unraced(t)
	a, docs, holds, _ := followed(t)
	write(t, filepath.Join(docs, "good.md"), "# Ferry\n\nIt leaves at seven.")
	var want []string
	for _, f := range loadtest.Refused() {
		if !sampled(f.Name) && f.Name != "bomb.zip" && f.Name != "locked.docx" { // each is read by a process of its own
			continue
		}
		write(t, filepath.Join(docs, f.Name), string(f.Data))
		want = append(want, "docs/"+f.Name)
	}
	holds("all of them", "docs/good.md Ferry")
	slices.Sort(want)
	if got := a.library.refused.names(); !slices.Equal(got, want) {
		t.Errorf("told of %v, want %v", got, want)
	}
	for language, todo := range map[string]string{"ko": "주세요", "en": "lease"} {
		for i, say := range a.library.Refused(language) {
			if !strings.Contains(say, want[i]) || !strings.Contains(say, todo) && !strings.Contains(say, "I can read") {
				t.Errorf("%s: %q", language, say)
			}
		}
	}
	if f := a.examineDocuments(t.Context()); !errors.Is(f.Err, bot.ErrLimited) || !strings.Contains(f.Err.Error(), "docs/bomb.zip") {
		t.Errorf("doctor: %+v", f)
	}
	var out strings.Builder
	list, err := a.library.Documents(t.Context(), []string{bot.ScopePublic})
	if err != nil {
		t.Fatal(err)
	}
	(&examination{out: &out, app: a}).folder(t.Context(), list)
	if !strings.Contains(out.String(), "docs/locked.docx is protected") || !strings.Contains(out.String(), fmt.Sprintf("files: %d, of them not readable: %d", len(want)+1, len(want))) {
		t.Errorf("maru doctor: %s", out.String())
	}
	a.library.ingest.Loader = nil // who reads one again falls over it
	holds("again", "docs/good.md Ferry")
}

// TestFolderTellsWhatIsUnreadWithin puts an archive of which a file is damaged into the watched
// folder: everybody who looks is told, after a restart too, and on the command line.
func TestFolderTellsWhatIsUnreadWithin(t *testing.T) {
	t.Parallel()
	unraced(t)
	a, docs, holds, _ := followed(t)
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, text := range map[string]string{"ferry.md": "# Ferry\n\nIt leaves at seven.", "torn.pdf": "%PDF-1.7\nnonsense\n%%EOF"} {
		if f, err := z.Create(name); err != nil {
			t.Fatal(err)
		} else if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(docs, "team.zip"), archive.String())
	holds("first look", "docs/team.zip team")
	for range 2 { // new and unchanged
		if f := a.examineDocuments(t.Context()); !errors.Is(f.Err, bot.ErrLimited) || !strings.Contains(f.Err.Error(), "docs/team.zip/torn.pdf") {
			t.Errorf("doctor: %+v", f)
		}
		list, err := a.library.Documents(t.Context(), []string{bot.ScopePublic})
		if err != nil {
			t.Fatal(err)
		}
		for _, docs := range [][]rag.Document{list, nil} { // known, and read for the first time
			var out strings.Builder
			(&examination{out: &out, app: a}).folder(t.Context(), docs)
			if !strings.Contains(out.String(), "docs/team.zip/torn.pdf") || !strings.Contains(out.String(), "not readable within archives: 1") {
				t.Errorf("maru doctor: %s", out.String())
			}
		}
		if err := a.close(); err != nil {
			t.Fatal(err)
		}
		if err := a.openLibrary(t.Context()); err != nil {
			t.Fatal(err)
		}
		holds("after a restart", "docs/team.zip team")
	}
	for _, status := range []string{"1 added", "1 unchanged"} {
		code, stdout, _ := runHere(t, "", []string{"DATA_DIR=" + filepath.Join(docs, "..", "other")}, "ingest", filepath.Join(docs, "team.zip"))
		if code != 0 || !strings.Contains(stdout, status) || !strings.Contains(stdout, "✗ team.zip/torn.pdf") {
			t.Errorf("exit %d: %s", code, stdout)
		}
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestIngestSync(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	write(t, filepath.Join(docs, "a.md"), "# Ferry\n\nIt leaves at seven.")
	write(t, filepath.Join(docs, "b.md"), "# Bus\n\nIt leaves at eight.")
	env := []string{"DATA_DIR=" + filepath.Join(dir, "data")}
	if code, stdout, _ := runHere(t, "", env, "ingest", "--sync", docs); code != 0 || strings.Contains(stdout, "- docs/") {
		t.Errorf("exit %d: %s", code, stdout)
	}
	if err := os.Remove(filepath.Join(docs, "b.md")); err != nil {
		t.Fatal(err)
	}
	if code, stdout, _ := runHere(t, "", env, "ingest", docs); code != 0 || strings.Contains(stdout, "- docs/b.md") {
		t.Errorf("without --sync something was removed; exit %d: %s", code, stdout)
	}
	if code, stdout, _ := runHere(t, "", env, "ingest", "--sync", docs); code != 0 || !strings.Contains(stdout, "- docs/b.md") || strings.Contains(stdout, "- docs/a.md") {
		t.Errorf("exit %d: %s", code, stdout)
	}
}
