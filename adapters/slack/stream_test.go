package slack_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

var update = flag.Bool("update", false, "write golden files")

// progress returns a draft.
func progress(text, status string) bot.Card {
	return bot.Card{Kind: bot.CardProgress, Text: text, Status: status, Language: "en", Sources: rules}
}

var rules = []bot.Source{{N: 1, Title: "Rules", URL: "https://rules.example/a"}}

// paced lets every draft through: these tests are not about pace.
func paced(c *slack.Config) { c.EditEvery = time.Nanosecond }

// virtual runs an adapter on a clock that only waiting moves.
func virtual(t *testing.T, o slackfake.Options, change ...func(*slack.Config)) (*world, *clock) {
	t.Helper()
	clk := &clock{now: time.Unix(1_800_000_000, 0)}
	o.Now = clk.Now
	w := start(t, o, append([]func(*slack.Config){func(c *slack.Config) {
		c.Now, c.Wait, c.PostEvery, c.EditEvery = clk.Now, clk.Wait, 0, 0
	}}, change...)...)
	return w, clk
}

// begin posts the first draft of a reply, which must be a stream.
func begin(t *testing.T, w *world, channel string) bot.Ref {
	t.Helper()
	th := w.Say("U1", channel, "<@UBOT> question", "")
	ref, err := w.adapter.Post(t.Context(), asked(channel, th), progress("", "Reading…"), "run-1")
	if err != nil {
		t.Fatal(err)
	}
	if m, _ := w.Message(channel, ref.Messages[0]); !m.Streaming() || ref.Stream == "" {
		t.Fatalf("not a stream: %+v, refused: %v", ref, w.Refused())
	}
	return ref
}

const answer = "## Leave\n\nThere are **15 days** a year, see [rules](https://rules.example/a).\n\n" +
	"```go\nif x {\n    return y\n}\n```\n\n1. first\n2. second _thing_ here\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end."

// write sends an answer's drafts, n bytes more at a time.
func write(t *testing.T, w *world, clk *clock, ref bot.Ref, text string, n int) bot.Ref {
	t.Helper()
	for end := n; end < len(text); end += n {
		if clk != nil {
			_ = clk.Wait(t.Context(), 500*time.Millisecond)
		}
		var err error
		if ref, err = w.adapter.Edit(t.Context(), ref, progress(strings.ToValidUTF8(text[:end], ""), "")); err != nil {
			t.Fatal(err)
		}
	}
	return ref
}

func final(text string) bot.Card {
	return bot.Card{Kind: bot.CardText, Text: text, Language: "en", Final: true, Footer: "footer", Sources: rules,
		Buttons: []bot.Button{{ID: "b1", Verb: "accept", Label: "Add"}}}
}

// An answer is streamed and ends as the same message that a post would have
// made, with nothing said twice and nothing lost, in channels and in direct
// messages.
func TestAnswerIsStreamed(t *testing.T) {
	t.Parallel()
	for _, channel := range []string{"C1", "D1"} {
		for _, step := range []int{1, 7, 40} {
			w, clk := virtual(t, slackfake.Options{})
			ref := begin(t, w, channel)
			if m, _ := w.Message(channel, ref.Messages[0]); !slices.Equal(m.Tasks(), []string{"in_progress Reading…"}) {
				t.Errorf("tasks %v", m.Tasks())
			}
			ref = write(t, w, clk, ref, answer, step)
			ref, err := w.adapter.Edit(t.Context(), ref, final(answer))
			if err != nil {
				t.Fatal(err)
			}
			want, err := w.adapter.Post(t.Context(), target(channel, ref.Thread.ID), final(answer), "")
			if err != nil {
				t.Fatal(err)
			}
			m, _ := w.Message(channel, ref.Messages[0])
			plain, _ := w.Message(channel, want.Messages[0])
			if got := strings.TrimPrefix(m.Shown(), "Done\n"); got != plain.Shown() {
				t.Errorf("%s step %d: streamed\n%q\nposted\n%q", channel, step, got, plain.Shown())
			}
			if m.Streaming() || ref.Stream != "" || len(ref.Messages) != 1 || !slices.Equal(m.Tasks(), []string{"complete Done"}) {
				t.Errorf("after the end: %+v, tasks %v", ref, m.Tasks())
			}
			if len(w.Refused()) > 0 || len(w.Calls("chat.update")) > 0 || len(w.Calls("chat.appendStream")) < 2 {
				t.Errorf("refused %v, %d edits, %d appends", w.Refused(), len(w.Calls("chat.update")), len(w.Calls("chat.appendStream")))
			}
		}
	}
}

