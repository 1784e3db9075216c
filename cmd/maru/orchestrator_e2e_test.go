package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
)

// planner returns a model endpoint for the orchestrator: it asks one question, plans
// two sums and reports.
func planner(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		system := r.Messages[0].Text()
		if r.ResponseFormat != nil && r.ResponseFormat.JSONSchema != nil {
			return planning(r.ResponseFormat.JSONSchema.Name, system)
		}
		if len(r.Tools) == 1 && r.Messages[len(r.Messages)-1].Role != "tool" {
			sum := "2+3"
			if strings.Contains(lastSaid(r), "곱") {
				sum = "6*7"
			}
			args, err := json.Marshal(map[string]string{"expression": sum})
			if err != nil {
				t.Error(err)
			}
			return llmtest.CallTool("calculator", string(args))
		}
		return llmtest.Text("합은 5, 곱은 42예요.")
	})
}

func planning(schema, system string) llmtest.Reply {
	switch schema {
	case "message_kind":
		return llmtest.JSON(map[string]string{"kind": "TOOL_REQUIRED", "title": "계산", "reason": "test"})
	case "clarity":
		if strings.Contains(system, "둘 다요") {
			return llmtest.JSON(map[string]any{"score": 0.9, "questions": []any{}})
		}
		return llmtest.JSON(map[string]any{"score": 0.2, "questions": []any{map[string]any{"question": "합인가요, 곱인가요?", "options": []string{}}}})
	case "plan":
		step := func(text string) map[string]string {
			return map[string]string{"text": text, "detail": "", "tool": "calculator"}
		}
		return llmtest.JSON(map[string]any{"title": "두 계산", "why": "차례로 계산해요.", "steps": []any{step("합 구하기"), step("곱 구하기")}})
	}
	return llmtest.JSON(map[string]string{"decision": "go_on", "reason": "test"})
}

// TestOrchestratorOnSlack takes a task from question to answer, with a kill -9
// while each card waits.
func TestOrchestratorOnSlack(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, planner(t), "MARU_AGENT=orchestrator")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> 숫자들을 계산해 줘", "")
	press := func(label, shown string) {
		t.Helper()
		ts := ""
		err := w.slack.Wait(within(t, atMost), func() bool {
			for _, r := range w.slack.Replies("C1", root) {
				if slices.Contains(r.Buttons(), label) && strings.Contains(string(mustJSON(t, r.Blocks))+r.Text, shown) {
					ts = r.TS
				}
			}
			return ts != ""
		})
		if err != nil {
			t.Fatalf("no card with the button %q shows %q; the bot said %q", label, shown, w.bots("C1", root))
		}
		w.kill()
		w.start()
		if _, err := w.slack.Click("U2", "C1", ts, label); err != nil { // a stranger
			t.Fatal(err)
		}
		for range 2 { // twice
			if _, err := w.slack.Click("U1", "C1", ts, label); err != nil && !strings.Contains(err.Error(), "no button") {
				t.Fatal(err)
			}
		}
	}
	w.await("C1", root, 1, "합인가요")
	w.slack.Say("U1", "C1", "둘 다요", root) // a plain reply is the answer
	press("승인", "두 계산")
	press("승인", "2+3")
	press("승인", "6*7")
	w.await("C1", root, 5, "합은 5, 곱은 42예요.") // after four questions
	if err := w.slack.Wait(within(t, atMost), func() bool {
		return strings.Contains(strings.Join(w.bots("C1", root), "\n"), "2단계 중 2단계 성공")
	}); err != nil {
		t.Errorf("the bot said %q", w.bots("C1", root))
	}
}

