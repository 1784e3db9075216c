package console_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"maru/adapters/console"
	"maru/bot"
)

// asked is a question, what happens to it, and how it ends.
type asked struct {
	question, input string
	json            bool
	answer          func(bot.Message) []bot.Card
	refuse          error
	code            int
	out, err        string
}

// ran is the run of the question.
var ran = bot.Message{ID: "1", Thread: bot.Thread{Platform: "console", Team: "local", Channel: "home"}}.Run()

// answer shows an answer that grows, and then a card.
func answer(c bot.Card) func(bot.Message) []bot.Card {
	return func(bot.Message) []bot.Card { return []bot.Card{{Kind: bot.CardProgress, Text: "15"}, c} }
}

func expectAsked(t *testing.T, cases map[string]asked) {
	t.Helper()
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEcho()
			e.answer, e.refuse = tt.answer, tt.refuse
			var out, errs strings.Builder
			a := console.NewAsker(console.Config{In: strings.NewReader(tt.input), Out: &out, Err: &errs, NewID: func() string { return "1" }}, tt.json)
			e.adapter = a
			code := a.Ask(t.Context(), e, tt.question)
			e.work.Wait()
			if code != tt.code || out.String() != tt.out || errs.String() != tt.err {
				t.Errorf("code %d, out %q, err %q\nwant %d, %q, %q", code, out.String(), errs.String(), tt.code, tt.out, tt.err)
			}
			if tt.json && !json.Valid([]byte(out.String())) {
				t.Error("no JSON")
			}
		})
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	found := bot.Card{Kind: bot.CardText, Text: "15 days [1].", Run: ran, Final: true, Sources: []bot.Source{{N: 1, Title: "Handbook"}}}
	expectAsked(t, map[string]asked{
		"answered":        {question: "How many?", answer: answer(found), out: "15 days [1].\n\nSources\n  [1] Handbook\n\n"},
		"read_from_stdin": {question: "-", input: "how\nmany?\n", out: "You wrote how\nmany?\n\n"},
		"json": {
			question: "How many?", json: true, answer: answer(found),
			out: `{"answer":"15 days [1].","sources":[{"n":1,"title":"Handbook"}],"run":"` + ran + `","usage":{"calls":2,"input":30,"output":4,"cached":0,"cost":0}}` + "\n",
		},
		"no_question":      {question: " ", code: console.ExitUsage, err: "No question given. Usage: maru ask \"question\"\n"},
		"no_question_json": {question: "", json: true, code: console.ExitUsage, out: `{"answer":"","sources":[],"error":"No question given. Usage: maru ask \"question\""}` + "\n"},
		"too_long":         {question: strings.Repeat("a", 200_000), code: console.ExitUsage, err: "That is too long: the limit is 32768 characters.\n"},
		"failed": {
			question: "q", answer: answer(bot.Card{Kind: bot.CardNotice, Text: "The model is busy.", Final: true}),
			code: console.ExitFailed, out: "The model is busy.\n\n",
		},
		"failed_json": {
			question: "q", json: true, answer: answer(bot.Card{Kind: bot.CardNotice, Text: "The model is busy.", Final: true, Run: ran}),
			code: console.ExitFailed, out: `{"answer":"","sources":[],"run":"` + ran + `","error":"The model is busy."}` + "\n",
		},
		"refused": {question: "q", refuse: &bot.Error{Code: bot.CodeTooLong}, code: console.ExitFailed, err: "This is longer than the language model can read. Please ask in smaller parts.\n"},
		"wants_a_person": {
			question: "q", answer: answer(bot.Card{Kind: bot.CardChoices, Text: "Go?", Buttons: []bot.Button{{ID: "1", Verb: "y", Label: "Yes"}}}),
			code: console.ExitFailed, err: "This needs a decision from a person, so it wasn't done. Decide in maru chat --thread ask-1\n", out: "Go?\n  [1] Yes\nType /1 to choose.\n\n",
		},
		"own_words_name_what_to_type": {
			question: "what do you remember of me?", answer: answer(bot.Card{Kind: bot.CardText, Own: true, Text: "Nothing. `/maru memory share` shares it.", Final: true}),
			out: "Nothing. `maru ask \"/memory share\"` shares it.\n\n",
		},
		"buttons_of_an_answer_are_for_who_stays": {
			question: "q", answer: answer(bot.Card{Kind: bot.CardText, Text: "15", Final: true, Buttons: []bot.Button{{ID: "1", Verb: "dont", Label: "Do not use this"}}}), out: "15\n\n",
		},
		"others_words_stay": {
			question: "q", answer: answer(bot.Card{Kind: bot.CardText, Text: "Say `/maru help`.", Final: true}), out: "Say `/maru help`.\n\n",
		},
		"wants_a_person_in_korean": { // one card is in one language, whatever the terminal's
			question: "q", answer: answer(bot.Card{Kind: bot.CardChoices, Text: "할까요?", Language: "ko", Buttons: []bot.Button{{ID: "1", Verb: "y", Label: "네"}, {ID: "2", Verb: "n", Label: "아니요"}}}),
			code: console.ExitFailed, err: "This needs a decision from a person, so it wasn't done. Decide in maru chat --thread ask-1\n", out: "할까요?\n  [1] 네\n  [2] 아니요\n고르려면 /1, /2를 입력하세요.\n\n",
		},
	})
}

