package library_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/rag/library"
	"maru/rag/load"
)

// TestOneFileIsOneDocument adds a folder and then files of it alone, and the other way
// round: one document each, with the newest text.
func TestOneFileIsOneDocument(t *testing.T) {
	t.Parallel()
	w, add, names := ingested(t)
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
	files, err := library.FindFiles([]string{folder})
	if err != nil {
		t.Fatal(err)
	}
	if gone, err := w.lib.RemoveMissing(t.Context(), bot.ScopePublic, "f/", library.ByOperator, files); err != nil || !slices.Equal(gone, []string{"f/in/b.md"}) {
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
	w, add, names := ingested(t)
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
		t.Errorf("beside another of its Name: %s", got)
	}
	write(t, filepath.Join(dir, "g", "b.md"), "# Bus\n\nIt leaves at eight.")
	add(filepath.Join(dir, "g", "b.md"))
	write(t, filepath.Join(dir, "g", "b.md"), "# Tram\n\nIt leaves at ten.")
	library.NewFolder(w.lib, filepath.Join(dir, "g"), w.log.Logger()).Sync(t.Context(), time.Now().Add(time.Hour))
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
	files, err := library.FindFiles([]string{docs})
	if err != nil {
		t.Fatal(err)
	}
	var good, bad []string
	for _, f := range files {
		if f.Fault == nil {
			good = append(good, f.Name)
			continue
		}
		bad = append(bad, f.Name)
		for language, todo := range map[string]string{"ko": "주세요", "en": "Put"} {
			if say := library.Sentence(f.Fault, language); !strings.Contains(say, f.Name) || !strings.Contains(say, todo) {
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
	w, add, names := ingested(t)
	folder := filepath.Join(t.TempDir(), "f")
	write(t, filepath.Join(folder, "a.md"), "# Ferry\n\nIt leaves at seven.")
	write(t, filepath.Join(folder, "closed", "b.md"), "# Bus\n\nIt leaves at eight.")
	add(folder)
	files := []library.File{{Path: filepath.Join(folder, "a.md"), Name: "f/a.md"}, {Name: "f/closed/", Fault: &library.Fault{Key: "folder.unreadable", Name: "f/closed", Err: os.ErrPermission}}}
	if gone, err := w.lib.RemoveMissing(t.Context(), bot.ScopePublic, "f/", library.ByOperator, files); err != nil || len(gone) > 0 {
		t.Errorf("removed %v, %v", gone, err)
	}
	if got := names(); got != "f/a.md Ferry, f/closed/b.md Bus" {
		t.Error(got)
	}
	for _, language := range []string{"ko", "en"} {
		if _, _, err := w.lib.AddFile(t.Context(), library.Filing{Scope: bot.ScopePublic}, files[1]); !strings.Contains(library.Sentence(err, language), "f/closed") {
			t.Errorf("%s: %v", language, err)
		}
	}
	if _, _, err := w.lib.AddFile(t.Context(), library.Filing{Scope: bot.ScopePublic}, library.File{Path: filepath.Join(folder, "no.md"), Name: "f/no.md"}); !strings.Contains(library.Sentence(err, "ko"), "f/no.md") || !strings.Contains(library.Sentence(err, "ko"), "권한") {
		t.Errorf("%v", err)
	}
}

// TestTextOfAFile reads a file without adding it: its text below its headings, whole where passages overlap.
func TestTextOfAFile(t *testing.T) {
	t.Parallel()
	lib := library.New(library.Config{Loader: load.New(load.Config{}), Now: time.Now})
	var long strings.Builder
	for i := range 600 {
		fmt.Fprintf(&long, "Sentence %d is here. ", i)
	}
	got, err := lib.Text(t.Context(), "notes.md", []byte("# Leave\n\nFifteen days.\n\n## Sick\n\n"+long.String()))
	if err != nil || !strings.HasPrefix(got, "# Leave\nFifteen days.\n# Leave > Sick\nSentence 0 is here.") || strings.Count(got, "Sentence 1") != 111 || !strings.HasSuffix(got, "Sentence 599 is here.") {
		t.Errorf("%.200q …, %d, %v", got, strings.Count(got, "Sentence 1"), err)
	}
	if _, err := lib.Text(t.Context(), "a.pdf", []byte("no PDF")); err == nil {
		t.Error("read what is no PDF")
	}
}

// TestNotesAreReadHere: what a member dictated is no file, and is read without a process of its own.
func TestNotesAreReadHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, by := range []string{bot.Thread{Platform: "slack", Team: "T1"}.NoteBy(bot.User{ID: "U1"}), "slack/T1/U1"} {
		d := bot.NewDocument{Scope: bot.ScopePublic, Name: by + ".md", By: by, MIME: "text/markdown", Body: strings.NewReader("The stand-up is at 10.\n")}
		if doc, err := w.lib.Add(t.Context(), d); err != nil || doc.Chunks != 1 {
			t.Fatalf("%+v, %v", doc, err)
		}
	}
	if want := []string{"slack/T1/U1.md"}; !slices.Equal(w.loader.read, want) {
		t.Errorf("read by the loader: %q, want %q", w.loader.read, want)
	}
}
