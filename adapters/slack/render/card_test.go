package render

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slack-go/slack"

	"maru/bot"
	"maru/datatest"
	"maru/phrase/fit"
)

var update = flag.Bool("update", false, "write the golden files")

// cards has one card of each kind.
func cards() map[string]bot.Card {
	sources := []bot.Source{
		{N: 1, Title: "취업규칙.pdf", Heading: "제15조 연차휴가", Page: 12, Score: 0.83, URL: "https://docs.example.com/rules.pdf?a=1&b=2"},
		{N: 2, Title: "Handbook <v2>", Heading: "Leave"},
	}
	buttons := []bot.Button{
		{ID: "ap_01", Verb: "accept", Label: "승인", Style: bot.ButtonPrimary},
		{ID: "ap_01", Verb: "reject", Label: "거절", Style: bot.ButtonDanger},
		{Label: "Trace", URL: "https://maru.example.com/runs/1"},
	}
	return map[string]bot.Card{
		"text":     {Kind: bot.CardText, Text: "연차는 **15일**입니다 [1].\n\n| 근속 | 일수 |\n|---|---:|\n| 1년 | 15 |\n\n```go\nif a < b {\n}\n```\n", Sources: sources, Footer: "2 model calls · 1.2 s", Language: "ko", Final: true},
		"progress": {Kind: bot.CardProgress, Text: "The answer so f", Status: "searching documents", Language: "en"},
		"choices":  {Kind: bot.CardChoices, Title: "어떤 규정인가요?", Text: "둘 중 하나를 골라 주세요.", Buttons: []bot.Button{{ID: "q1", Verb: "a", Label: "취업규칙"}, {ID: "q1", Verb: "b", Label: "여비규정"}}, Language: "ko"},
		"plan": {Kind: bot.CardPlan, Title: "Plan", Text: "This is what I would do:", Steps: []bot.Step{
			{Text: "Search <documents>", State: bot.StepDone, Detail: "3 passages"}, {Text: "Compare", State: bot.StepRunning},
			{Text: "Write", State: bot.StepWaiting}, {Text: "Send", State: bot.StepFailed, Detail: "no right to"}, {Text: "Tell", State: bot.StepSkipped},
		}, Fields: []bot.Field{{Label: "Cost", Value: "$0.02"}, {Label: "Tools", Value: "search & mail"}}, Buttons: buttons, Language: "en"},
		"feedback": {Kind: bot.CardFeedback, Text: "Done.", Buttons: []bot.Button{{ID: "fb", Verb: "up", Label: "👍", Spoken: "Good answer"}, {ID: "fb", Verb: "down", Label: "👎", Spoken: "Bad answer"}}, Final: true},
		"sources":  {Kind: bot.CardText, Text: "See [the rules](https://docs.example.com/rules.pdf?a=1&b=2) and [this](https://evil.example/x).", Sources: sources, Language: "en", Final: true},
		"notice":   {Kind: bot.CardNotice, Text: "<!channel> Only an admin may do that, @everyone.", Language: "en", Final: true},
	}
}

