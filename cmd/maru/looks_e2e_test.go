package main

import (
	"strings"
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
	"maru/phrase"
)

// summer returns a model endpoint for the orchestrator: it asks which numbers are meant
// until it is told, plans a sum and a note of it, and has both done.
func summer(t *testing.T, c looking) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		switch f := r.ResponseFormat; {
		case f != nil && f.JSONSchema != nil:
			return c.thinks(f.JSONSchema.Name, r.Messages[0].Text(), lastSaid(r))
		case r.Offers("calculator") && r.Messages[len(r.Messages)-1].Role != "tool":
			if strings.Contains(lastSaid(r), c.halve) {
				return llmtest.CallTool("calculator", `{"expression":"2/0"}`)
			}
			return llmtest.CallTool("calculator", `{"expression":"2+3"}`)
		case r.Offers("write_memory") && r.Messages[len(r.Messages)-1].Role != "tool":
			return llmtest.CallTool("write_memory", string(mustJSON(t, map[string]string{"type": "fact", "subject": "sum", "value": c.note, "quote": c.task})))
		}
		return llmtest.Text(c.answer)
	})
}

// looking is a task in a language, and what is said and pressed on its way.
type looking struct {
	lang, locale, task          string
	question, option, told      string
	sum, note                   string // the steps
	halve                       string // a step that fails, where the task says 2 / 0
	drop, add                   string // edits in words
	answer                      string
	accept, edit, reply, reject string // buttons
	edited, rejected, reminded  string // on cards
	expired, over               string
}

func (c looking) thinks(schema, system, said string) llmtest.Reply {
	step := func(text, tool string) map[string]string {
		return map[string]string{"text": text, "detail": "", "tool": tool}
	}
	switch schema {
	case "clarity":
		if strings.Contains(system, c.told) {
			return llmtest.JSON(map[string]any{"score": 0.9, "questions": []any{}})
		}
		return llmtest.JSON(map[string]any{"score": 0.2, "questions": []any{map[string]any{"question": c.question, "options": []string{c.option}}}})
	case "plan":
		steps := []any{step(c.sum, "calculator"), step(c.note, "write_memory")}
		switch failed := strings.Contains(system, "a step of it failed"); {
		case strings.Contains(said, "1 + 1") || failed:
			steps = steps[:1]
		case strings.Contains(said, "2 / 0"):
			steps = []any{step(c.halve, "calculator"), steps[1]}
		}
		return llmtest.JSON(map[string]any{"title": "🧮", "why": "", "steps": steps})
	case "tools_of_steps":
		return llmtest.JSON(map[string]any{"tools": []string{"write_memory"}})
	case "after_failure":
		return llmtest.JSON(map[string]string{"decision": "replan", "reason": "2/0"})
	}
	return planning(schema, "")
}

func lookings() []looking {
	return []looking{
		{
			lang: "ko", locale: "ko", task: "더해 줘", question: "무엇을 더할까요?", option: "1과 1", told: "2와 3이요", sum: "합 구하기", halve: "0으로 나누기", note: "합을 적어 두기",
			drop: "2번 빼줘", add: "끝에 합을 적어 두기 추가", answer: "합은 6이에요.", accept: "승인", edit: "수정", reply: "답하기", reject: "거절",
			edited: "수정을 요청했어요", rejected: "거절했어요", reminded: "아직 결정을 기다리고", expired: "아무도 결정하지", over: "기한 안에 결정되지",
		},
		{
			lang: "en", locale: "en-US", task: "add them up please", question: "Which numbers?", option: "1 and 1", told: "2 and 3", sum: "find the sum", halve: "divide by nothing", note: "note the sum",
			drop: "drop step 2", add: "add a step: note the sum", answer: "The sum is 6.", accept: "Approve", edit: "Edit", reply: "Answer", reject: "Reject",
			edited: "requested a change", rejected: "rejected", reminded: "still waiting", expired: "no one decided in time", over: "No one decided in time",
		},
	}
}

// onSlack and onDiscord are a thread on each platform, as its people use it.
type onSlack struct {
	*slackWorld

	root string
}

type onDiscord struct {
	*discordWorld

	thread string
}

// seat is what both have in common. card waits for a card that has a button, or
// none with "", and shows a text; press uses a button, and form one that opens a
// form, which fill sends.
type seat interface {
	say(text string)
	card(button, text string) (card any, looks any)
	press(card any, button string)
	form(card any, button, text string) (id string, looks any)
	fill(id string, values map[string]string)
	restart() // after a kill -9
	shows(text string, within time.Duration) bool
}

func (s onSlack) say(text string) { s.slack.Say("U1", "C1", text, s.root) }

// closed reports whether a message is a question that was decided: what follows is on its way, or below.
func closed(shown string) bool {
	return strings.Contains(shown, "⏳") || strings.Contains(shown, phrase.Say("en", "bot.reply.below")) || strings.Contains(shown, phrase.Say("ko", "bot.reply.below"))
}

