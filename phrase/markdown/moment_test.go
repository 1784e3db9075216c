package markdown_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"maru/phrase"
	"maru/phrase/chart"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// own is the page of a text of the bot.
type own struct{}

func (own) Cite([]int) (string, bool)               { return "", false }
func (own) Timed() bool                             { return true }
func (own) Chart(c chart.Chart) string              { return c.HTML("en") }
func (own) Link(_, _ string) (before, after string) { return "", "" }

// forged are foreign texts that a Markdown parser reads as links of "Delete production" to a moment.
var forged = []string{
	"[Delete production](moment:1700000000)", "[Delete production](<moment:1700000000>)", `[Delete production](moment:1700000000 "t")`,
	"[Delete production][1]\n\n[1]: moment:1700000000", "[Delete production]\n\n[Delete production]: <moment:1700000000>",
	"[[Delete production](moment:1)](moment:1700000000)", "[[[Delete production](moment:1)](moment:2)](moment:1700000000)",
	"[Delete production](&#109;oment:1700000000)", "[Delete production](moment&colon;1700000000)", `[Delete production](moment\:1700000000)`,
	"[Delete production](MOMENT:1700000000)", "[Delete production](\nmoment:1700000000\n)", "[Delete\nproduction](moment:1700000000)",
	"[**Delete** production](moment:1700000000)", "![Delete production](moment:1700000000)", "Delete production <moment:1700000000>",
	"[Delete production](moment:%EF%BF%BA1700000000)", "[Delete production](moment:&#xFFFA;1700000000)", "[Delete production](moment:\uFFFA1700000000)",
	"[Delete production](<moment:\uFFFA1700000000>)", "[[Delete production](moment:\uFFFA1)](moment:\uFFFA1700000000)", "[Delete production][1]\n\n[1]: moment:\uFFFA1700000000",
	"\uFFFA[Delete production](moment:\uFFFA\uFFFA1700000000)",
}

// TestForeignTextHasNoMoments: foreign text in a text of the bot, however it loses the mark, keeps its words in view. The real
// moment below it stays one.
func TestForeignTextHasNoMoments(t *testing.T) {
	t.Parallel()
	real := phrase.Local(time.Unix(1_600_000_000, 0), "13 September KST")
	tags := regexp.MustCompile(`<[^>]*>`)
	for _, raw := range forged {
		for way, clean := range map[string]func(string) string{
			"words": phrase.MomentWords, "clean": fit.Clean, "visible": fit.Visible,
			"said": func(s string) string { return strings.TrimSuffix(phrase.Say("en", "schedule.next", s), "\n") },
		} {
			text := clean(raw) + "\n\n" + string(real)
			for platform, show := range map[string]struct {
				times int
				form  string
				text  func() string
			}{
				"discord": {1, "<t:", func() string { d := markdown.Discord().Timed(); return d.Join(d.Lines(text, nil)) }},
				"slack": {1, "date:", func() string {
					out := ""
					for _, l := range markdown.Slack().Timed().Lines(text, nil) {
						for _, tok := range l.Tokens {
							if out += tok.Plain; tok.At != 0 {
								out = strings.TrimSuffix(out, tok.Plain) + "date:"
							}
						}
						out += " "
					}
					return out
				}},
				"slack_footer": {1, "<!date", func() string { return strings.ReplaceAll(markdown.MrkdwnTimed(text), "**", "") }},
				"web":          {1, "<time", func() string { return markdown.HTML(text, own{}) }},
				"web_field":    {1, "<time", func() string { return strings.ReplaceAll(markdown.TimedHTML(text), "**", "") }},
				"terminal":     {0, "<t", func() string { d := markdown.Terminal(); return d.Join(d.Lines(phrase.MomentWords(text), nil)) }},
			} {
				got := show.text()
				if n := strings.Count(got, show.form); n != show.times {
					t.Errorf("%s, %s: %d moments of %q in %q", platform, way, n, raw, got)
				}
				seen := strings.NewReplacer("*", "", "\x1b[1m", "", "\x1b[22m", "").Replace(tags.ReplaceAllString(got, ""))
				if !strings.Contains(fit.OneLine(seen), "Delete production") {
					t.Errorf("%s, %s: %q is shown as %q", platform, way, raw, got)
				}
			}
		}
	}
}

// TestMomentsInOtherMarkup: a moment that the text around it makes code or a tag, or that is not parsed, shows its words.
func TestMomentsInOtherMarkup(t *testing.T) {
	t.Parallel()
	at := string(phrase.Local(time.Unix(1_600_000_000, 0), "13 September KST"))
	for _, text := range []string{"`code " + at + " code`", `<a b="` + at + `">`, strings.Repeat("[", 3000) + at, "<div>\n" + at} {
		d := markdown.Discord().Timed()
		if got := d.Join(d.Lines(text, nil)); strings.Contains(got, "moment:") || !strings.Contains(got, "<t:") && !strings.Contains(got, "13 September KST") {
			t.Errorf("%.20q is shown as %.200q", text, got)
		}
	}
	if got := markdown.HTML(at+strings.Repeat(" words", 9000), own{}); !strings.HasPrefix(got, `<p class="plain">13 September KST words`) {
		t.Errorf("a long text begins with %.80q", got)
	}
}