// The steps of a plan are tasks of the stream.
func TestStepsAreTasks(t *testing.T) {
	t.Parallel()
	w, clk := virtual(t, slackfake.Options{})
	th := w.Say("U1", "C1", "<@UBOT> do it", "")
	steps := []bot.Step{{Text: "look", State: bot.StepRunning, Detail: "web_search"}, {Text: "write", State: bot.StepWaiting}}
	card := bot.Card{Kind: bot.CardProgress, Status: "Working…", Steps: steps, Language: "en"}
	ref, err := w.adapter.Post(t.Context(), asked("C1", th), card, "run-1")
	if err != nil {
		t.Fatal(err)
	}
	_ = clk.Wait(t.Context(), 2*time.Second)
	card.Steps = []bot.Step{{Text: "look", State: bot.StepDone, Detail: "web_search"}, {Text: "write", State: bot.StepFailed, Detail: "no key"}}
	if ref, err = w.adapter.Edit(t.Context(), ref, card); err != nil {
		t.Fatal(err)
	}
	m, _ := w.Message("C1", ref.Messages[0])
	if want := []string{"in_progress Working…", "complete look", "error write"}; !slices.Equal(m.Tasks(), want) {
		t.Errorf("tasks %v, want %v", m.Tasks(), want)
	}
	if strings.Count(m.Shown(), "web_search") != 1 {
		t.Errorf("a detail was said twice: %q", m.Shown())
	}
}

// A stream is rolled over before Slack ends it, and the answer reads as one.
func TestStreamRollsOver(t *testing.T) {
	t.Parallel()
	w, clk := virtual(t, slackfake.Options{RateLimits: true})
	ref := begin(t, w, "C1")
	var text strings.Builder
	var err error
	for i := range 700 { // more than ten minutes
		_ = clk.Wait(t.Context(), time.Second)
		fmt.Fprintf(&text, "word%d ", i)
		if i%10 == 9 {
			text.WriteString("\n\n")
		}
		if ref, err = w.adapter.Edit(t.Context(), ref, progress(text.String(), "")); err != nil {
			t.Fatal(err)
		}
	}
	if ref, err = w.adapter.Edit(t.Context(), ref, final(text.String())); err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, ts := range ref.Messages {
		m, _ := w.Message("C1", ts)
		shown = append(shown, m.Streamed())
		if m.Streaming() {
			t.Error("a stream is open")
		}
	}
	if len(ref.Messages) != 3 || strings.Join(strings.Fields(strings.Join(shown, " ")), " ") != strings.Join(strings.Fields(text.String()), " ") {
		t.Errorf("%d messages: %q", len(ref.Messages), shown)
	}
	if len(w.Refused()) > 0 || len(w.Calls("chat.update")) > 0 {
		t.Errorf("refused %v, edits %d", w.Refused(), len(w.Calls("chat.update")))
	}
	// The same card again changes nothing, in this process and in another.
	calls := len(w.Calls(""))
	if _, err := w.adapter.Edit(t.Context(), ref, final(text.String())); err != nil || len(w.Calls("")) != calls {
		t.Errorf("%v, %d more calls", err, len(w.Calls(""))-calls)
	}
	again := successor(t, w)
	if ref, err = again.Edit(t.Context(), ref, final(text.String())); err != nil || len(ref.Messages) != 3 {
		t.Errorf("%v, %d messages", err, len(ref.Messages))
	}
}

