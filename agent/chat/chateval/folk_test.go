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

// TestFolk asks questions that name a document the way people do: fifty on which rules were mended, fifty that were held out first
// and then looked at, and 36 that were written after both and asked once before the last rules.
func TestFolk(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("testdata", "namefolk.json"))
	if err != nil {
		t.Fatal(err)
	}
	var set nameSet
	if err := json.Unmarshal(raw, &set); err != nil {
		t.Fatal(err)
	}
	s := newShelf(t)
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
	for half, list := range [][][2]string{set.Open, set.Heldout, set.Fresh} {
		right := 0
		for _, q := range list {
			cited, _ := s.cited(t, q[0])
			if (len(cited) > 0) == (q[1] != "") && !slices.ContainsFunc(cited, func(h rag.Hit) bool { return h.Document.Source != q[1] }) {
				right++
			} else if half == 0 || os.Getenv("MARU_EVAL_FULL") != "" {
				t.Logf("%q wants %q, cites %d: %s", q[0], q[1], len(cited), strings.Join(sourcesOf(cited), " "))
			}
		}
		t.Logf("| set %d | %d of %d |", half+1, right, len(list))
		if least := []int{49, 49, 29}[half]; right < least {
			t.Errorf("set %d: %d right, want %d", half+1, right, least)
		}
	}
}

func sourcesOf(cited []rag.Hit) (out []string) {
	for _, h := range cited {
		out = append(out, h.Document.Source)
	}
	return out
}
