package console_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"maru/adapters/console"
	"maru/bot"
	"maru/bot/bottest"
)

// chat runs a conversation over plain lines and returns what was printed.
func chat(t *testing.T, e *echo, input string, change ...func(*console.Config)) string {
	t.Helper()
	out := newPaper()
	left := false
	cfg := console.Config{In: strings.NewReader(input), Out: out, Quit: func() { left = true }}
	for _, c := range change {
		c(&cfg)
	}
	a := console.New(cfg)
	e.adapter = a
	if err := a.Run(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	e.work.Wait()
	if !left {
		t.Error("Quit was not called")
	}
	return out.String()
}

func TestChatOverAPipe(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		input string
		want  []string // messages
		print string
	}{
		"a_line_is_a_message":        {"hello\n", []string{"main: hello"}, "You wrote hello\n"},
		"a_backslash_goes_on":        {"one\\\ntwo\n", []string{"main: one\ntwo"}, "one\ntwo"},
		"a_block_is_one_message":     {"\"\"\"\nif x {\n  y\n}\n\"\"\"\nnext\n", []string{"main: if x {\n  y\n}", "main: next"}, ""},
		"a_block_in_one_line":        {"\"\"\"one\"\"\"\n", []string{"main: one"}, ""},
		"an_open_block_ends_at_eof":  {"\"\"\"\none\n", []string{"main: one"}, ""},
		"empty_lines_are_nothing":    {"\n  \n", nil, "See you"},
		"new_opens_a_thread":         {"/new 휴가\nhi\n", []string{"휴가: hi"}, ""},
		"a_bad_name_is_refused":      {"/new a/b\nhi\n", []string{"main: hi"}, "A name may contain"},
		"a_name_at_the_limit":        {"/new " + strings.Repeat("휴", 64) + "\nhi\n", []string{strings.Repeat("휴", 64) + ": hi"}, ""},
		"a_name_beyond_the_limit":    {"/new " + strings.Repeat("휴", 65) + "\nhi\n", []string{"main: hi"}, "A name may contain"},
		"quit_leaves":                {"/quit\nhi\n", nil, "See you"},
		"commands_go_to_the_bot":     {"/docs list all\n", nil, "command docs list all"},
		"maru_before_a_command":      {"/maru docs\n", nil, "command docs"},
		"help_lists_both":            {"/help\n", nil, "  /docs [ACTION]        Documents\n  /new [NAME]           Start a new"},
		"a_path_is_a_question":       {"/etc/hosts holds what?\n", []string{"main: /etc/hosts holds what?"}, ""},
		"a_slip_is_no_question":      {"/dosc list\n", nil, "command dosc list"},
		"nothing_to_choose":          {"/1\n", nil, "nothing to choose"},
		"controls_are_not_delivered": {"a\x1b[2Jb\u202Ec\n", []string{"main: a[2Jbc"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEcho()
			got := chat(t, e, tt.input)
			if !strings.Contains(got, tt.print) {
				t.Errorf("printed %q, want %q in it", got, tt.print)
			}
			if said := e.said(); !reflect.DeepEqual(said, tt.want) {
				t.Errorf("said %q, want %q", said, tt.want)
			}
		})
	}
}

// TestTheTerminalGivesNoRights: words that a script passes on, commands among them, are no operator's.
func TestTheTerminalGivesNoRights(t *testing.T) {
	t.Parallel()
	e := newEcho()
	chat(t, e, "send C04QX7BR2 the plan\n/docs list\n")
	if len(e.messages) != 1 || e.messages[0].User.Operator || len(e.commands) != 1 || e.commands[0].User.Operator {
		t.Errorf("they are %+v and %+v", e.messages, e.commands)
	}
}

