package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maru/bot"
	"maru/config"
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

// TestFolderIsFollowed changes a watched folder in every way and looks at the
// documents after each look.
func TestFolderIsFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	var cfg config.Config
	cfg.Store.DataDir = filepath.Join(dir, "data")
	cfg.Documents = config.Documents{MaxFile: 1 << 20, Folder: docs, Timeout: 1 << 35}
	a := &app{cfg: cfg, log: slog.New(slog.DiscardHandler)}
	if err := a.openLibrary(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.close() })
	said := map[string]string{}
	holds := func(when, want string) {
		t.Helper()
		a.syncFolder(t.Context(), docs, said)
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
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	holds("no folder", "")
	write(t, filepath.Join(docs, "a.md"), "# Ferry\n\nIt leaves at seven.")
	write(t, filepath.Join(docs, "in/b.md"), "# Bus\n\nIt leaves at eight.")
	write(t, filepath.Join(docs, "broken.pdf"), "no PDF")
	holds("first look", "docs/a.md Ferry, docs/in/b.md Bus")
	if said["docs/broken.pdf"] == "" {
		t.Error("nobody was told of the broken file")
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