// A text that is taken back, or that turns out otherwise, replaces what was
// streamed.
func TestTextIsTakenBack(t *testing.T) {
	t.Parallel()
	w, clk := virtual(t, slackfake.Options{})
	ref := begin(t, w, "C1")
	ref = write(t, w, clk, ref, "A first try that was wrong. It says nonsense. ", 10)
	_ = clk.Wait(t.Context(), 3*time.Second)
	ref, err := w.adapter.Edit(t.Context(), ref, progress("Another answer. And more of it.", ""))
	if err != nil {
		t.Fatal(err)
	}
	_ = clk.Wait(t.Context(), 3*time.Second)
	if ref, err = w.adapter.Edit(t.Context(), ref, final(answer)); err != nil {
		t.Fatal(err)
	}
	once(t, w, ref, answer)
	if m, _ := w.Message("C1", ref.Messages[0]); strings.Contains(m.Shown(), "nonsense") {
		t.Errorf("shows %q", m.Shown())
	}
}

// A question with buttons takes the place of what was streamed.
func TestStreamBecomesAQuestion(t *testing.T) {
	t.Parallel()
	w, clk := virtual(t, slackfake.Options{})
	ref := begin(t, w, "C1")
	_ = clk.Wait(t.Context(), 2*time.Second)
	ask := bot.Card{Kind: bot.CardPlan, Title: "Plan", Text: "Shall I?", Steps: []bot.Step{{Text: "send mail"}}, Language: "en",
		Buttons: []bot.Button{{ID: "a", Verb: "accept", Label: "Approve"}, {ID: "a", Verb: "reject", Label: "Reject"}}}
	ref, err := w.adapter.Edit(t.Context(), ref, ask)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := w.Message("C1", ref.Messages[0])
	if m.Streaming() || !slices.Equal(m.Buttons(), []string{"Approve", "Reject"}) || strings.Contains(m.Shown(), "Reading") {
		t.Errorf("shows %q with %v", m.Shown(), m.Buttons())
	}
	if _, err := w.adapter.Edit(t.Context(), ref, final("Approved by U1.")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Click("U1", "C1", ref.Messages[0], "Add"); err != nil {
		t.Error(err)
	}
}

// What is above an answer that a person broke off, or above a question, does
// not say that it is done.
func TestWhatIsNotDoneDoesNotSaySo(t *testing.T) {
	t.Parallel()
	const text = "There are 15 days a year, and"
	half := bot.Card{Kind: bot.CardText, Text: text, Footer: "Stopped, as you asked.", Language: "en", Final: true, Stopped: true}
	korean := half
	korean.Language = "ko"
	ask := bot.Card{Kind: bot.CardChoices, Text: text + " which?", Language: "en", Buttons: []bot.Button{{ID: "a", Verb: "accept", Label: "Approve"}}}
	for name, c := range map[string]struct {
		card bot.Card
		task string
	}{
		"stopped": {half, "error Stopped"}, "stopped_in_Korean": {korean, "error 멈췄어요"},
		"waits": {ask, "pending Waiting for a decision"}, "whole": {final(text), "complete Done"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, clk := virtual(t, slackfake.Options{})
			ref := write(t, w, clk, begin(t, w, "C1"), text, 7)
			_ = clk.Wait(t.Context(), 2*time.Second)
			ref, err := w.adapter.Edit(t.Context(), ref, c.card)
			if err != nil {
				t.Fatal(err)
			}
			if m, _ := w.Message("C1", ref.Messages[0]); m.Streaming() || !slices.Equal(m.Tasks(), []string{c.task}) || len(w.Refused()) > 0 {
				t.Errorf("tasks %v, want %q, refused: %v", m.Tasks(), c.task, w.Refused())
			}
		})
	}
}

