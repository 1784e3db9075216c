package markdown_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"maru/datatest"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// slackParts returns a text as Slack gets it.
func slackParts(s string, limit int) []markdown.Part {
	return markdown.Slack().Split(markdown.Slack().Lines(s, nil), limit)
}

func whole(s string, limit int) string {
	var out []string
	for _, p := range slackParts(s, limit) {
		out = append(out, p.Text)
	}
	return strings.Join(out, "\n")
}

// Text is cut between graphemes wherever the limit falls.
func TestSlackSplitKeepsGraphemes(t *testing.T) {
	t.Parallel()
	words := "한국어 \u1112\u1161\u11ab\u1100\u1173\u11af 👩‍👩‍👧‍👦 e\u0301 🇰🇷 नि 👍🏽 "
	for _, s := range []string{strings.Repeat(words, 8), strings.ReplaceAll(strings.Repeat(words, 8), " ", ""), "```\n" + strings.ReplaceAll(strings.Repeat(words, 8), " ", "") + "\n```"} {
		want := map[string]bool{}
		for g := uniseg.NewGraphemes(s); g.Next(); {
			want[g.Str()] = true
		}
		for limit := 150; limit < 420; limit += 7 {
			for _, p := range slackParts(s, limit) {
				if fit.UTF16(p.Text) > limit {
					t.Fatalf("limit %d: %d", limit, fit.UTF16(p.Text))
				}
				for g := uniseg.NewGraphemes(p.Text); g.Next(); {
					if !want[g.Str()] && !strings.Contains("`\n ", g.Str()) {
						t.Fatalf("limit %d: broken grapheme %q", limit, g.Str())
					}
				}
			}
		}
	}
}

func TestSlackSplitRepairsWhatItCuts(t *testing.T) {
	t.Parallel()
	t.Run("fence_keeps_its_language", func(t *testing.T) {
		t.Parallel()
		src := "```python\n" + strings.Repeat("print('hello world')\n", 60) + "```"
		ps := slackParts(src, 400)
		n := 0
		for _, p := range ps {
			if !strings.HasPrefix(p.Text, "```python\n") || !strings.HasSuffix(p.Text, "\n```") {
				t.Errorf("part %q", p.Text)
			}
			n += strings.Count(p.Text, "print")
		}
		if n != 60 || len(ps) < 3 {
			t.Errorf("%d lines in %d parts", n, len(ps))
		}
	})
	t.Run("table_repeats_its_head", func(t *testing.T) {
		t.Parallel()
		src := "| 이름 | 값 |\n|:--|--:|\n" + strings.Repeat("| 가나다 | 123 |\n", 80)
		n := 0
		for _, p := range slackParts(src, 500) {
			if !strings.HasPrefix(p.Text, "| 이름 | 값 |\n| :--- | ---: |\n") {
				t.Errorf("part %q", p.Text)
			}
			n += strings.Count(p.Text, "가나다")
		}
		if n != 80 {
			t.Errorf("%d rows", n)
		}
	})
	t.Run("emphasis_is_closed_and_opened", func(t *testing.T) {
		t.Parallel()
		src := "**" + strings.TrimSpace(strings.Repeat("bold words ", 60)) + "**"
		for _, p := range slackParts(src, 200) {
			if !strings.HasPrefix(p.Text, "**") || !strings.HasSuffix(strings.TrimSpace(p.Text), "**") {
				t.Errorf("part %q", p.Text)
			}
		}
	})
	t.Run("links_are_never_cut", func(t *testing.T) {
		t.Parallel()
		src := strings.Repeat("word [label](https://docs.example/a/long/path/to/somewhere) ", 40)
		n := 0
		for _, p := range slackParts(src, 333) {
			n += strings.Count(p.Text, "(https://docs.example/a/long/path/to/somewhere)")
		}
		if n != 40 {
			t.Errorf("%d whole links", n)
		}
	})
	t.Run("nested_lists_stay_lists", func(t *testing.T) {
		t.Parallel()
		src := "- top\n" + strings.Repeat("  - middle\n    - deep item with words\n", 30)
		for _, p := range slackParts(src, 200) {
			if strings.HasPrefix(p.Text, " ") {
				t.Errorf("part begins indented: %q", p.Text)
			}
		}
	})
	t.Run("breaks_between_blocks", func(t *testing.T) {
		t.Parallel()
		src := strings.Repeat("A paragraph of a few words.\n\n", 40)
		for _, p := range slackParts(src, 300) {
			if !strings.HasSuffix(p.Text, "words.") {
				t.Errorf("part %q", p.Text)
			}
		}
	})
}

