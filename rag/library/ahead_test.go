package library_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"maru/bot"
	"maru/rag/library"
)

// TestReadAhead: files of a batch are added as without it, whatever their order; an unchanged one is not loaded again, and a
// batch that is left early ends.
func TestReadAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	var files []library.File
	for _, name := range []string{"a.md", "b.md", "c.bin", "d.md", "e.md"} {
		path := filepath.Join(dir, name)
		data := []byte("# " + name + "\n\nText of " + name + ".\n")
		if name == "c.bin" {
			data = []byte{0, 1, 2, 0xff}
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, library.File{Name: name, Path: path})
	}
	files = append(files, library.File{Name: "gone.md", Path: filepath.Join(dir, "gone.md")})
	add := func(order []library.File) (changed, failed []string) {
		t.Helper()
		as, done := w.lib.Batch(library.Filing{Scope: bot.ScopePublic, By: library.ByOperator}, files...)
		defer done()
		for _, f := range order {
			isNew, doc, err := w.lib.AddFile(t.Context(), as, f)
			switch {
			case err != nil:
				failed = append(failed, f.Name)
			case isNew && doc.Source == f.Name:
				changed = append(changed, f.Name)
			}
		}
		return changed, failed
	}
	changed, failed := add(files)
	if !slices.Equal(changed, []string{"a.md", "b.md", "d.md", "e.md"}) || !slices.Equal(failed, []string{"c.bin", "gone.md"}) {
		t.Errorf("added %q, failed %q", changed, failed)
	}
	if err := os.WriteFile(files[3].Path, []byte("# New\n\nAnother text.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.loader.read = nil
	if changed, _ = add(files); !slices.Equal(changed, []string{"d.md"}) || !slices.Equal(w.loader.read, []string{"c.bin", "d.md"}) {
		t.Errorf("added %q again, loaded %q", changed, w.loader.read)
	}
	if err := os.WriteFile(files[4].Path, []byte("# Newer\n\nA third text.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	backwards := slices.Clone(files)
	slices.Reverse(backwards)
	if changed, _ = add(backwards); !slices.Equal(changed, []string{"e.md"}) {
		t.Errorf("backwards: added %q", changed)
	}
	add(files[:1])
}
