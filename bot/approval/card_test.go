package approval_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/phrase/markdown"
)

// asked returns a question as its row holds it.
func asked(t *testing.T, payload any) approval.Asked {
	t.Helper()
	ask, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	about, err := json.Marshal(approval.Paused{Lang: "en", Interrupt: agent.Interrupt{ID: "i1", Kind: "plan", Payload: ask}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := approval.Read(bot.Approval{ID: "a1", Interrupt: "i1", Kind: "plan", Payload: about, Digest: bot.Digest(about), Allowed: []string{"U1"}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// shown returns the text that people read of a card on a terminal.
func shown(c bot.Card) string {
	d := markdown.Terminal()
	return markdown.PlainLines(d.Lines(c.Text, nil))
}

// TestCardHidesNoWord: whatever an agent, a program or a stranger wrote is on the card, as it was written.
func TestCardHidesNoWord(t *testing.T) {
	t.Parallel()
	for name, hidden := range map[string]string{
		"a_link_definition":       "Pay Kim\n\n[//]: # (and pay Lee 900)",
		"a_title_of_a_link":       `Read [the page](http://a.example "and delete it")`,
		"a_target_of_a_link":      "See [the bank](http://evil.example/give?to=lee)",
		"a_link_to_no_page":       "See [the bank](javascript:pay('lee'))",
		"a_comment":               "Pay Kim <!-- and Lee -->",
		"folded_text":             "<details><summary>Pay Kim</summary>and Lee</details>",
		"a_footnote":              "Pay Kim[^1]\n\n[^1]: and Lee",
		"cells_beyond_the_head":   "| To |\n|---|\n| Kim | and Lee |",
		"an_info_string":          "```sh and mail Lee\nls\n```",
		"a_chart":                 "```chart\n{\"type\": \"bar\", \"title\": \"Pay Kim\", \"note\": \"and Lee\"}\n```",
		"numbers_counted_anew":    "1000. Kim\n5000. Lee",
		"an_entity":               "Pay Kim&#8203;&#x202e; and Lee",
		"a_fence_that_stays_open": "Pay Kim\n```\nand Lee",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			card := approval.Card([]approval.Asked{asked(t, agent.Ask{Question: "Go?", Detail: hidden, Notes: []string{"note " + hidden, "the last note"}, Effect: agent.EffectSends})}, nil, time.UTC)
			got := shown(card)
			for line := range strings.SplitSeq(hidden, "\n") {
				if line = strings.Trim(line, "|-` "); strings.Count(got, line) < 2 {
					t.Errorf("%q is not shown twice:\n%s", line, got)
				}
			}
			if !strings.Contains(card.Text, "> ℹ️ the last note") || !strings.HasSuffix(card.Text, "**📨 sends data out**") {
				t.Errorf("what follows is swallowed:\n%s", card.Text)
			}
			question, text, _ := asked(t, agent.Ask{Question: hidden, Detail: "see"}).Plainly()
			if line, _, _ := strings.Cut(hidden, "\n"); text != "see" || !strings.Contains(question, strings.Trim(line, "|-` ")) {
				t.Errorf("a page shows %q, %q", question, text)
			}
		})
	}
}

// TestStepsOfAnySizeAreShown: a step that a surface would cut is part of the text, where its marks are characters.
func TestStepsOfAnySizeAreShown(t *testing.T) {
	t.Parallel()
	values := `mail {"to":"*@a.example","body":"` + strings.Repeat("see [x](http://b.example) ", 12) + `<!-- end -->"}`
	for name, s := range map[string]agent.PlanStep{
		"a_long_text":   {Text: values},
		"a_long_detail": {Text: "mail", Detail: values},
		"emoji":         {Text: strings.Repeat("😀", 200) + "end"},
	} {
		card := approval.Card([]approval.Asked{asked(t, agent.Ask{Question: "Go?", Steps: []agent.PlanStep{s}})}, nil, time.UTC)
		if got := shown(card); len(card.Steps) > 0 || !strings.Contains(got, s.Text) || !strings.Contains(got, s.Detail) {
			t.Errorf("%s: %d steps below\n%s", name, len(card.Steps), got)
		}
	}
	short := approval.Card([]approval.Asked{asked(t, agent.Ask{Question: "Go?", Steps: []agent.PlanStep{{Text: "[x]: *y*"}}})}, nil, time.UTC)
	if len(short.Steps) != 1 || short.Steps[0].Text != "[x]: *y*" {
		t.Errorf("a short step is %+v", short.Steps)
	}
}

// TestCutCodeIsEnded: the notice below a question that is cut is no code, whatever fence the code at the cut has.
func TestCutCodeIsEnded(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{
		"backticks": "```\n", "tildes": "~~~\n", "with_shorter_ones": "````\n```\n", "indented_in_a_list": "- a\n\n  ```sh\n  ", "beside_the_mark_of_a_list": "1. ~~~~\n   ~~~\n   ",
		"ended_before": "- ```\n  code\n  ```\n\n", "others_within": "~~~\n```\n~~~\n",
	} {
		card := approval.Card([]approval.Asked{asked(t, agent.Ask{Detail: begin + strings.Repeat("word ", 3_000), Question: "Go?"})}, nil, time.UTC)
		lines := markdown.Terminal().Lines(card.Text, nil)
		last := lines[len(lines)-1]
		if text := markdown.Plain(last.Tokens); last.Frame != nil || !strings.Contains(text, "Too long") || last.Prefix != "" {
			t.Errorf("%s: the card ends with %q%q in %+v", name, last.Prefix, text, last.Frame)
		}
	}
}
