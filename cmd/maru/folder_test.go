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
	"maru/rag/library"
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

// followedFolder is a library with a watched folder.
type followedFolder struct {
	base

	t       *testing.T
	library *library.Library
}

func (f *followedFolder) open() {
	f.t.Helper()
	var err error
	if f.library, err = openLibrary(f.t.Context(), f.base, newEmbedders(f.base, newMeter(f.base, nil, nil))); err != nil {
		f.t.Fatal(err)
	}
}

// examined returns what the chat's doctor says of the documents.
func (f *followedFolder) examined() bot.Finding {
	return examiner{botParts: botParts{base: f.base, library: f.library}}.examineDocuments(f.t.Context())
}

// followed returns a program with a watched folder, and what looks through it and compares the
// documents of the folder with want. A look comes long after the last change.
func followed(t *testing.T) (f *followedFolder, docs string, holds func(when, want string)) {
	t.Helper()
	dir := t.TempDir()
	docs = filepath.Join(dir, "docs")
	var cfg config.Config
	cfg.Store.DataDir = filepath.Join(dir, "data")
	readsPDFs(t, []string{"DATA_DIR=" + cfg.Store.DataDir})
	cfg.Documents = config.Documents{MaxFile: 1 << 20, Folder: docs, Timeout: atMost}
	f = &followedFolder{t: t, base: newBase(cfg, slog.New(slog.DiscardHandler))}
	f.open()
	t.Cleanup(func() { _ = f.opened.Close() })
	holds = func(when, want string) {
		t.Helper()
		if library.NewFolder(f.library, docs, f.log).Sync(t.Context(), time.Now().Add(time.Hour)) {
			t.Errorf("%s: files wait", when)
		}
		if got := titles(t, f.library); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	return f, docs, holds
}

// titles returns the documents of the watched folder.
func titles(t *testing.T, lib *library.Library) string {
	t.Helper()
	list, err := lib.Documents(t.Context(), []string{bot.ScopePublic})
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

// TestDoctorTellsOfRefusedFiles puts files that must be refused into the watched folder.
func TestDoctorTellsOfRefusedFiles(t *testing.T) {
	t.Parallel()
	unraced(t)
	w, docs, holds := followed(t)
	write(t, filepath.Join(docs, "good.md"), "# Ferry\n\nIt leaves at seven.")
	var want []string
	seen := map[string]bool{} // one file for each reason: doctor has 20 s for all of them
	for _, f := range loadtest.Refused() {
		if (seen[f.Code] || !sampled(t, f.Name)) && f.Name != "bomb.zip" && f.Name != "locked.docx" { // each is read by a process of its own
			continue
		}
		seen[f.Code] = true
		write(t, filepath.Join(docs, f.Name), string(f.Data))
		want = append(want, "docs/"+f.Name)
	}
	holds("all of them", "docs/good.md Ferry")
	slices.Sort(want)
	if got := w.library.RefusedFiles(); !slices.Equal(got, want) {
		t.Errorf("told of %v, want %v", got, want)
	}
	if f := w.examined(); !errors.Is(f.Err, bot.ErrLimited) || !strings.Contains(f.Err.Error(), "docs/bomb.zip") {
		t.Errorf("doctor: %+v", f)
	}
	var out strings.Builder
	list, err := w.library.Documents(t.Context(), []string{bot.ScopePublic})
	if err != nil {
		t.Fatal(err)
	}
	(&examination{base: w.base, out: &out}).folder(t.Context(), w.library, list)
	if !strings.Contains(out.String(), "docs/locked.docx is protected") || !strings.Contains(out.String(), fmt.Sprintf("files: %d, of them not readable: %d", len(want)+1, len(want))) {
		t.Errorf("maru doctor: %s", out.String())
	}
}

// TestFolderTellsWhatIsUnreadWithin puts an archive of which a file is damaged into the watched
// folder: everybody who looks is told, after a restart too, and on the command line.
func TestFolderTellsWhatIsUnreadWithin(t *testing.T) {
	t.Parallel()
	unraced(t)
	w, docs, holds := followed(t)
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
		if f := w.examined(); !errors.Is(f.Err, bot.ErrLimited) || !strings.Contains(f.Err.Error(), "docs/team.zip/torn.pdf") {
			t.Errorf("doctor: %+v", f)
		}
		list, err := w.library.Documents(t.Context(), []string{bot.ScopePublic})
		if err != nil {
			t.Fatal(err)
		}
		for _, docs := range [][]rag.Document{list, nil} { // known, and read for the first time
			var out strings.Builder
			(&examination{base: w.base, out: &out}).folder(t.Context(), w.library, docs)
			if !strings.Contains(out.String(), "docs/team.zip/torn.pdf") || !strings.Contains(out.String(), "not readable within archives: 1") {
				t.Errorf("maru doctor: %s", out.String())
			}
		}
		if err := w.opened.Close(); err != nil {
			t.Fatal(err)
		}
		w.open()
		holds("after a restart", "docs/team.zip team")
	}
	for _, status := range []string{"1 added", "1 unchanged"} {
		code, stdout, _ := runHere(t, "", []string{"DATA_DIR=" + filepath.Join(docs, "..", "other")}, "ingest", filepath.Join(docs, "team.zip"))
		if code != 0 || !strings.Contains(stdout, status) || !strings.Contains(stdout, "✗ team.zip/torn.pdf") {
			t.Errorf("exit %d: %s", code, stdout)
		}
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