// TestAPlaceIsAskedBeforeATool switches every question off but the one about a
// tool that only reads: a person is asked before each call of it, and a refusal
// keeps it from being made.
func TestAPlaceIsAskedBeforeATool(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, planner(t), "MARU_AGENT=orchestrator", "MARU_ADMINS=U2", "ENABLE_HITL=false")
	w.start()
	ask := func(text string) string { return w.slack.Say("U1", "C1", "<@UBOT> "+text, "") }
	free := ask("숫자들을 계산해 줘")
	w.await("C1", free, 1, "합은 5, 곱은 42예요.") // nobody is asked
	w.slack.Slash("U2", "C1", "/maru", "settings set channel tools_ask calculator")
	w.slack.Slash("U2", "C1", "/maru", "tools")
	if err := w.slack.Wait(within(t, atMost), func() bool {
		said := w.slack.Whispers("U2")
		return len(said) > 1 && strings.Contains(bare(said[len(said)-1].Shown()), "only reads, asks before every use")
	}); err != nil {
		t.Errorf("the list of tools says %+v", w.slack.Whispers("U2"))
	}
	root := ask("숫자들을 다시 계산해 줘")
	for _, step := range []struct{ shown, press string }{{"2+3", "승인"}, {"6*7", "건너뛰기"}} {
		ts := ""
		if err := w.slack.Wait(within(t, atMost), func() bool {
			for _, r := range w.slack.Replies("C1", root) {
				if slices.Contains(r.Buttons(), step.press) && strings.Contains(string(mustJSON(t, r.Blocks))+r.Text, step.shown) {
					ts = r.TS
				}
			}
			return ts != ""
		}); err != nil {
			t.Fatalf("nobody is asked about %q; the bot said %q", step.shown, w.bots("C1", root))
		}
		if _, err := w.slack.Click("U1", "C1", ts, step.press); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.slack.Wait(within(t, atMost), func() bool {
		return strings.Contains(strings.Join(w.bots("C1", root), "\n"), "2단계 중 1단계 성공")
	}); err != nil {
		t.Errorf("the bot said %q", w.bots("C1", root))
	}
}

// TestOrchestratorPlanIsEditedInAForm changes the plan in Slack's form, in
// English: what runs is the plan as it was changed.
func TestOrchestratorPlanIsEditedInAForm(t *testing.T) {
	t.Parallel()
	model := planner(t)
	w := newSlackWorld(t, model, "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "ENABLE_STEP_APPROVAL=false")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> calculate the numbers please", "")
	ts := ""
	if err := w.slack.Wait(within(t, atMost), func() bool {
		for _, r := range w.slack.Replies("C1", root) {
			if slices.Contains(r.Buttons(), "Edit") {
				ts = r.TS
			}
		}
		return ts != ""
	}); err != nil {
		t.Fatalf("no card with a form; the bot said %q", w.bots("C1", root))
	}
	if _, err := w.slack.Click("U1", "C1", ts, "Edit"); err != nil {
		t.Fatal(err)
	}
	id := ""
	if err := w.slack.Wait(within(t, atMost), func() bool {
		v, ok := w.slack.LastView()
		id = v.ID
		return ok && v.Open && strings.Contains(string(v.Body), "1. 합 구하기")
	}); err != nil {
		t.Fatal("no form shows the plan")
	}
	if _, err := w.slack.Submit("U1", id, map[string]string{"plan": "1. 합 구하기"}); err != nil {
		t.Fatal(err)
	}
	w.await("C1", root, 2, "합은 5")
	for _, r := range model.Chats() {
		if strings.Contains(lastSaid(r), "곱 구하기") {
			t.Error("a step that was taken out was worked on")
		}
	}
}

// TestOrchestratorOnDiscord does the same on Discord, and leaves a step out.
func TestOrchestratorOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newDiscordWorld(t, planner(t), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false")
	w.begin()
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" 숫자들을 계산해 줘")
	press := func(label, shown string) {
		t.Helper()
		message, id := "", ""
		err := w.discord.Await(within(t, atMost), func() bool {
			for _, m := range w.discord.BotMessages(q.ID) {
				if found := buttonID(m.Components, label); found != "" && strings.Contains(m.Content+string(mustJSON(t, m.Components)), shown) {
					message, id = m.ID, found
				}
			}
			return id != ""
		})
		if err != nil {
			for _, m := range w.discord.BotMessages(q.ID) {
				t.Logf("%s %s", m.Text(), mustJSON(t, m.Components))
			}
			t.Fatalf("no card with the button %q shows %q", label, shown)
		}
		w.kill()
		w.begin()
		for range 2 {
			w.discord.Click(w.user, q.ID, message, id)
		}
	}
	press("승인", "두 계산")
	press("승인", "2+3")
	press("건너뛰기", "6*7")
	err := w.discord.Await(within(t, atMost), func() bool {
		for _, m := range w.discord.BotMessages(q.ID) {
			if strings.Contains(m.Text(), "건너뜀 1") {
				return true
			}
		}
		return false
	})
	if err != nil {
		for _, m := range w.discord.BotMessages(q.ID) {
			t.Logf("%s", m.Text())
		}
		t.Error("the run does not end")
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// buttonID finds a button by its label, however deep it stands.
func buttonID(v any, label string) string {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			if id := buttonID(one, label); id != "" {
				return id
			}
		}
	case map[string]any:
		if id, ok := v["custom_id"].(string); ok && v["label"] == label {
			return id
		}
		for _, one := range v {
			if id := buttonID(one, label); id != "" {
				return id
			}
		}
	}
	return ""
}