func TestThreadOutlivesTheProgram(t *testing.T) {
	t.Parallel()
	e := newEcho()
	chat(t, e, "/new trip\n")
	chat(t, e, "again\n")
	chat(t, e, "once\n", func(c *console.Config) { c.Thread = "other" })
	if got, want := e.said(), []string{"trip: again", "other: once"}; !reflect.DeepEqual(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	if a, b := e.messages[0], e.messages[1]; a.ID == b.ID || a.Order == "" || !a.Thread.Direct || a.Reach != bot.ReachDirect {
		t.Errorf("messages %+v and %+v", a, b)
	}
}

func TestIngestReadsAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, empty := filepath.Join(dir, "규정 1.md"), filepath.Join(dir, "empty.md")
	if err := errors.Join(os.WriteFile(path, []byte("# 규정"), 0o600), os.WriteFile(empty, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	e := newEcho()
	got := chat(t, e, "/ingest "+path+"\n/ingest "+dir+"\n/ingest "+dir+"/none\n/ingest\n/ingest "+empty+"\n")
	for _, want := range []string{"Added 규정 1.md (3 passages)", "is a folder", "Can't open", "Usage: /ingest", "couldn't read the file"} {
		if !strings.Contains(got, want) {
			t.Errorf("printed %q, want %q in it", got, want)
		}
	}
	if e.uploads["규정 1.md"] != "# 규정" {
		t.Errorf("uploads: %q", e.uploads)
	}
}

func TestCardInFull(t *testing.T) {
	t.Parallel()
	e := newEcho()
	e.answer = func(bot.Message) []bot.Card {
		return []bot.Card{{
			Kind: bot.CardText, Title: "Leave", Text: "15 days [1].\x1b]0;owned\x07", Final: true, Footer: "extractive",
			Steps:   []bot.Step{{Text: "look", State: bot.StepDone}, {Text: "write", State: bot.StepFailed}},
			Fields:  []bot.Field{{Label: "Days", Value: "15"}},
			Sources: []bot.Source{{N: 1, Title: "Handbook", Heading: "Leave", Page: 7}, {N: 2, Title: "Web", URL: "https://example.com/"}},
		}}
	}
	want := "Leave\n✓ 1. look\n✗ 2. write\n15 days [1].]0;owned\n  Days: 15\n\nSources\n  [1] Handbook › Leave, p. 7\n  [2] Web https://example.com/\nextractive\n\n"
	if got := chat(t, e, "hi\n"); !strings.HasPrefix(got, want) {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// TestAPlanIsShownWhole: a person reads everything that a yes would do, also after a change.
func TestAPlanIsShownWhole(t *testing.T) {
	t.Parallel()
	e := newEcho()
	plan := func(text, detail string) bot.Card {
		return bot.Card{
			Kind: bot.CardPlan, Text: "Go?", Steps: []bot.Step{{Text: text, State: bot.StepWaiting, Detail: detail}},
			Buttons: []bot.Button{{ID: "a1", Verb: "yes", Label: "Yes"}},
		}
	}
	long := strings.Repeat("word ", 30) + "end"
	e.answer = func(bot.Message) []bot.Card {
		return []bot.Card{plan(long, `send_mail {"to":"kim@a.example"}`), plan(long, `send_mail {"to":"lee@a.example"}`)}
	}
	got := chat(t, e, "hi\n")
	for _, want := range []string{"1. " + long + "\n", `     send_mail {"to":"kim@a.example"}`, `     send_mail {"to":"lee@a.example"}`} {
		if !strings.Contains(got, want) {
			t.Errorf("printed\n%s\nwithout %q", got, want)
		}
	}
}

func TestChoicesAndForms(t *testing.T) {
	t.Parallel()
	e := newEcho()
	e.answer = func(bot.Message) []bot.Card {
		return []bot.Card{{Kind: bot.CardChoices, Text: "Go?", Buttons: []bot.Button{{ID: "a1", Verb: "yes", Label: "Yes"}, {ID: "a1", Verb: "edit", Label: "Edit"}}}}
	}
	form := bot.Form{ID: "a1", Verb: "submit", Title: "Edit", Inputs: []bot.Input{
		{ID: "city", Label: "City", Required: true}, {ID: "size", Label: "Size", Value: "m", Options: []bot.Option{{Value: "m", Label: "Medium"}, {Value: "l", Label: "Large"}}},
	}}
	e.act = func(a bot.Action) (bot.Answer, error) {
		switch {
		case a.Verb == "edit":
			return bot.Answer{Form: &form}, nil
		case a.Values["city"] == "x":
			return bot.Answer{Errors: map[string]string{"city": "no such city"}}, nil
		}
		return bot.Answer{Card: &bot.Card{Kind: bot.CardNotice, Text: "done " + a.Values["city"] + a.Values["size"]}}, nil
	}
	got := chat(t, e, "hi\n/9\n/2\n\nx\nlarge\nSeoul\n")
	for _, want := range []string{"[1] Yes", "Type /1, /2 to choose", "Choose a number from 1 to 2", "This is required", "no such city", "done Seoull"} {
		if !strings.Contains(got, want) {
			t.Errorf("printed %q, want %q in it", got, want)
		}
	}
	last := e.actions[len(e.actions)-1]
	if last.ID != "a1" || last.Verb != "submit" || last.Message == "" || last.Thread.ID != "main" {
		t.Errorf("last action %+v", last)
	}
}

func TestRefusalIsTold(t *testing.T) {
	t.Parallel()
	e := newEcho()
	e.refuse = &bot.Error{Code: bot.CodeModelBusy}
	if got := chat(t, e, "안녕\n", func(c *console.Config) { c.Language = "ko" }); !strings.Contains(got, "바빠서") {
		t.Errorf("printed %q", got)
	}
}

// TestAFormThatOthersChangedMeanwhile: only the rejected field is asked for again. The other fields take their values from the
// form that the answer shows.
func TestAFormThatOthersChangedMeanwhile(t *testing.T) {
	t.Parallel()
	e := newEcho()
	e.answer = func(bot.Message) []bot.Card {
		return []bot.Card{{Kind: bot.CardChoices, Text: "Go?", Buttons: []bot.Button{{ID: "a1", Verb: "edit", Label: "Edit"}}}}
	}
	inputs := func(city, size, why string) []bot.Input {
		return []bot.Input{{ID: "city", Label: "City", Value: city}, {ID: "size", Label: "Size", Value: size}, {ID: "why", Label: "Why", Value: why}}
	}
	e.act = func(a bot.Action) (bot.Answer, error) {
		switch a.Verb {
		case "edit":
			return bot.Answer{Form: &bot.Form{ID: "a1", Verb: "save.1", Inputs: inputs("Seoul", "m", "")}}, nil
		case "save.1":
			delete(a.Values, "size")
			return bot.Answer{Form: &bot.Form{ID: "a1", Verb: "save.2", Inputs: inputs("Busan", "l", "so")}, Errors: map[string]string{"city": "it is Jeju now"}}, nil
		}
		return bot.Answer{Card: &bot.Card{Kind: bot.CardNotice, Text: a.Verb + " " + a.Values["city"] + " " + a.Values["size"] + " " + a.Values["why"]}}, nil
	}
	if got := chat(t, e, "hi\n/1\nBusan\n\nso\nBusan\n"); !strings.Contains(got, "it is Jeju now") || !strings.Contains(got, "save.2 Busan l so") {
		t.Errorf("printed %q", got)
	}
}

// A command is named in a sentence as it is given here: without the name that
// is before it on platforms.
func TestCommandsAreNamedAsTyped(t *testing.T) {
	t.Parallel()
	if got := chat(t, newEcho(), "/nonsense\n"); strings.Contains(got, "/maru") || !strings.Contains(got, "/help") {
		t.Errorf("printed %q", got)
	}
}

func TestAdapterSuite(t *testing.T) {
	t.Parallel()
	bottest.RunAdapter(t, func(t *testing.T) bottest.Harness {
		t.Helper()
		r, w := io.Pipe()
		out := newPaper()
		n := 0
		t.Cleanup(func() { _ = w.Close() })
		return bottest.Harness{
			Adapter: console.New(console.Config{In: r, Out: out, Width: func() int { return 80 }}),
			Say: func(t *testing.T, text string, in *bot.Thread) {
				t.Helper()
				name := "t" + string(rune('a'+n))
				if n++; in != nil {
					name = in.ID
				}
				out.await(t, "a prompt", func(s string) bool { return strings.Contains(s, "> ") })
				send(t, w, "/new "+name+"\r"+text+"\r")
			},
			// A terminal keeps what was printed; what stands is what was
			// printed last.
			Shown: func(_ *testing.T, _ bot.Thread) []string {
				s := strings.NewReplacer("\r\n", "\n", "\x1b[2m", "", "\x1b[0m", "").Replace(out.String())
				if i := strings.LastIndex(s, "Let me rewrite that:"); i >= 0 {
					s = s[i:]
				}
				return []string{s}
			},
		}
	})
}

// TestCommandsAreNamedAsTheyAreTyped: on every card of the bot's own words; an
// answer stays as it was written.
func TestCommandsAreNamedAsTheyAreTyped(t *testing.T) {
	t.Parallel()
	for kind, want := range map[bot.CardKind]string{
		bot.CardNotice: "`/approve r1`", bot.CardChoices: "`/approve r1`", bot.CardPlan: "`/approve r1`",
		bot.CardText: "`/maru approve r1`", bot.CardFeedback: "`/maru approve r1`",
	} {
		e := newEcho()
		e.answer = func(bot.Message) []bot.Card {
			return []bot.Card{{Kind: kind, Text: "Write `/maru approve r1`.", Footer: "See `/maru help`.", Final: true}}
		}
		out := chat(t, e, "hi\n")
		e = newEcho()
		e.answer = func(bot.Message) []bot.Card {
			return []bot.Card{{Kind: kind, Own: true, Text: "Write `/maru approve r1`.", Final: true}}
		}
		if own := chat(t, e, "hi\n"); !strings.Contains(own, "Write `/approve r1`") {
			t.Errorf("%s in the bot's own words: %q", kind, own)
		}
		if !strings.Contains(out, "Write "+want) || !strings.Contains(out, "See /help.") {
			t.Errorf("%s: %q", kind, out)
		}
	}
}

// A file is handed over with the next message and no other, in the conversation in which it was given.
func TestFileGoesWithTheNextMessage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lease.md")
	if err := os.WriteFile(path, []byte("# Lease"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := newEcho()
	got := chat(t, e, "/file "+path+"\nwhat is the rent?\nand then?\n/file\n/file "+path+"\n/new other\nhello\n")
	for _, want := range []string{"It will be sent with your next message", "Usage: /file PATH"} {
		if !strings.Contains(got, want) {
			t.Errorf("printed %q, want %q in it", got, want)
		}
	}
	var files []string
	for _, m := range e.messages {
		for _, f := range m.Files {
			files = append(files, m.Text+": "+f.Document)
		}
	}
	if !slices.Equal(files, []string{"what is the rent?: d1"}) {
		t.Errorf("files %q", files)
	}
}
