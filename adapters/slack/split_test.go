package slack

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"maru/datatest"
	"maru/phrase/fit"
)

func whole(s string, limit int) string {
	var out []string
	for _, p := range split(parseMarkdown(s, nil), limit) {
		out = append(out, p.md)
	}
	return strings.Join(out, "\n")
}

// Text is cut between graphemes wherever the limit falls.
func TestSplitKeepsGraphemes(t *testing.T) {
	t.Parallel()
	words := "한국어 \u1112\u1161\u11ab\u1100\u1173\u11af 👩‍👩‍👧‍👦 e\u0301 🇰🇷 नि 👍🏽 "
	for _, s := range []string{strings.Repeat(words, 8), strings.ReplaceAll(strings.Repeat(words, 8), " ", ""), "```\n" + strings.ReplaceAll(strings.Repeat(words, 8), " ", "") + "\n```"} {
		want := map[string]bool{}
		for g := uniseg.NewGraphemes(s); g.Next(); {
			want[g.Str()] = true
		}
		for limit := 150; limit < 420; limit += 7 {
			for _, p := range split(parseMarkdown(s, nil), limit) {
				if fit.UTF16(p.md) > limit {
					t.Fatalf("limit %d: %d", limit, fit.UTF16(p.md))
				}
				for g := uniseg.NewGraphemes(p.md); g.Next(); {
					if !want[g.Str()] && !strings.Contains("`\n ", g.Str()) {
						t.Fatalf("limit %d: broken grapheme %q", limit, g.Str())
					}
				}
			}
		}
	}
}

func TestSplitRepairsWhatItCuts(t *testing.T) {
	t.Parallel()
	t.Run("fence_keeps_its_language", func(t *testing.T) {
		t.Parallel()
		src := "```python\n" + strings.Repeat("print('hello world')\n", 60) + "```"
		ps := split(parseMarkdown(src, nil), 400)
		n := 0
		for _, p := range ps {
			if !strings.HasPrefix(p.md, "```python\n") || !strings.HasSuffix(p.md, "\n```") {
				t.Errorf("part %q", p.md)
			}
			n += strings.Count(p.md, "print")
		}
		if n != 60 || len(ps) < 3 {
			t.Errorf("%d lines in %d parts", n, len(ps))
		}
	})
	t.Run("table_repeats_its_head", func(t *testing.T) {
		t.Parallel()
		src := "| 이름 | 값 |\n|:--|--:|\n" + strings.Repeat("| 가나다 | 123 |\n", 80)
		n := 0
		for _, p := range split(parseMarkdown(src, nil), 500) {
			if !strings.HasPrefix(p.md, "| 이름 | 값 |\n| :--- | ---: |\n") {
				t.Errorf("part %q", p.md)
			}
			n += strings.Count(p.md, "가나다")
		}
		if n != 80 {
			t.Errorf("%d rows", n)
		}
	})
	t.Run("emphasis_is_closed_and_opened", func(t *testing.T) {
		t.Parallel()
		src := "**" + strings.TrimSpace(strings.Repeat("bold words ", 60)) + "**"
		for _, p := range split(parseMarkdown(src, nil), 200) {
			if !strings.HasPrefix(p.md, "**") || !strings.HasSuffix(strings.TrimSpace(p.md), "**") {
				t.Errorf("part %q", p.md)
			}
		}
	})
	t.Run("links_are_never_cut", func(t *testing.T) {
		t.Parallel()
		src := strings.Repeat("word [label](https://docs.example/a/long/path/to/somewhere) ", 40)
		n := 0
		for _, p := range split(parseMarkdown(src, nil), 333) {
			n += strings.Count(p.md, "(https://docs.example/a/long/path/to/somewhere)")
		}
		if n != 40 {
			t.Errorf("%d whole links", n)
		}
	})
	t.Run("nested_lists_stay_lists", func(t *testing.T) {
		t.Parallel()
		src := "- top\n" + strings.Repeat("  - middle\n    - deep item with words\n", 30)
		for _, p := range split(parseMarkdown(src, nil), 200) {
			if strings.HasPrefix(p.md, " ") {
				t.Errorf("part begins indented: %q", p.md)
			}
		}
	})
	t.Run("breaks_between_blocks", func(t *testing.T) {
		t.Parallel()
		src := strings.Repeat("A paragraph of a few words.\n\n", 40)
		for _, p := range split(parseMarkdown(src, nil), 300) {
			if !strings.HasSuffix(p.md, "words.") {
				t.Errorf("part %q", p.md)
			}
		}
	})
}

func TestNothingIsLostInSplitting(t *testing.T) {
	t.Parallel()
	var all []example
	if err := json.Unmarshal(datatest.File(t, "commonmark/spec.json"), &all); err != nil {
		t.Fatal(err)
	}
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '가' && r <= '힣' {
				return r
			}
			return -1
		}, s)
	}
	for _, e := range all {
		lines := parseMarkdown(e.Markdown, nil)
		want := ""
		for _, p := range split(lines, 1<<20) {
			want += letters(p.plain)
		}
		got := ""
		for _, p := range split(lines, 120) {
			got += letters(p.plain)
		}
		if got != want {
			t.Errorf("example %d lost words:\n%s\n%s", e.Example, want, got)
		}
	}
}
