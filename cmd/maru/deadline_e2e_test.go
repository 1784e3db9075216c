package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// noter returns a model endpoint for the orchestrator: it asks which day is meant, and
// plans one step with a tool that changes something.
func noter(t *testing.T, text string) *llmtest.Server {
	t.Helper()
	call := string(mustJSON(t, map[string]string{"type": "fact", "subject": "meeting", "value": text, "quote": text}))
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		switch f := r.ResponseFormat; {
		case f != nil && f.JSONSchema != nil && f.JSONSchema.Name == "clarity" && !strings.Contains(r.Messages[0].Text(), "Fridays, please"):
			return llmtest.JSON(map[string]any{"score": 0.2, "questions": []any{map[string]any{"question": "Which day?", "options": []string{"Mondays", "Fridays"}}}})
		case f != nil && f.JSONSchema != nil && f.JSONSchema.Name == "clarity":
			return llmtest.JSON(map[string]any{"score": 0.9, "questions": []any{}})
		case f != nil && f.JSONSchema != nil && f.JSONSchema.Name == "plan":
			return llmtest.JSON(map[string]any{"title": "📝", "why": "", "steps": []any{map[string]string{"text": text, "detail": "", "tool": "write_memory"}}})
		case f != nil && f.JSONSchema != nil:
			return planning(f.JSONSchema.Name, "")
		case len(r.Tools) == 1 && r.Messages[len(r.Messages)-1].Role != "tool":
			return llmtest.CallTool("write_memory", call)
		}
		return llmtest.Text("☑️ " + text)
	})
}

// fleeting are the parts of a message that differ from run to run: ids of rows,
// moments, ids of Discord, stamps of Slack and how long steps took.
var fleeting = map[string]*regexp.Regexp{
	"ROW": regexp.MustCompile(`\b[a-z2-7]{26}\b`), "MM-DD hh:mm": regexp.MustCompile(`\d\d-\d\d \d\d:\d\d`),
	"ZONE": regexp.MustCompile(`\bUTC\b`), "ID": regexp.MustCompile(`\b\d{17,20}\b`), "STAMP": regexp.MustCompile(`\d{10}\.\d{6}`),
	"^UNIX^": regexp.MustCompile(`\^\d{10}\^`), "t:UNIX:f": regexp.MustCompile(`\bt:\d{10}:f`), `"timestamp": 0`: regexp.MustCompile(`"timestamp": \d{10}`),
	"": regexp.MustCompile(` · \d+\.\d(?: s|초)`), // said of what took long
}

// looks compares a message as the platform has it with the file that holds it;
// MARU_UPDATE=1 writes it.
func looks(t *testing.T, name string, message any) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(message); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for word, part := range fleeting {
		got = part.ReplaceAllString(got, word)
	}
	file := filepath.Join("testdata", "approvals", name+".golden.json")
	if os.Getenv("MARU_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s looks different; MARU_UPDATE=1 writes it after checking:\n%s", name, got)
	}
}

// noting is a task in a language and the words of its cards.
type noting struct{ lang, locale, said, accept, skip, sofar, deny, expired string }

func notings() []noting {
	return []noting{
		{"ko", "ko", "회의는 금요일이라고 적어 둬", "승인", "건너뛰기", "지금 1명이 동의했고", "결정할 수 있는 사람이 아니에요", "기한 안에"},
		{"en", "en-US", "note that we meet on Fridays", "Approve", "Skip", "1 approved so far", "aren't one of the people", "no one decided in time"},
	}
}

// press clicks on a card of Slack; where the button is gone it is too late.
func (w *slackWorld) press(user string, m slackfake.Message, label string) {
	w.t.Helper()
	if _, err := w.slack.Click(user, "C1", m.TS, label); err != nil && !strings.Contains(err.Error(), "no button") {
		w.t.Fatal(err)
	}
	w.acknowledged()
}

// acknowledged waits until Maru acknowledged everything. What it did not within Slack's three seconds, on a busy machine, is
// pressed again, as people do who see Slack's warning.
func (w *slackWorld) acknowledged() {
	w.t.Helper()
	for ctx := within(w.t, atMost); w.slack.Settle(within(w.t, 10*time.Second)) != nil; w.slack.RedeliverUnacked() {
		if ctx.Err() != nil {
			w.t.Fatal("not acknowledged")
		}
	}
}