func (s onSlack) card(button, text string) (card, looks any) {
	s.t.Helper()
	var found slackfake.Message
	if err := s.slack.Wait(within(s.t, atMost), func() bool {
		for _, m := range s.slack.Replies("C1", s.root) {
			shown := strings.Contains(string(m.Blocks)+m.Text, text) && m.BotID != "" && !closed(string(m.Blocks))
			if shown && (button == "" && len(m.Buttons()) == 0 || button != "" && strings.Contains(strings.Join(m.Buttons(), "|"), button)) {
				found = m
			}
		}
		return found.TS != ""
	}); err != nil {
		for _, m := range s.slack.Replies("C1", s.root) {
			s.t.Logf("%s %q", m.Blocks, m.Buttons())
		}
		s.t.Fatalf("no card with %q shows %q; the bot said %q", button, text, s.bots("C1", s.root))
	}
	return found, found.Blocks
}

func (s onSlack) press(card any, button string) {
	s.slackWorld.press("U1", card.(slackfake.Message), button)
}

func (s onSlack) form(card any, button, text string) (id string, looks any) {
	s.t.Helper()
	s.press(card, button)
	var view slackfake.View
	if err := s.slack.Wait(within(s.t, atMost), func() bool {
		v, ok := s.slack.LastView()
		view = v
		return ok && v.Open && strings.Contains(string(v.Body), text)
	}); err != nil {
		s.t.Fatalf("no form shows %q", text)
	}
	return view.ID, view.Body
}

func (s onSlack) fill(id string, values map[string]string) {
	s.t.Helper()
	if _, err := s.slack.Submit("U1", id, values); err != nil {
		s.t.Fatal(err)
	}
}

func (s onSlack) restart() {
	s.kill()
	s.start()
}

func (s onSlack) shows(text string, wait time.Duration) bool {
	return s.slack.Wait(within(s.t, wait), func() bool {
		for _, m := range s.slack.Replies("C1", s.root) {
			if strings.Contains(string(m.Blocks)+m.Text, text) {
				return true
			}
		}
		return false
	}) == nil
}

func (s onDiscord) say(text string) { s.discord.Say(s.user, s.thread, text) }

func (s onDiscord) card(button, text string) (card, looks any) {
	s.t.Helper()
	var found discordfake.Message
	if err := s.discord.Await(within(s.t, atMost), func() bool {
		for _, m := range s.discord.BotMessages(s.thread) {
			shown := strings.Contains(string(mustJSON(s.t, m.Components))+m.Text(), text) && !closed(m.Text())
			if shown && (button == "" && !strings.Contains(string(mustJSON(s.t, m.Components)), `"type":2,`) || button != "" && buttonID(m.Components, button) != "") {
				found = m
			}
		}
		return found.ID != ""
	}); err != nil {
		s.t.Fatalf("no card with %q shows %q: %s", button, text, mustJSON(s.t, s.discord.BotMessages(s.thread)))
	}
	if len(found.Components) == 0 {
		return found, found.Content
	}
	return found, found.Components
}

func (s onDiscord) press(card any, button string) {
	m := card.(discordfake.Message)
	s.discord.Click(s.user, s.thread, m.ID, buttonID(m.Components, button))
}

func (s onDiscord) form(card any, button, text string) (id string, looks any) {
	s.t.Helper()
	m := card.(discordfake.Message)
	token := s.discord.Click(s.user, s.thread, m.ID, buttonID(m.Components, button))
	if err := s.discord.Await(within(s.t, atMost), func() bool {
		return strings.Contains(string(mustJSON(s.t, s.discord.Interaction(token))), text)
	}); err != nil {
		s.t.Fatalf("no form shows %q: %s", text, mustJSON(s.t, s.discord.Interaction(token)))
	}
	modal := s.discord.Interaction(token).Data
	id, _ = modal["custom_id"].(string)
	return id, modal
}

func (s onDiscord) fill(id string, values map[string]string) {
	s.discord.Submit(s.user, s.thread, id, values)
}

func (s onDiscord) restart() {
	s.kill()
	s.begin()
}

func (s onDiscord) shows(text string, wait time.Duration) bool {
	return s.discord.Await(within(s.t, wait), func() bool {
		return strings.Contains(string(mustJSON(s.t, s.discord.BotMessages(s.thread))), text)
	}) == nil
}

