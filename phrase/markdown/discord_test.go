package markdown_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"maru/phrase/markdown"
)

// discordParts returns a text as Discord gets it.
func discordParts(s string, limit int) []string {
	var out []string
	for _, p := range markdown.Discord().Split(markdown.Discord().Lines(s, nil), limit) {
		out = append(out, p.Text)
	}
	return out
}

func TestDiscordSplitLosesNothing(t *testing.T) {
	t.Parallel()
	words := []string{"가나다라", "**굵게**", "👨‍👩‍👧‍👦", "각", "`code`", "e\u0301", "한국어", "x"}
	var src strings.Builder
	for i := range 3000 {
		src.WriteString(words[i%len(words)])
		if i%40 == 39 {
			src.WriteString("\n\n")
		} else {
			src.WriteByte(' ')
		}
	}
	letters := func(s string) string {
		return strings.NewReplacer("*", "", "`", "", " ", "", "\n", "").Replace(s)
	}
	for _, limit := range []int{60, 100, 500, 2000} {
		parts := discordParts(src.String(), limit)
		for _, p := range parts {
			if utf8.RuneCountInString(p) > limit {
				t.Errorf("%d characters in a message of %d", utf8.RuneCountInString(p), limit)
			}
		}
		if got, want := letters(strings.Join(parts, "")), letters(src.String()); got != want {
			t.Errorf("at %d: text differs", limit)
		}
	}
}

func TestDiscordSplitKeepsGraphemesWhole(t *testing.T) {
	t.Parallel()
	for _, g := range []string{"👨‍👩‍👧‍👦", "각", "e\u0301", "🇰🇷", "가"} {
		long := strings.Repeat(g, 300)
		for limit := 40; limit < 90; limit += 7 {
			for _, p := range discordParts(long, limit) {
				if n := uniseg.GraphemeClusterCount(p); n*len(g) != len(p) {
					t.Fatalf("%q is cut at a limit of %d: %q", g, limit, p)
				}
			}
		}
	}
}

func TestDiscordSplitRepeatsFencesAndTableHeads(t *testing.T) {
	t.Parallel()
	code := "```go\n" + strings.Repeat("fmt.Println(1)\n", 400) + "```"
	for i, p := range discordParts(code, 2000) {
		if !strings.HasPrefix(p, "```go\n") || !strings.HasSuffix(p, "\n```") {
			t.Errorf("message %d is not a whole block: %.20q", i, p)
		}
	}
	table := "| 이름 | 값 |\n|---|---|\n" + strings.Repeat("| 하나 | 둘 |\n", 400)
	for i, p := range discordParts(table, 2000) {
		if !strings.HasPrefix(p, "```\n이름 │ 값") {
			t.Errorf("message %d has no head: %.30q", i, p)
		}
	}
	link := strings.Repeat("word ", 398) + "[label with words](https://host.example/path?x=1) tail"
	for _, p := range discordParts(link, 2000) {
		if strings.Contains(p, "[label") != strings.Contains(p, "x=1)") {
			t.Errorf("the link is cut: %q", p)
		}
	}
}

func TestDiscordBoldBeforeAParticle(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"**연차(유급)**를 쓴다":    "**연차(유급)**를 쓴다",
		"**\"연차\"**는 15일":   "**\"연차\"**는 15일",
		"`f(**x)**는`":       "`f(**x)**는`",
		"```\n**x)**는\n```": "```\n**x)**는\n```",
	} {
		if parts := discordParts(in, 1000); len(parts) != 1 || parts[0] != want {
			t.Errorf("%s is written %+v, want %q", in, parts, want)
		}
	}
}

// TestDiscordTextThatKeepsTheParserBusy: nobody reads what is a page of brackets, and it is written as it stands.
func TestDiscordTextThatKeepsTheParserBusy(t *testing.T) {
	t.Parallel()
	got := ""
	for _, p := range discordParts("**first**\n\n"+strings.Repeat("[", 2500), 2000) {
		got += p
	}
	if !strings.HasPrefix(got, `\*\*first\*\*`) || strings.Count(got, "[") != 2500 {
		t.Errorf("it is written %.40q…, with %d brackets", got, strings.Count(got, "["))
	}
}
