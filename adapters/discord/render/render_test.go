package render

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"maru/adapters/discord/render/rendertest"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/datatest"
	"maru/phrase"
	"maru/phrase/fit"
)

var update = flag.Bool("update", false, "write the goldens anew")

func TestGoldens(t *testing.T) {
	t.Parallel()
	for name, c := range rendertest.Cards() {
		var sent []Outgoing
		for _, p := range Card(c) {
			sent = append(sent, NewOutgoing(p))
		}
		var got strings.Builder
		enc := json.NewEncoder(&got)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(sent); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+".golden.json")
		if *update {
			if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s changed (run with -update):\n%s", name, got.String())
		}
	}
}

func TestFormGolden(t *testing.T) {
	t.Parallel()
	raw, err := json.MarshalIndent(Modal(bot.Form{
		ID: "f1", Verb: "edit.form", Title: "계획 고치기", Submit: "보내기", Inputs: []bot.Input{
			{ID: "steps", Label: "단계", Hint: "한 줄에 하나씩", Value: "1. 빌드\n2. 배포", Long: true, Required: true, Max: 3000},
			{ID: "env", Label: "환경", Required: true, Value: "prod", Options: []bot.Option{{Value: "prod", Label: "운영"}, {Value: "dev", Label: "개발"}}},
			{ID: "note", Label: strings.Repeat("아주 긴 이름 ", 10)},
			{ID: "who", Label: "사람", Pick: true, Value: "111, 222"},
		},
	}, "", func(id string) bool { return id == "222" }), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "modal.golden.json")
	if *update {
		if err := os.WriteFile(path, append(raw, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != string(raw)+"\n" {
		t.Errorf("the form changed (run with -update): %v\n%s", err, raw)
	}
}

var pings = regexp.MustCompile(`(?i)@(everyone|here)\b|<@[!&]?\d+>|<#\d+>|<a?:\w+:\d+>`)

// obeys checks everything that must hold for whatever is rendered.
func obeys(t *testing.T, name string, c bot.Card) {
	t.Helper()
	parts := Card(c)
	if len(parts) == 0 || len(parts) > maxMessages {
		t.Fatalf("%s: %d messages", name, len(parts))
	}
	for _, p := range parts {
		most, all := MaxContent, wire.Component{Components: p.blocks}
		if p.V2() {
			most = maxV2Text
		}
		switch {
		case strings.TrimSpace(p.Text()) == "":
			t.Errorf("%s: an empty message", name)
		case size(strings.ReplaceAll(p.Text(), "\n", "")) > most:
			t.Errorf("%s: %d characters", name, size(p.Text()))
		case count(all)-1 > maxComponents:
			t.Errorf("%s: %d components", name, count(all)-1)
		case !utf8.ValidString(p.Text()):
			t.Errorf("%s: broken UTF-8", name)
		case strings.Count(p.Text(), "```")%2 != 0:
			t.Errorf("%s: an open fence in %q", name, p.Text())
		case pings.MatchString(p.Text()):
			t.Errorf("%s: mentions %q", name, pings.FindString(p.Text()))
		case len(p.rows) > maxRows:
			t.Errorf("%s: %d rows", name, len(p.rows))
		}
		for _, m := range bareURL.FindAllString(p.Text(), -1) {
			host := m[strings.Index(m, "://")+3:]
			if at := strings.IndexAny(host, "/?#"); at >= 0 {
				host = host[:at]
			}
			if strings.Contains(host, "@") {
				t.Errorf("%s: an address with a user name: %q", name, m)
			}
		}
	}
}

var bareURL = regexp.MustCompile(`(?i)https?://[^\s<>]+`)

func TestCommonMarkObeysTheLimits(t *testing.T) {
	t.Parallel()
	var examples []struct {
		Markdown string `json:"markdown"`
		Example  int    `json:"example"`
	}
	if err := json.Unmarshal(datatest.File(t, "commonmark/spec.json"), &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) < 600 {
		t.Fatalf("%d examples", len(examples))
	}
	var all strings.Builder
	for _, e := range examples {
		obeys(t, "example "+e.Markdown, bot.Card{Text: e.Markdown})
		obeys(t, "native example "+e.Markdown, bot.Card{Kind: bot.CardChoices, Text: e.Markdown})
		all.WriteString(e.Markdown + "\n\n")
	}
	obeys(t, "all at once", bot.Card{Text: fit.Cut(all.String(), 30000)})
	obeys(t, "all at once, native", bot.Card{Kind: bot.CardPlan, Text: fit.Cut(all.String(), 30000), Buttons: rendertest.Choices(40)})
}

func TestNaughtyStringsObeyTheLimits(t *testing.T) {
	t.Parallel()
	var naughty []string
	if err := json.Unmarshal(datatest.File(t, "blns/blns.json"), &naughty); err != nil {
		t.Fatal(err)
	}
	for _, s := range datatest.Thin(t, naughty, 32) { // nothing is shared that could race
		for _, repeat := range []int{1, 120} {
			long := strings.Repeat(s+" ", repeat)
			for _, kind := range []bot.CardKind{bot.CardText, bot.CardChoices} {
				obeys(t, s, bot.Card{Kind: kind, Title: long, Text: long, Status: long, Footer: long,
					Steps: []bot.Step{{Text: long, Detail: long}}, Fields: []bot.Field{{Label: long, Value: long}},
					Sources: []bot.Source{{N: 1, Title: long, Heading: long, URL: long}},
					Buttons: []bot.Button{{ID: "a", Verb: "b", Label: long}, {Label: long, URL: long}}})
			}
		}
	}
}

// shapes returns the ways in which a model may try to call people.
func shapes() []string {
	out := []string{}
	for _, m := range []string{"@everyone", "@here", "<@123456789>", "<@!123456789>", "<@&123456789>", "<#123456789>", "@EVERYONE", "&#64;everyone", "&lt;@123456789&gt;", `\@everyone`, `\<@123456789>`, "<\\@123456789>"} {
		for _, around := range []string{"%s", "**%s**", "`%s`", "```\n%s\n```", "> %s", "# %s", "- %s", "[%s](https://a.example)", "[x](https://a.example/%s)", "| a |\n|---|\n| %s |", "~~%s~~"} {
			out = append(out, strings.Replace(around, "%s", m, 1))
		}
	}
	return out
}

func TestNobodyIsCalled(t *testing.T) {
	t.Parallel()
	for _, s := range shapes() {
		obeys(t, s, bot.Card{Text: s, Title: s, Footer: s, Fields: []bot.Field{{Label: s, Value: s}}})
	}
}

// TestMomentsAreShownInTheReadersZone: the bot's own, in text, in a field and in the small line below, beside code. An
// agent's are words.
func TestMomentsAreShownInTheReadersZone(t *testing.T) {
	t.Parallel()
	at := string(phrase.Local(time.Unix(1_700_000_000, 0), "15일(수) 오전 7:13 KST"))
	for _, kind := range []bot.CardKind{bot.CardNotice, bot.CardChoices} {
		card := bot.Card{
			Kind: kind, Own: true, Final: true, Text: "- **매일** · " + at + " · [x](moment:-1)", Footer: "`/maru x` · " + at + " *",
			Fields: []bot.Field{{Label: "결정", Value: "✅ Mina · " + at}},
		}
		if got := fmt.Sprintf("%+v", Card(card)); strings.Count(got, "<t:1700000000:f>") != 3 || strings.Contains(got, "moment:") {
			t.Error(kind, got)
		}
		card.Own, card.Fields = false, nil
		if got := fmt.Sprintf("%+v", Card(card)); strings.Contains(got, "<t:") || strings.Contains(got, "moment:") || strings.Count(got, "15일") != 2 {
			t.Error(kind, got)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, s := range shapes() {
		f.Add(s)
	}
	for _, c := range rendertest.Cards() {
		f.Add(c.Text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		obeys(t, "native fuzz", bot.Card{Kind: bot.CardPlan, Text: s, Steps: []bot.Step{{Text: s, Detail: s}}, Footer: s})
		obeys(t, "fuzz", bot.Card{Text: s, Title: s, Sources: []bot.Source{{N: 1, Title: s, URL: s}}, Buttons: []bot.Button{{ID: "a", Verb: s, Label: s}}})
	})
}

func BenchmarkRender(b *testing.B) {
	c := rendertest.Cards()["answer_with_sources"]
	b.ReportAllocs()
	for b.Loop() {
		Card(c)
	}
}

// TestStepsShowTheirMarks: the values of a step's call are no markup.
func TestStepsShowTheirMarks(t *testing.T) {
	t.Parallel()
	parts := Card(bot.Card{Kind: bot.CardPlan, Steps: []bot.Step{{Text: "`a` *b*", State: bot.StepWaiting, Detail: "run {\"x\":\"`rm` **\"}"}}})
	for _, want := range []string{"\\`a\\` \\*b\\*", "-# run {\"x\":\"\\`rm\\` \\*\\*\"}"} {
		if got := parts[0].Text(); !strings.Contains(got, want) {
			t.Errorf("%q has no %q", got, want)
		}
	}
}
