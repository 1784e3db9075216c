package local

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"maru/rag"
)

// aged makes of a segment's bytes what an older program wrote: another version
// of the analyser, one that spelt a word differently.
func aged(data []byte, magic string) {
	copy(data, magic)
	le.PutUint32(data[oldHeader:], rag.AnalyzerVersion+1)
	if magic == oldMagic {
		le.PutUint32(data[oldHeader:], 0)
	}
	copy(data[bytes.LastIndex(data[:le.Uint64(data[32+8*secPostOff:])], []byte("zebra")):], "zebrz")
	body := data[:len(data)-4]
	le.PutUint32(data[len(body):], crc32.Checksum(body, castagnoli))
}

// ageFolder ages every segment of a closed index, in files and in the log.
func ageFolder(t *testing.T, dir, magic string) (files, records int) {
	t.Helper()
	each := func(pattern string, f func([]byte)) {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			b, err := os.ReadFile(n)
			if err != nil {
				t.Fatal(err)
			}
			f(b)
			if err := os.WriteFile(n, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	each("*.seg", func(b []byte) { aged(b, magic); files++ })
	each("*.log", func(b []byte) {
		for len(b) > recordHead {
			n := int(le.Uint32(b))
			body := b[recordHead : recordHead+n]
			if body[0] == recordPut {
				aged(body[1:], magic)
				le.PutUint32(b[4:], crc32.Checksum(body, castagnoli))
				records++
			}
			b = b[recordHead+n:]
		}
	})
	return files, records
}

// TestOldAnalyser: an index that another version of the analyser wrote finds
// everything again once it is opened, loses nothing, and is built again once only.
func TestOldAnalyser(t *testing.T) {
	t.Parallel()
	for _, magic := range []string{segMagic, oldMagic} {
		t.Run(magic, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			x := reopen(t, dir)
			var entries []Entry
			for i := range 300 {
				doc := rag.Document{Source: fmt.Sprint("doc", i), Title: fmt.Sprint("Title ", i)}
				chunks := make([]rag.Chunk, 15)
				for c := range chunks {
					chunks[c].Text = fmt.Sprintf("zebra %d of %d", c, i)
				}
				doc, chunks = rag.Own(doc, chunks, "public")
				entries = append(entries, Entry{doc, chunks})
			}
			if err := x.PutAll(t.Context(), entries); err != nil {
				t.Fatal(err)
			}
			waitFor(t, func() bool { return len(segmentFiles(t, dir)) == 1 && !unflushed(x) })
			doc, chunks := rag.Own(rag.Document{Source: "late", Title: "Late"}, []rag.Chunk{{Text: "a late zebra"}}, "public")
			if err := x.Put(t.Context(), doc, chunks); err != nil {
				t.Fatal(err)
			}
			gone := entries[7].Document.ID
			if ok, err := x.Delete(t.Context(), "public", gone); err != nil || !ok {
				t.Fatalf("delete: %v, %v", ok, err)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if f, r := ageFolder(t, dir, magic); f != 1 || r != 1 {
				t.Fatalf("aged %d files and %d records, want one of each", f, r)
			}
			var names []string
			for range 2 {
				x = reopen(t, dir)
				docs, err := x.Documents(t.Context(), []string{"public"})
				if err != nil || len(docs) != 300 {
					t.Fatalf("%d documents, %v; want 300", len(docs), err)
				}
				hits, err := x.Search(t.Context(), rag.Query{Text: "late zebra", Scopes: []string{"public"}, Limit: 1000, Threshold: -1, Repeats: true})
				if err != nil || len(hits) != 299*15+1 && len(hits) != 1000 || hits[0].Document.Source != "late" {
					t.Fatalf("%d hits, %v: the zebras are not found", len(hits), err)
				}
				if slices.ContainsFunc(hits, func(h rag.Hit) bool { return h.Document.ID == gone }) {
					t.Error("a deleted document came back")
				}
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
				files := segmentFiles(t, dir)
				if names != nil && !slices.Equal(files, names) {
					t.Errorf("built again at the second start: %q, then %q", names, files)
				}
				names = files
			}
		})
	}
}

func reopen(t *testing.T, dir string) *Index {
	t.Helper()
	x, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func segmentFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// unflushed reports whether passages are in the log only.
func unflushed(x *Index) bool {
	return slices.ContainsFunc(x.snap.Load().views, func(v *view) bool { return v.seg.fileName == "" })
}

func waitFor(t *testing.T, ready func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 24000 {
		if ready() {
			return
		}
		<-tick.C
	}
	t.Fatal("not ready after 2 min")
}