// seats starts the program on both platforms with a task in both languages.
func seats(t *testing.T, env []string, task func(looking) string, run func(t *testing.T, name string, s seat, c looking)) {
	t.Helper()
	env = append([]string{"MARU_AGENT=orchestrator", "TZ=UTC"}, env...)
	for _, c := range oneLanguage(t, lookings()) {
		t.Run("slack."+c.lang, func(t *testing.T) {
			t.Parallel()
			w := newSlackWorld(t, summer(t, c), env...)
			w.start()
			run(t, "slack."+c.lang, onSlack{w, w.slack.Say("U1", "C1", "<@UBOT> "+task(c), "")}, c)
		})
		t.Run("discord."+c.lang, func(t *testing.T) {
			t.Parallel()
			w := newDiscordWorld(t, summer(t, c), env...)
			w.discord.SetLocale(w.user, c.locale)
			w.begin()
			run(t, "discord."+c.lang, onDiscord{w, w.discord.Say(w.user, w.general, w.discord.Mention()+" "+task(c)).ID}, c)
		})
	}
}

// TestEveryStageOfAnApproval holds what people see from the first question to the
// report: what is unclear, the plan as it was changed in words, the step whose
// values were changed in a form, and who decided all that.
func TestEveryStageOfAnApproval(t *testing.T) {
	t.Parallel()
	seats(t, nil, func(c looking) string { return c.task }, func(t *testing.T, name string, s seat, c looking) {
		card, shown := s.card(c.reply, c.question)
		looks(t, name+".unclear", shown)
		id, form := s.form(card, c.reply, c.question)
		looks(t, name+".unclear_form", form)
		s.fill(id, map[string]string{"q1": c.told})
		_, shown = s.card(c.accept, c.note)
		looks(t, name+".two_steps", shown)
		s.say(c.drop)
		card, shown = s.card(c.edit, "2+3")
		looks(t, name+".plan_edited", shown)
		id, form = s.form(card, c.edit, "2+3")
		looks(t, name+".step_form", form)
		s.fill(id, map[string]string{"expression": "2+4"})
		_, shown = s.card("", c.answer)
		looks(t, name+".decided", shown)
	})
}

// TestAChangedPlanIsAskedAgain adds a step that does more than what was shown: the
// plan is asked for again and says why, and ends as it was decided.
func TestAChangedPlanIsAskedAgain(t *testing.T) {
	t.Parallel()
	env := []string{"ENABLE_CLARIFICATION_APPROVAL=false"}
	seats(t, env, func(c looking) string { return c.task + " 1 + 1" }, func(t *testing.T, name string, s seat, c looking) {
		s.card(c.accept, c.sum)
		s.say(c.add)
		card, shown := s.card(c.accept, c.note)
		looks(t, name+".plan_changed", shown)
		s.press(card, c.reject)
		_, shown = s.card("", c.rejected)
		looks(t, name+".rejected", shown)
	})
}

// TestAPlanAfterAFailureIsAskedAnew holds the plan that takes the place of one whose
// step failed: it says why, is asked for like the first, also after a kill -9, and the
// report tells what failed.
func TestAPlanAfterAFailureIsAskedAnew(t *testing.T) {
	t.Parallel()
	env := []string{"ENABLE_CLARIFICATION_APPROVAL=false", "ENABLE_STEP_APPROVAL=false"}
	seats(t, env, func(c looking) string { return c.task + " 2 / 0" }, func(t *testing.T, name string, s seat, c looking) {
		card, _ := s.card(c.accept, c.halve)
		s.press(card, c.accept)
		_, shown := s.card(c.accept, c.sum)
		looks(t, name+".plan_anew", shown)
		s.restart()
		card, _ = s.card(c.accept, c.sum)
		s.press(card, c.accept)
		_, shown = s.card("", c.answer)
		looks(t, name+".anew_decided", shown)
	})
}

// again kills and restarts the program, which looks after what is due when it
// starts, until a text is there.
func again(t *testing.T, s seat, text string) {
	t.Helper()
	for wait := firstWait; wait < atMost/4; wait += firstWait / 2 {
		if s.shows(text, wait) {
			return
		}
		s.restart()
	}
	t.Fatalf("nothing says %q", text)
}

// TestAnApprovalsTimeRunsOut holds what the reminder of a plan says, and what became
// of the plan that nobody decided, each time after a kill -9.
func TestAnApprovalsTimeRunsOut(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for most of a minute")
	}
	t.Parallel()
	env := []string{"ENABLE_CLARIFICATION_APPROVAL=false", "MARU_APPROVAL_REMINDER=1s", "MARU_APPROVAL_EXPIRES=40s"}
	seats(t, env, func(c looking) string { return c.task }, func(t *testing.T, name string, s seat, c looking) {
		s.card(c.accept, c.note)
		again(t, s, c.reminded)
		_, shown := s.card("", c.reminded)
		looks(t, name+".reminded", shown)
		again(t, s, c.expired)
		_, shown = s.card("", c.expired)
		looks(t, name+".ran_out", shown)
		_, shown = s.card("", c.over)
		looks(t, name+".reminded_over", shown)
	})
}