func TestCardsLookAsTheyShould(t *testing.T) {
	t.Parallel()
	for name, c := range cards() {
		var b strings.Builder
		for _, p := range Card(c) {
			raw, err := json.MarshalIndent(map[string]any{"blocks": p.Blocks, "text": p.Text}, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			b.Write(raw)
			b.WriteString("\n")
		}
		file := filepath.Join("testdata", name+".golden.json")
		if *update {
			if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s looks different (go test ./adapters/slack/render -run Look -update after checking):\n%s", name, b.String())
		}
	}
}

// TestLongFields: values that a field has room for are whole, and so many of them are more than one message.
func TestLongFields(t *testing.T) {
	t.Parallel()
	c := bot.Card{Kind: bot.CardNotice, Final: true}
	for i := range 10 {
		c.Fields = append(c.Fields, bot.Field{Label: fmt.Sprint("value ", i), Value: strings.Repeat("가나다라 ", 330) + fmt.Sprint("end", i)})
	}
	sound(t, "long fields", c)
	var all strings.Builder
	for _, p := range Card(c) {
		raw, err := json.Marshal(p.Blocks)
		if err != nil {
			t.Fatal(err)
		}
		if n := fit.UTF16(string(raw)); n > maxTotal+500 {
			t.Errorf("a message of %d characters", n)
		}
		all.Write(raw)
	}
	for i := range 10 {
		if end := fmt.Sprintf("end%d\"", i); !strings.Contains(all.String(), end) {
			t.Errorf("%s is missing", end)
		}
	}
}

// TestPlainerCutsBetweenLines: where Slack takes no Markdown block, no line and no block of code is cut in half.
func TestPlainerCutsBetweenLines(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 150 {
		fmt.Fprintf(&text, "Order number %d costs %d,%03d won and stands at https://shop.example.com/orders/%d\n\n", 100000000+i*7919, i+1, i, i)
	}
	text.WriteString("```\n")
	for i := range 150 {
		fmt.Fprintf(&text, "row_%09d = %d\n", i, i*104729)
	}
	text.WriteString("```\n")
	var pieces []string
	for _, p := range Card(bot.Card{Kind: bot.CardText, Text: text.String(), Final: true}) {
		if err := soundPart(p.Plainer()); err != nil {
			t.Error(err)
		}
		for _, b := range p.Plainer().Blocks {
			if s, ok := b.(*slack.SectionBlock); ok && s.Text != nil {
				pieces = append(pieces, s.Text.Text)
				if n := fit.UTF16(s.Text.Text); n > maxSection || strings.Count(s.Text.Text, "```")%2 == 1 {
					t.Errorf("a section of %d characters: %q", n, s.Text.Text)
				}
			}
		}
	}
	all := "\n" + strings.Join(pieces, "\n") + "\n"
	for line := range strings.Lines(text.String()) {
		if line = strings.TrimSpace(line); !strings.Contains(all, "\n"+line+"\n") {
			t.Errorf("cut or lost: %q", line)
		}
	}
}

func whole(s string, limit int) string {
	var out []string
	for _, p := range split(Lines(s, nil, "ko"), limit) {
		out = append(out, p.Markdown)
	}
	return strings.Join(out, "\n")
}

type example struct {
	Markdown string `json:"markdown"`
	Example  int    `json:"example"`
}

// Every CommonMark example passes within the limits, with its fences
// closed, and rendering what was rendered changes nothing that matters.
func TestCommonMarkExamplesAreSound(t *testing.T) {
	t.Parallel()
	var all []example
	if err := json.Unmarshal(datatest.File(t, "commonmark/spec.json"), &all); err != nil {
		t.Fatal(err)
	}
	unstable := 0
	for _, e := range all {
		if strings.TrimSpace(fit.Clean(e.Markdown)) == "" {
			continue
		}
		sound(t, fmt.Sprintf("example %d", e.Example), bot.Card{Text: e.Markdown})
		once := whole(e.Markdown, 1<<20)
		// Code shows entities as they were written, so each pass would write one more.
		if twice := whole(once, 1<<20); twice != whole(twice, 1<<20) && !strings.Contains(once, "`") {
			t.Errorf("example %d does not settle:\n%q\n%q\n%q", e.Example, once, twice, whole(twice, 1<<20))
		} else if once != twice {
			unstable++
		}
		for _, limit := range []int{40, 64, 200} {
			for _, p := range split(Lines(e.Markdown, nil, "ko"), limit) {
				if fit.UTF16(p.Markdown) > limit {
					t.Errorf("example %d: %d characters, limit %d: %q", e.Example, fit.UTF16(p.Markdown), limit, p.Markdown)
				}
				if unbalanced(p.Markdown) || strings.Contains(p.Markdown, "<") {
					t.Errorf("example %d, limit %d: %q", e.Example, limit, p.Markdown)
				}
			}
		}
	}
	t.Logf("%d examples, %d needed a second pass to settle", len(all), unstable)
}

// Naughty strings call nobody and break nothing.
func TestNaughtyStringsAreSound(t *testing.T) {
	t.Parallel()
	var all []string
	if err := json.Unmarshal(datatest.File(t, "blns/blns.json"), &all); err != nil {
		t.Fatal(err)
	}
	for i, s := range all {
		if s == "" {
			continue
		}
		c := bot.Card{Title: s, Text: s, Status: s, Footer: s, Steps: []bot.Step{{Text: s, Detail: s}}, Fields: []bot.Field{{Label: s, Value: s}},
			Sources: []bot.Source{{Title: s, Heading: s, URL: s}}, Buttons: []bot.Button{{ID: s, Verb: s, Label: s}, {Label: s, URL: s}}}
		sound(t, fmt.Sprintf("string %d %q", i, s), c)
	}
}

// A hundred ways to call somebody.
func TestMentionsAreNeutral(t *testing.T) {
	t.Parallel()
	targets := []string{"!channel", "!here", "!everyone", "@U1", "@W1|boss", "!subteam^S1", "!subteam^S1|@devs", "#C1", "#C1|x", "!date^1^{date}^http://evil.example|x", "http://evil.example|label"}
	wraps := []string{"<%s>", "\\<%s\\>", "&lt;%s&gt;", "&#60;%s&#62;", "&#x3C;%s&#x3e;", "`<%s>`", "```\n<%s>\n```", "**<%s>**", "[<%s>](https://a.example)", "| a |\n|---|\n| <%s> |", "> <%s>", "![<%s>](x)", "<b><%s></b>", "    <%s>"}
	for _, target := range targets {
		for _, wrap := range wraps {
			sound(t, fmt.Sprintf(wrap, target), bot.Card{Text: fmt.Sprintf(wrap, target), Title: target})
		}
	}
	for _, s := range []string{"@channel", "hey @Everyone!", "(@here)", "**@channel**", "@HERE"} {
		sound(t, s, bot.Card{Text: s})
	}
}

// Single tildes strike nothing: not in the answer, nor in its notification, nor in the
// looks that remain when Slack refuses blocks.
func TestRangesStayAsWritten(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"11:30~13:00이고 저녁은 17:30~19:00", "12월 1~2일 또는 8~9일"} {
		for name, c := range map[string]bot.Card{
			"text": {Text: s}, "bold": {Text: "**" + s + "**"}, "link": {Text: "[" + s + "](https://a.example)"}, "table": {Text: "| a |\n|---|\n| " + s + " |"},
			"title": {Title: s}, "footer": {Footer: s}, "field": {Fields: []bot.Field{{Label: "a", Value: s}}}, "source": {Sources: []bot.Source{{N: 1, Title: s}}},
		} {
			p := Card(c)[0]
			if !strings.Contains(p.Text, s) {
				t.Errorf("%s: the notification is %q", name, p.Text)
			}
			for _, look := range []Part{p, p.Plainer()} {
				raw, err := json.Marshal(look.Blocks)
				if err != nil || !strings.Contains(strings.ReplaceAll(string(raw), `\\~`, "~"), s) || strings.Contains(string(raw), "~~") {
					t.Errorf("%s: blocks are %s", name, raw)
				}
			}
		}
	}
}

