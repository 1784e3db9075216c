package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/config"
)

// ingested opens a library in a folder of its own and returns it with what adds paths
// to it as `maru ingest` does, and what lists the names that it holds.
func ingested(t *testing.T) (a *app, add func(paths ...string), names func() string) {
	t.Helper()
	var cfg config.Config
	cfg.Store.DataDir = t.TempDir()
	cfg.Documents = config.Documents{MaxFile: 1 << 20, Timeout: 1 << 35}
	a = &app{cfg: cfg, log: slog.New(slog.DiscardHandler)}
	if err := a.openLibrary(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.close() })
	add = func(paths ...string) {
		t.Helper()
		files, err := findFiles(paths)
		if err == nil {
			files, err = a.library.named(t.Context(), bot.ScopePublic, files)
		}
		if err == nil {
			err = a.ingestAll(t.Context(), invocation{process: process{stdout: &strings.Builder{}}}, filing{scope: bot.ScopePublic, by: byOperator}, files)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	names = func() string {
		t.Helper()
		docs, err := a.library.fromFiles(t.Context(), bot.ScopePublic)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for name, d := range docs {
			out = append(out, name+" "+d.Title)
		}
		slices.Sort(out)
		return strings.Join(out, ", ")
	}
	return a, add, names
}

// TestOneFileIsOneDocument adds a folder and then files of it alone, and the other way
// round: one document each, with the newest text.
func TestOneFileIsOneDocument(t *testing.T) {
	t.Parallel()
	a, add, names := ingested(t)
	dir := t.TempDir()
	folder, deep := filepath.Join(dir, "f"), filepath.Join(dir, "f", "in", "b.md")
	write(t, filepath.Join(folder, "a.md"), "# Ferry\n\nIt leaves at seven.")
	write(t, deep, "# Bus\n\nIt leaves at eight.")
	add(filepath.Join(folder, "a.md"))
	if got := names(); got != "a.md Ferry" {
		t.Fatalf("alone: %s", got)
	}
	add(folder)
	if got := names(); got != "f/a.md Ferry, f/in/b.md Bus" {
		t.Errorf("with its folder: %s", got)
	}
	write(t, filepath.Join(folder, "a.md"), "# Ship\n\nIt leaves at nine.")
	write(t, deep, "# Tram\n\nIt leaves at ten.")
	add(filepath.Join(folder, "a.md"), deep)
	if got := names(); got != "f/a.md Ship, f/in/b.md Tram" {
		t.Errorf("alone again: %s", got)
	}
	if err := os.Remove(deep); err != nil {
		t.Fatal(err)
	}
	files, err := findFiles([]string{folder})
	if err != nil {
		t.Fatal(err)
	}
	if gone, err := a.library.removeMissing(t.Context(), bot.ScopePublic, "f/", byOperator, files); err != nil || !slices.Equal(gone, []string{"f/in/b.md"}) {
		t.Errorf("removed %v, %v", gone, err)
	}
	other := filepath.Join(dir, "g", "a.md") // another file of the same name in another folder
	write(t, other, "# Plane\n\nIt leaves at noon.")
	add(filepath.Dir(other))
	if got := names(); got != "f/a.md Ship, g/a.md Plane" {
		t.Errorf("another folder: %s", got)
	}
}

// TestEditedFileIsOneDocument adds a file alone, edits it, and adds it with its folder, by
// hand and by the watched folder; and gives one command both.
func TestEditedFileIsOneDocument(t *testing.T) {
	t.Parallel()
	a, add, names := ingested(t)
	dir := t.TempDir()
	folder := filepath.Join(dir, "f")
	write(t, filepath.Join(folder, "a.md"), "# Ferry\n\nIt leaves at seven.")
	write(t, filepath.Join(dir, "a.md"), "# Train\n\nIt leaves at one.") // another of its name
	add(filepath.Join(folder, "a.md"))
	write(t, filepath.Join(folder, "a.md"), "# Ship\n\nIt leaves at nine.")
	add(folder)
	if got := names(); got != "f/a.md Ship" {
		t.Errorf("by hand: %s", got)
	}
	add(filepath.Join(dir, "a.md"))
	write(t, filepath.Join(folder, "a.md"), "# Plane\n\nIt leaves at noon.")
	add(folder)
	if got := names(); got != "a.md Train, f/a.md Plane" {
		t.Errorf("beside another of its name: %s", got)
	}
	write(t, filepath.Join(dir, "g", "b.md"), "# Bus\n\nIt leaves at eight.")
	add(filepath.Join(dir, "g", "b.md"))
	write(t, filepath.Join(dir, "g", "b.md"), "# Tram\n\nIt leaves at ten.")
	a.syncFolder(t.Context(), filepath.Join(dir, "g"), time.Now().Add(time.Hour))
	if got := names(); got != "a.md Train, f/a.md Plane, g/b.md Tram" {
		t.Errorf("by the watched folder: %s", got)
	}
	write(t, filepath.Join(dir, "h", "c.md"), "# Bike\n\nIt leaves now.")
	add(filepath.Join(dir, "h", "c.md"), filepath.Join(dir, "h"))
	if got := names(); !strings.HasSuffix(got, "g/b.md Tram, h/c.md Bike") {
		t.Errorf("given twice: %s", got)
	}
}

// TestFolderOfTrouble looks through a folder with what people and editors leave there:
// what cannot be read is told with its name and what to do, the rest is added.
func TestFolderOfTrouble(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "real")
	write(t, filepath.Join(folder, "a.md"), "# Ferry\n\nIt leaves at seven.")
	write(t, filepath.Join(dir, "secret.md"), "# Secret\n\nNot for everybody.")
	for _, passing := range []string{".a.md.swp", "a.md~", "~$b.docx", "#a.md#", "a.md.tmp", "big.pdf.crdownload"} {
		write(t, filepath.Join(folder, passing), "half of something")
	}
	for link, target := range map[string]string{"out.md": filepath.Join(dir, "secret.md"), "nowhere.md": filepath.Join(dir, "gone"), "inside.md": filepath.Join(folder, "a.md"), "up": dir} {
		if err := os.Symlink(target, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	docs := filepath.Join(dir, "docs") // the folder itself is a link, as of a mounted volume
	if err := os.Symlink(folder, docs); err != nil {
		t.Fatal(err)
	}
	files, err := findFiles([]string{docs})
	if err != nil {
		t.Fatal(err)
	}
	var good, bad []string
	for _, f := range files {
		if f.fault == nil {
			good = append(good, f.name)
			continue
		}
		bad = append(bad, f.name)
		for language, todo := range map[string]string{"ko": "주세요", "en": "Put"} {
			if say := sentence(f.fault, language); !strings.Contains(say, f.name) || !strings.Contains(say, todo) {
				t.Errorf("%s: %q", language, say)
			}
		}
	}
	if want := []string{"docs/a.md", "docs/inside.md"}; !slices.Equal(good, want) {
		t.Errorf("%v, want %v", good, want)
	}
	if want := []string{"docs/nowhere.md", "docs/out.md", "docs/up"}; !slices.Equal(bad, want) {
		t.Errorf("refused %v, want %v", bad, want)
	}
}

// TestFolderThatCannotBeReadIsNotGone keeps the documents of a folder that is closed for a while.
func TestFolderThatCannotBeReadIsNotGone(t *testing.T) {
	t.Parallel()
	a, add, names := ingested(t)
	folder := filepath.Join(t.TempDir(), "f")
	write(t, filepath.Join(folder, "a.md"), "# Ferry\n\nIt leaves at seven.")
	write(t, filepath.Join(folder, "closed", "b.md"), "# Bus\n\nIt leaves at eight.")
	add(folder)
	files := []source{{path: filepath.Join(folder, "a.md"), name: "f/a.md"}, {name: "f/closed/", fault: &fileFault{"folder.unreadable", "f/closed", os.ErrPermission}}}
	if gone, err := a.library.removeMissing(t.Context(), bot.ScopePublic, "f/", byOperator, files); err != nil || len(gone) > 0 {
		t.Errorf("removed %v, %v", gone, err)
	}
	if got := names(); got != "f/a.md Ferry, f/closed/b.md Bus" {
		t.Error(got)
	}
	for _, language := range []string{"ko", "en"} {
		if _, _, err := a.ingestFile(t.Context(), filing{scope: bot.ScopePublic}, files[1]); !strings.Contains(sentence(err, language), "f/closed") {
			t.Errorf("%s: %v", language, err)
		}
	}
	if _, _, err := a.ingestFile(t.Context(), filing{scope: bot.ScopePublic}, source{path: filepath.Join(folder, "no.md"), name: "f/no.md"}); !strings.Contains(sentence(err, "ko"), "f/no.md") || !strings.Contains(sentence(err, "ko"), "권한") {
		t.Errorf("%v", err)
	}
}