func TestSlackSplitLosesNothing(t *testing.T) {
	t.Parallel()
	var all []struct {
		Markdown string `json:"markdown"`
		Example  int    `json:"example"`
	}
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
		want := ""
		for _, p := range slackParts(e.Markdown, 1<<20) {
			want += letters(p.Plain)
		}
		got := ""
		for _, p := range slackParts(e.Markdown, 120) {
			got += letters(p.Plain)
		}
		if got != want {
			t.Errorf("example %d lost words:\n%s\n%s", e.Example, want, got)
		}
	}
}

// Links lead where they say, or are no links.
func TestSlackLinksShowWhereTheyLead(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"https://docs.example/a": true}
	for in, want := range map[string]string{
		"[click](https://evil.example/x?s=1)":          "[click (evil.example)](https://evil.example/x?s=1)",
		"[rules](https://docs.example/a)":              "[rules](https://docs.example/a)",
		"[https://good.example](https://evil.example)": "[https://good.example (evil.example)](https://evil.example)",
		"![pic](https://evil.example/p.png?q=secret)":  "[pic (evil.example)](https://evil.example/p.png?q=secret)",
		"[x](javascript:alert(1))":                     "x",
		"[x](data:text/html,hi)":                       "x",
		"[x](https://good.example@evil.example/)":      "x",
		"[a][r]\n\n[r]: https://evil.example/ref":      "[a (evil.example)](https://evil.example/ref)",
		"<https://evil.example/a>":                     "[https://evil.example/a](https://evil.example/a)",
		"[x](https://xn--80ak6aa92e.com)":              "[x (xn--80ak6aa92e.com)](https://xn--80ak6aa92e.com)",
		"[x](https://аррӏе.com)":                       "[x (xn--80ak6aa92e.com)](https://аррӏе.com)",
		"[wiki](http://team_wiki:8080/a)":              "[wiki (team_wiki)](http://team_wiki:8080/a)",
		"[mail](mailto:a@b.example)":                   "[mail (a@b.example)](mailto:a@b.example)",
		"[](https://evil.example)":                     "[evil.example](https://evil.example)",
		"see https://open.example/path":                "see https://open.example/path",
		"see file:///etc/passwd":                       "see file:\u200b///etc/passwd",
		"see https://good.example@evil.example/":       "see https:\u200b//good.example@evil.example/",
		"see javascript:alert(1) now":                  "see javascript:\u200balert(1) now",
		"[a [b](/x) c](https://evil.example)":          `[a b c]\(https://evil.example)`,
		"[a *[b](/x)*](https://evil.example)":          `[a *b*]\(https://evil.example)`,
		"time 10:30 and a: b":                          "time 10:30 and a: b",
		"<a href=\"https://evil.example\">x</a>":       "&lt;a href=\"https://evil.example\"&gt;x&lt;/a&gt;",
	} {
		got := ""
		for _, p := range markdown.Slack().Split(markdown.Slack().Lines(in, known), 1000) {
			got += p.Text
		}
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestSlackBoldBeforeAParticle(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`**"연차"**는 15일`:          "**\"연차\"**\u200a는 15일",
		"**연차(휴가)**는 **15일**입니다": "**연차(휴가)**\u200a는 **15일**입니다",
		"**연차**는":                "**연차**는",
		"`f(**x)**는`":            "`f(**x)**는`",
		"```\n**x)**는\n```":      "```\n**x)**는\n```",
	} {
		if got := whole(in, 1000); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