func TestHugeAndOddCardsAreNeverRefused(t *testing.T) {
	t.Parallel()
	times, k := 4000, 1000
	if datatest.Short(t) {
		times, k = 400, 250 // the card is longer than any limit, too
	}
	long := strings.Repeat("긴 글자 <!channel> & ", times)
	c := bot.Card{Title: long, Text: long, Status: long, Footer: long}
	for range 60 {
		c.Steps = append(c.Steps, bot.Step{Text: long, Detail: long, State: "odd"})
		c.Fields = append(c.Fields, bot.Field{Label: long, Value: long})
		c.Sources = append(c.Sources, bot.Source{Title: long, Heading: long, URL: "https://a.example/" + strings.Repeat("x", 5000)})
		c.Buttons = append(c.Buttons, bot.Button{ID: "same", Verb: "same", Label: long})
	}
	c.Buttons = append(c.Buttons, bot.Button{ID: strings.Repeat("i", 4000), Label: "x"})
	sound(t, "huge", c)
	sound(t, "empty", bot.Card{})
	sound(t, "invisible", bot.Card{Text: "[](<>)\n\n[r]: /x"})
	sound(t, "deep", bot.Card{Text: strings.Repeat(">", 3000) + "x"})
	sound(t, "list", bot.Card{Text: strings.Repeat("- ", 3000) + "x"})
	sound(t, "brackets", bot.Card{Text: strings.Repeat("[", 20*k)})
	for name, s := range map[string]string{
		"quotes": strings.Repeat(">", 20*k) + "end", "nested": strings.Repeat("[a](", 20*k) + "end", "tilde": strings.Repeat("~~a", 20*k), "stars": strings.Repeat("**a", 30*k),
		"url": strings.Repeat("http://a@", 6*k), "amp": strings.Repeat("&", 15*k), "family": strings.Repeat("👩‍👩‍👧‍👦", 4*k), "zalgo": strings.Repeat("a"+strings.Repeat("\u0301", k), 100),
	} {
		sound(t, name, bot.Card{Text: s})
	}
	sound(t, "wide", bot.Card{Text: "|" + strings.Repeat("a|", 3000) + "\n|" + strings.Repeat("-|", 3000) + "\n|" + strings.Repeat("b|", 3000)})
}

func FuzzRender(f *testing.F) {
	for _, s := range []string{"# a\n\n- b\n  ```go\n  c\n  ```", "| a |\n|-|\n| **b** |", "<!channel> [x](y)", "> > ~~~\n> > x", "***a** b*", "1. a\n\n   b\n2. c", "\x00\xff\r", "`<@U1>`"} {
		f.Add(s, uint16(60))
	}
	f.Fuzz(func(t *testing.T, s string, limit uint16) {
		n := 48 + int(limit)%2000
		for _, p := range split(Lines(s, nil, "ko"), n) {
			if fit.UTF16(p.Markdown) > n {
				t.Fatalf("%d characters, limit %d: %q", fit.UTF16(p.Markdown), n, p.Markdown)
			}
			if strings.Contains(p.Markdown, "<") {
				t.Fatalf("angle bracket: %q", p.Markdown)
			}
		}
		sound(t, "fuzz", bot.Card{Text: s, Title: s, Footer: s})
	})
}