func TestAskedCommands(t *testing.T) {
	t.Parallel()
	expectAsked(t, map[string]asked{
		"a_command":                {question: "/docs list", out: "command docs list; `maru ask \"/help\"` lists them\n\n"},
		"a_command_in_full":        {question: "/maru docs list", out: "command docs list; `maru ask \"/help\"` lists them\n\n"},
		"a_command_json":           {question: "/docs", json: true, out: `{"answer":"command docs ; ` + "`maru ask \\\"/help\\\"`" + ` lists them","sources":[]}` + "\n"},
		"a_command_with_a_form":    {question: "/docs token", out: "Enter it in the form.\nIts buttons and forms work in maru chat: give the same command there.\n\n"},
		"a_command_of_values":      {question: "/status", out: "  Agent: chat\n  Running here: 0\n\n"},
		"a_command_of_values_json": {question: "/status", json: true, out: `{"answer":"Agent: chat\nRunning here: 0","sources":[]}` + "\n"},
		"a_command_in_capitals":    {question: "/DOCS list", out: "command docs list; `maru ask \"/help\"` lists them\n\n"},
		"no_such_command":          {question: "/dosc list", code: console.ExitUsage, out: "command dosc list; `maru ask \"/help\"` lists them\n\n"},
		"no_such_command_json": {
			question: "/dosc", json: true, code: console.ExitUsage,
			out: `{"answer":"","sources":[],"error":"command dosc ; ` + "`maru ask \\\"/help\\\"`" + ` lists them"}` + "\n",
		},
		"a_refused_command":      {question: "/docs refused", code: console.ExitFailed, out: "No.\n\n"},
		"a_refused_command_json": {question: "/docs refused", json: true, code: console.ExitFailed, out: `{"answer":"","sources":[],"error":"No."}` + "\n"},
		"asked_by_the_command":   {question: "/ask /docs lists what?", out: "You wrote /docs lists what?\n\n"},
		"a_path_is_a_question":   {question: "/etc/hosts holds what?", out: "You wrote /etc/hosts holds what?\n\n"},
	})
}

func TestAskEndsWithItsContext(t *testing.T) {
	t.Parallel()
	e := newEcho()
	e.answer = func(bot.Message) []bot.Card { return []bot.Card{{Kind: bot.CardProgress, Text: "15"}} }
	var out strings.Builder
	a := console.NewAsker(console.Config{Out: &out}, false)
	e.adapter = a
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := a.Ask(ctx, e, "q"); code != console.ExitFailed {
		t.Errorf("code %d", code)
	}
	e.work.Wait()
}

// TestAskHearsItsOwnAnswer: a process that died may have left a question, whose
// answer comes first.
func TestAskHearsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	for _, asJSON := range []bool{false, true} {
		e := newEcho()
		var out strings.Builder
		a := console.NewAsker(console.Config{Out: &out, Err: io.Discard, NewID: func() string { return "2" }}, asJSON)
		e.adapter = a
		e.answer = func(m bot.Message) []bot.Card {
			left := bot.Target{Thread: bot.Thread{Platform: m.Thread.Platform, Team: m.Thread.Team, Channel: m.Thread.Channel, ID: "ask-1"}}
			if _, err := a.Post(t.Context(), left, bot.Card{Kind: bot.CardText, Text: "another's", Final: true}, "k"); err != nil {
				t.Error(err)
			}
			return []bot.Card{{Kind: bot.CardText, Text: "one's own", Final: true}}
		}
		code := a.Ask(t.Context(), e, "q")
		e.work.Wait()
		if text := out.String(); code != console.ExitAnswered || strings.Contains(text, "another's") || !strings.Contains(text, "one's own") {
			t.Errorf("json %v: code %d, %q", asJSON, code, text)
		}
	}
}
