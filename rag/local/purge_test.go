package local_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"maru/rag/local"
	"maru/rag/ragtest"
)

// secretWord is in the text that is removed, and nowhere else.
const secretWord = "gehaltsverzeichnis"

// onDisk names the files of a folder that hold the word.
func onDisk(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(secretWord)) {
			found = append(found, f.Name())
		}
	}
	return found
}

// TestRemovedTextLeavesTheDisk: a few minutes after a document was removed no file
// holds its text, wherever it stood and whatever happened meanwhile; what was not
// removed is there, now and after opening again.
func TestRemovedTextLeavesTheDisk(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		inFile bool // enough passages that they are in a file when the document is removed
		reopen bool // the program ends before the text is gone
		alone  bool // nothing else is in the index
	}{
		"in_the_log":              {},
		"alone_in_the_log":        {alone: true},
		"in_a_file":               {inFile: true},
		"in_the_log_of_an_ended":  {reopen: true},
		"in_a_file_of_an_ended":   {inFile: true, reopen: true},
		"alone_and_ended_at_once": {alone: true, reopen: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				x := begin(t, dir)
				put := func(id string, passages ...string) string {
					t.Helper()
					doc, chunks := ragtest.Doc("public", id, passages...)
					if err := x.Put(t.Context(), doc, chunks); err != nil {
						t.Fatal(err)
					}
					return doc.ID
				}
				gone := put("gone", "the "+secretWord+" of everybody")
				want := 0
				if !tt.alone {
					put("kept", "the holidays of everybody")
					want++
				}
				if tt.inFile {
					put("large", make5000()...)
					want++
				}
				synctest.Wait()
				if files := onDisk(t, dir); len(files) != 1 || (filepath.Ext(files[0]) == ".seg") != tt.inFile {
					t.Fatalf("before it is removed the text is in %q", files)
				}
				if ok, err := x.Delete(t.Context(), "public", gone); !ok || err != nil {
					t.Fatalf("removed: %v, %v", ok, err)
				}
				if tt.reopen {
					end(t, x)
					x = begin(t, dir)
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if files := onDisk(t, dir); len(files) > 0 {
					t.Errorf("two minutes after it was removed the text is in %q", files)
				}
				end(t, x)
				x = begin(t, dir)
				docs, err := x.Documents(t.Context(), []string{"public"})
				if err != nil || len(docs) != want {
					t.Errorf("%d documents, %v, want %d", len(docs), err, want)
				}
				end(t, x)
			})
		})
	}
}

// begin opens an index whose end is said by [end], within the time of its test.
func begin(t *testing.T, dir string) *local.Index {
	t.Helper()
	x, err := local.Open(t.Context(), local.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func end(t *testing.T, x *local.Index) {
	t.Helper()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

func make5000() []string {
	out := make([]string, 5000)
	for i := range out {
		out[i] = "a passage of many"
	}
	return out
}