// TestTwoPeopleOverARestartOnSlack: of two people who must agree the second one
// does after a kill -9, to the plan and to its step; one person is not two.
func TestTwoPeopleOverARestartOnSlack(t *testing.T) {
	t.Parallel()
	for _, c := range oneLanguage(t, notings()) {
		t.Run(c.lang, func(t *testing.T) {
			t.Parallel()
			w := newSlackWorld(t, noter(t, c.said), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false",
				"MARU_TWO_PEOPLE=true", "MARU_APPROVERS=U2", "TZ=UTC")
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> "+c.said, "")
			for _, card := range []struct{ name, shown string }{{"plan", "📝"}, {"step", `\"quote\"`}} {
				m := w.withButton(root, c.accept, card.shown)
				looks(t, "slack."+c.lang+"."+card.name, m.Blocks)
				w.press("U3", m, c.accept) // may not
				w.press("U1", m, c.accept)
				var half slackfake.Message // the card itself: the plan above may not be closed yet
				if err := w.slack.Wait(within(t, atMost), func() bool {
					half, _ = w.slack.Message("C1", m.TS)
					return strings.Contains(string(half.Blocks), c.sofar)
				}); err != nil {
					t.Fatalf("the card does not say %q", c.sofar)
				}
				looks(t, "slack."+c.lang+"."+card.name+"_half", half.Blocks)
				w.kill()
				w.start()
				w.press("U1", m, c.accept) // is one person still
				if now, _ := w.slack.Message("C1", m.TS); !strings.Contains(string(now.Blocks), c.sofar) {
					t.Fatalf("one person agreed for two: %s", now.Text)
				}
				w.press("U2", m, c.accept)
			}
			w.await("C1", root, 3, "☑️ "+c.said) // after plan and step
		})
	}
}

// TestTwoPeopleOverARestartOnDiscord does the same on Discord, and tells who is
// too late.
func TestTwoPeopleOverARestartOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	for _, c := range oneLanguage(t, notings()) {
		t.Run(c.lang, func(t *testing.T) {
			t.Parallel()
			w := newDiscordWorld(t, noter(t, c.said), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "MARU_TWO_PEOPLE=true", "TZ=UTC")
			w.env = append(w.env, "MARU_APPROVERS="+w.discord.Alice)
			for _, user := range []string{w.user, w.discord.Alice, w.discord.Bob} {
				w.discord.SetLocale(user, c.locale)
			}
			w.begin()
			q := w.discord.Say(w.user, w.general, w.discord.Mention()+" "+c.said)
			whispers := func(token, text string) {
				t.Helper()
				if err := w.discord.Await(within(t, atMost), func() bool {
					return strings.Contains(string(mustJSON(t, w.discord.Interaction(token))), text)
				}); err != nil {
					t.Errorf("nobody is told %q: %s", text, mustJSON(t, w.discord.Interaction(token)))
				}
			}
			m := w.showing(q.ID, c.accept, "📝")
			looks(t, "discord."+c.lang+".plan", m.Components)
			accept := buttonID(m.Components, c.accept)
			whispers(w.discord.Click(w.discord.Bob, q.ID, m.ID, accept), c.deny)
			w.discord.Click(w.user, q.ID, m.ID, accept)
			looks(t, "discord."+c.lang+".plan_half", w.showing(q.ID, c.accept, c.sofar).Components)
			w.kill()
			w.begin()
			w.discord.Click(w.discord.Alice, q.ID, m.ID, accept)
			step := w.showing(q.ID, c.skip, `\"quote\"`)
			looks(t, "discord."+c.lang+".step", step.Components)
			whispers(w.discord.Click(w.user, q.ID, m.ID, accept), "Alice")
			w.discord.Click(w.user, q.ID, step.ID, buttonID(step.Components, c.skip)) // one is enough to leave it out
			if err := w.discord.Await(within(t, atMost), func() bool {
				return slices.ContainsFunc(w.discord.BotMessages(q.ID), func(m discordfake.Message) bool { return strings.Contains(m.Text(), "⏭️ 철수") })
			}); err != nil {
				t.Errorf("the step is not left out: %s", mustJSON(t, w.discord.BotMessages(q.ID)))
			}
		})
	}
}

