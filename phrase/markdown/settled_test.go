package markdown_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"maru/datatest"
	"maru/phrase/markdown"
)

// streamedSoFar returns what a stream to Slack would show of a text that is still written.
func streamedSoFar(text string) string {
	text = text[:markdown.Settled(text)]
	return markdown.WholeWords(markdown.Growing(whole(text, 1<<20), markdown.Slack().Lines(text, nil)))
}

const longAnswer = "## Leave\n\nThere are **15 days** a year, see [rules](https://rules.example/a) and `code *x*`.\nA snake_case_word, 2 * 3 = 6, a \\* star.\n\n" +
	"```go\nif x {\n    return y\n}\n```\n\n1. first\n2. second _thing_ here\n   - nested **bold** one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted words\n> go on\n\n" +
	"연차는 **\"15일\"**이에요. 자세한 내용은 [취업규칙](https://rules.example/b)을 보세요.\n\nThe end."

// What was streamed of an answer is never taken back, wherever it was cut.
func TestWhatIsStreamedStays(t *testing.T) {
	t.Parallel()
	all := whole(longAnswer, 1<<20)
	behind := 0
	for end := range longAnswer {
		got := streamedSoFar(longAnswer[:end])
		if !strings.HasPrefix(all, got) {
			t.Fatalf("after %q:\n%q\nis no beginning of\n%q", longAnswer[:end], got, all)
		}
		if rest := all[len(got):]; rest != strings.TrimLeft(rest, " \n\t") {
			t.Fatalf("after %q the next part begins with white space: %q", longAnswer[:end], rest)
		}
		behind += end - len(got)
	}
	if mean := behind / len(longAnswer); mean > 40 {
		t.Errorf("the stream is %d bytes behind the text on average", mean)
	}
}

// Of the examples of CommonMark nearly all can be streamed word by word; what
// cannot is shown by an edit in the end. A link that is defined further down
// cannot.
func TestExamplesStream(t *testing.T) {
	t.Parallel()
	var all []struct {
		Markdown string `json:"markdown"`
	}
	if err := json.Unmarshal(datatest.File(t, "commonmark/spec.json"), &all); err != nil {
		t.Fatal(err)
	}
	bad := 0
	for _, e := range all {
		sent := whole(e.Markdown, 1<<20)
		if sent == "" || strings.Contains(e.Markdown, "]:") {
			continue
		}
		for end := range e.Markdown {
			if !strings.HasPrefix(sent, streamedSoFar(e.Markdown[:end])) {
				bad++
				break
			}
		}
	}
	t.Logf("%d of %d examples read otherwise in the end than in the middle", bad, len(all))
	if bad > len(all)/20 {
		t.Errorf("%d of %d examples cannot be streamed", bad, len(all))
	}
}

func FuzzSettled(f *testing.F) {
	f.Add(longAnswer, 100)
	f.Add("```\n\n~~~", 4)
	f.Add("[a](<b", 5)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if cut < 0 || cut > len(text) {
			return
		}
		n := markdown.Settled(text[:cut])
		if n < 0 || n > cut || utf8.ValidString(text) && !utf8.ValidString(text[:n]) {
			t.Errorf("settled %d of %d", n, cut)
		}
	})
}

// What a terminal shows of an answer is never taken back either.
func TestWhatATerminalShowsStays(t *testing.T) {
	t.Parallel()
	d := markdown.Terminal()
	all := d.Join(d.Lines(longAnswer, nil))
	behind := 0
	for end := range longAnswer {
		got := d.Draft(longAnswer[:end])
		if !strings.HasPrefix(all, got) {
			t.Fatalf("after %q:\n%q\nis no beginning of\n%q", longAnswer[:end], got, all)
		}
		behind += end - len(got)
	}
	if mean := behind / len(longAnswer); mean > 40 {
		t.Errorf("the terminal is %d bytes behind the text on average", mean)
	}
	if got := d.Draft("The answer so f"); got != "The answer so f" {
		t.Errorf("of words %q is shown", got)
	}
}
