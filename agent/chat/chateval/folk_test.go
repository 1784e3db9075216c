package chateval_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maru/rag"
	"maru/rag/library"
)

// nameSet is testdata/namefolk.json: documents with near-namesakes and questions with the source of the only document
// that an answer may cite, "" if no document has the name. The questions were written before rag/naming was read.
type nameSet struct {
	Kinds []struct {
		Heads, Facts []string
		Docs         [][]string // source, title, then the value of each fact
	}
	Open, Heldout, Fresh [][2]string
}

// TestFolk asks questions that name a document the way people do. Of namefolk.json: fifty on which rules were mended, fifty that were
// held out first and then looked at, and 36 that were written after both. Of namefresh.json: thirty on which rules were mended, and
// thirty that were held out; half of each name a document that is not there, as of namesecond.json and namethird.json, on which
// rules were mended after they had been asked once.
func TestFolk(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	for file, least := range map[string][]int{"namefolk.json": {49, 49, 34}, "namefresh.json": {29, 28}, "namesecond.json": {46}, "namethird.json": {48}} {
		set, s := shelfOf(t, file)
		for half, list := range [][][2]string{set.Open, set.Heldout, set.Fresh}[:len(least)] {
			right := 0
			for _, q := range list {
				cited, text := s.cited(t, q[0])
				if (len(cited) > 0) == (q[1] != "") && !slices.ContainsFunc(cited, func(h rag.Hit) bool { return h.Document.Source != q[1] }) {
					right++
				} else if half == 0 || os.Getenv("MARU_EVAL_FULL") != "" {
					t.Logf("%q wants %q, cites %d: %s\n%s", q[0], q[1], len(cited), strings.Join(sourcesOf(cited), " "), text)
				}
			}
			t.Logf("| %s, set %d | %d of %d |", file, half+1, right, len(list))
			if right < least[half] {
				t.Errorf("%s, set %d: %d right, want %d", file, half+1, right, least[half])
			}
		}
	}
}

// shelfOf returns the questions of a file with its documents on a shelf.
func shelfOf(t *testing.T, file string) (set nameSet, s *shelf) {
	raw, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &set); err != nil {
		t.Fatal(err)
	}
	s = newShelf(t)
	for _, kind := range set.Kinds {
		for _, d := range kind.Docs {
			var b strings.Builder
			fmt.Fprintf(&b, "# %s\n\n", d[1])
			for i, fact := range kind.Facts {
				fmt.Fprintf(&b, "## %s\n\n%s\n\n", kind.Heads[i], strings.ReplaceAll(strings.Replace(fact, "%s", d[2+i], 1), "%%", "%"))
			}
			if _, err := s.lib.AddBundled(t.Context(), "public", []library.Bundled{{Name: d[0], Data: []byte(b.String())}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return set, s
}

func sourcesOf(cited []rag.Hit) (out []string) {
	for _, h := range cited {
		out = append(out, h.Document.Source)
	}
	return out
}
