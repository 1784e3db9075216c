package chateval_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"maru/handbook"
	"maru/rag/library"
)

// TestTwoQuestions asks two things in one message: the quotations must answer both, and where the handbook answers one only, the
// other must be named as not found. The questions were written before there was a rule for them; the second half was not looked at
// when the rules were made. Behind each stand a part of each answer, alternatives between bars, and what must be named behind a "!".
func TestTwoQuestions(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	err := fs.WalkDir(handbook.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(handbook.Files(), path)
		if err == nil {
			_, err = s.lib.AddBundled(t.Context(), "public", []library.Bundled{{Name: strings.ReplaceAll(path, "/", "-"), Data: data}})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("testdata/two.tsv")
	if err != nil {
		t.Fatal(err)
	}
	halves := strings.Split(string(raw), "\n\n")
	for i, least := range []int{26, 28} {
		right, all := 0, 0
		for line := range strings.Lines(halves[i]) {
			row := strings.Split(strings.TrimSpace(line), "\t")
			_, text := s.cited(t, row[0])
			if all++; saysBoth(text, row[1:]) {
				right++
			} else {
				t.Logf("%s: %s", row[0], text)
			}
		}
		t.Logf("half %d: %d of %d", i+1, right, all)
		if right < least {
			t.Errorf("half %d: %d of %d answered, want %d", i+1, right, all, least)
		}
	}
}

// saysBoth reports whether the quotations contain a part of each answer, and whether the text names the half without one.
func saysBoth(text string, wants []string) bool {
	quotes, rest := "", ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "> ") {
			quotes += line
		} else {
			rest += line
		}
	}
	for _, want := range wants {
		in, some := quotes, false
		if missing, ok := strings.CutPrefix(want, "!"); ok {
			in, want = rest, missing
		}
		for part := range strings.SplitSeq(want, "|") {
			some = some || strings.Contains(in, part)
		}
		if !some {
			return false
		}
	}
	return true
}