// showing waits for a message with this button and text.
func (w *discordWorld) showing(channel, label, text string) discordfake.Message {
	w.t.Helper()
	var found discordfake.Message
	if err := w.discord.Await(within(w.t, atMost), func() bool {
		for _, m := range w.discord.BotMessages(channel) {
			if buttonID(m.Components, label) != "" && strings.Contains(string(mustJSON(w.t, m.Components)), text) {
				found = m
			}
		}
		return found.ID != ""
	}); err != nil {
		w.t.Fatalf("no card with %q shows %q: %s", label, text, mustJSON(w.t, w.discord.BotMessages(channel)))
	}
	return found
}

// TestClarificationOverARestart answers the form of a question that was asked
// before a kill -9.
func TestClarificationOverARestart(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, noter(t, "note that we meet on Fridays"), "MARU_AGENT=orchestrator", "TZ=UTC")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> note the day when we meet", "")
	m := w.withButton(root, "Answer", "Which day?")
	looks(t, "slack.en.clarification", m.Blocks)
	w.kill()
	w.start()
	w.press("U1", m, "Answer")
	view := slackfake.View{}
	if err := w.slack.Wait(within(t, atMost), func() bool {
		v, ok := w.slack.LastView()
		view = v
		return ok && v.Open && strings.Contains(string(v.Body), "Which day?")
	}); err != nil {
		t.Fatal("no form asks")
	}
	looks(t, "slack.en.clarification_form", view.Body)
	w.kill()
	w.start()
	if _, err := w.slack.Submit("U1", view.ID, map[string]string{"q1": "Fridays, please"}); err != nil {
		t.Fatal(err)
	}
	w.withButton(root, "Approve", "📝")
}

// again restarts the program, which looks after what is due when it starts, until
// something is there. It gets longer each time, and from the first for longer than a
// killed one holds a thread.
func (w *slackWorld) again(root string, there func() bool) {
	w.t.Helper()
	for wait := firstWait; wait < atMost/4; wait += firstWait / 2 {
		w.kill()
		w.start()
		if w.slack.Wait(within(w.t, wait), there) == nil {
			return
		}
	}
	w.t.Fatalf("the bot said %q", w.bots("C1", root))
}

// TestReminderOverARestart: a plan that waits is reminded of once.
func TestReminderOverARestart(t *testing.T) {
	t.Parallel()
	for _, c := range oneLanguage(t, notings()) {
		t.Run(c.lang, func(t *testing.T) {
			t.Parallel()
			w := newSlackWorld(t, noter(t, c.said), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "MARU_APPROVAL_REMINDER=1s")
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> "+c.said, "")
			w.withButton(root, c.accept, "📝")
			w.again(root, func() bool { // a killed program may have left a draft above the card
				all := w.slack.Replies("C1", root)
				return strings.Contains(string(all[len(all)-1].Blocks), "⏰")
			})
			all := w.slack.Replies("C1", root)
			looks(t, "slack."+c.lang+".reminder", all[len(all)-1].Blocks)
		})
	}
}

// TestExpiryOverARestart: a plan that nobody decides is given up by a program that
// was started after its time.
func TestExpiryOverARestart(t *testing.T) {
	t.Parallel()
	for _, c := range oneLanguage(t, notings()) {
		t.Run(c.lang, func(t *testing.T) {
			t.Parallel()
			w := newSlackWorld(t, noter(t, c.said), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false",
				"MARU_APPROVAL_REMINDER=0s", "MARU_APPROVAL_EXPIRES=3s")
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> "+c.said, "")
			m := w.withButton(root, c.accept, "📝")
			w.again(root, func() bool {
				now, _ := w.slack.Message("C1", m.TS)
				said := w.bots("C1", root)
				// The card says it at once, and a message below what became of the steps.
				return len(now.Buttons()) == 0 && strings.Contains(string(now.Blocks), c.expired) && len(said) == 2 && strings.Contains(said[1], "⏭️")
			})
			all := w.slack.Replies("C1", root)
			now := all[len(all)-1]
			looks(t, "slack."+c.lang+".expired", now.Blocks)
		})
	}
}