// A link that leads elsewhere than to a source is never streamed, because
// nothing turns its preview off there.
func TestLinksElsewhereAreNotStreamed(t *testing.T) {
	t.Parallel()
	const evil = "Before it.\n\nSee https://evil.example/?secret=1 and [x](https://evil.example/y).\n\nAfter it. The end."
	w, clk := virtual(t, slackfake.Options{})
	ref := begin(t, w, "C1")
	ref = write(t, w, clk, ref, evil, 6)
	for _, c := range append(w.Calls("chat.appendStream"), w.Calls("chat.stopStream")...) {
		if strings.Contains(c.Args["chunks"], "evil.example") {
			t.Errorf("%s sent %s", c.Method, c.Args["chunks"])
		}
	}
	_ = clk.Wait(t.Context(), 2*time.Second)
	ref, err := w.adapter.Edit(t.Context(), ref, final(evil))
	if err != nil {
		t.Fatal(err)
	}
	once(t, w, ref, evil)
	if m, _ := w.Message("C1", ref.Messages[0]); !strings.Contains(m.Shown(), "evil.example/?secret=1") || m.Streamed() != "Before " && !strings.HasPrefix(m.Streamed(), "Before it.") {
		t.Errorf("streamed %q, shows %q", m.Streamed(), m.Shown())
	}
}

// What Slack is sent for a streamed answer, call by call.
func TestStreamLooksAsItShould(t *testing.T) {
	t.Parallel()
	w, clk := virtual(t, slackfake.Options{})
	th := w.Say("U1", "C1", "<@UBOT> question", "")
	first := progress("", "문서를 찾고 있어요…")
	first.Language, first.Steps = "ko", []bot.Step{{Text: "찾기", State: bot.StepRunning, Detail: "search"}, {Text: "답하기"}}
	ref, err := w.adapter.Post(t.Context(), asked("C1", th), first, "run-1")
	if err != nil {
		t.Fatal(err)
	}
	_ = clk.Wait(t.Context(), 2*time.Second)
	first.Text, first.Status, first.Steps = "연차는 **15일**이에요. 더 ", "", []bot.Step{{Text: "찾기", State: bot.StepDone}, {Text: "답하기", State: bot.StepRunning}}
	if ref, err = w.adapter.Edit(t.Context(), ref, first); err != nil {
		t.Fatal(err)
	}
	last := final("연차는 **15일**이에요. 더 있을 수도 있어요.")
	last.Language = "ko"
	if _, err = w.adapter.Edit(t.Context(), ref, last); err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, c := range w.Calls("") {
		if !strings.HasSuffix(c.Method, "Stream") {
			continue
		}
		args := map[string]any{}
		for k, v := range c.Args {
			var parsed any
			if json.Unmarshal([]byte(v), &parsed) != nil || k == "ts" || k == "thread_ts" {
				parsed = v
			}
			args[k] = parsed
		}
		got = append(got, map[string]any{"method": c.Method, "args": args})
	}
	raw, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "stream.golden.json")
	if *update {
		if err := os.WriteFile(file, append(raw, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(raw)+"\n" != string(want) {
		t.Errorf("the calls look different (go test ./adapters/slack -run Look -update after checking):\n%s", raw)
	}
}

// Some apps must name the recipient in direct messages as well: it is learned
// once.
func TestRecipientInDirectMessages(t *testing.T) {
	t.Parallel()
	w, _ := virtual(t, slackfake.Options{})
	w.Fail(slackfake.Fault{Method: "chat.startStream", Code: "missing_recipient_user_id", Times: 1})
	begin(t, w, "D1")
	th := w.Say("U1", "D1", "again", "")
	if _, err := w.adapter.Post(t.Context(), asked("D1", th), progress("", "Reading…"), "run-2"); err != nil {
		t.Fatal(err)
	}
	starts := w.Calls("chat.startStream")
	if len(starts) != 3 || starts[0].Args["recipient_user_id"] != "" || starts[1].Args["recipient_user_id"] != "U1" || starts[2].Args["recipient_team_id"] != "T1" {
		t.Errorf("%d starts", len(starts))
	}
}
