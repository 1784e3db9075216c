package main

import (
	"slices"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// held returns a model endpoint whose answer to the request with a schema, or to the
// final one (""), waits until the asker has gone; reached tells that it came.
func held(t *testing.T, schema string) (model *llmtest.Server, reached chan struct{}) {
	t.Helper()
	never, reached := make(chan struct{}), make(chan struct{}, 64)
	t.Cleanup(func() { close(never) })
	model = llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		name := ""
		if r.ResponseFormat != nil && r.ResponseFormat.JSONSchema != nil {
			name = r.ResponseFormat.JSONSchema.Name
		}
		last := r.Messages[len(r.Messages)-1].Role
		reply := llmtest.Text("합은 5예요.")
		switch {
		case name == "clarity" && schema == "ask":
			return llmtest.JSON(map[string]any{"score": 0.2, "questions": []any{map[string]any{"question": "합인가요, 곱인가요?", "options": []string{}}}})
		case name == "clarity":
			reply = llmtest.JSON(map[string]any{"score": 0.9, "questions": []any{}})
		case name != "":
			reply = planning(name, r.Messages[0].Text())
		case len(r.Tools) == 1 && last != "tool":
			return llmtest.CallTool("calculator", `{"expression":"2+3"}`)
		}
		if name == schema {
			reached <- struct{}{}
			reply.Wait = never
		}
		return reply
	})
	return model, reached
}

// TestStopAtEveryStage says "멈춰" while the run asks, plans, waits for its plan's
// and its step's approval, and works: the run ends and says so, no button of it
// is left, and the thread answers again.
func TestStopAtEveryStage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schema string   // of the request that hangs; "ask" for a clarification
		shown  string   // on the card that is stopped, "" while something is at work
		press  []string // the text of the cards that are approved first
		ends   string   // what the thread says in the end
	}{
		"clarification": {"ask", "합인가요", nil, "말씀하신 대로 멈췄어요"},
		"planning":      {"plan", "", nil, "요청하신 대로 멈췄어요"},
		"plan":          {"none", "두 계산", nil, "거절해서 아무것도 실행하지 않았어요"},
		"step":          {"none", "2단계 중 1단계", []string{"두 계산"}, "말씀하신 대로 멈췄어요"},
		"work":          {"", "", []string{"두 계산", "2단계 중 1단계", "2단계 중 2단계"}, "요청하신 대로 멈췄어요"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model, reached := held(t, c.schema)
			w := newSlackWorld(t, model, "MARU_AGENT=orchestrator")
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> 숫자들을 계산해 줘", "")
			for _, shown := range c.press {
				m := w.withButton(root, "승인", shown)
				if _, err := w.slack.Click("U1", "C1", m.TS, "승인"); err != nil {
					t.Fatal(err)
				}
			}
			if c.shown != "" {
				w.withButton(root, "", c.shown)
			} else {
				select {
				case <-reached:
				case <-within(t, atMost).Done():
					t.Fatal("the model is not asked")
				}
			}
			w.slack.Say("U1", "C1", "멈춰", root)
			err := w.slack.Wait(within(t, atMost), func() bool {
				said := strings.Join(w.bots("C1", root), "\n")
				return strings.Contains(said, c.ends) && !slices.ContainsFunc(w.slack.Replies("C1", root), func(m slackfake.Message) bool { return len(m.Buttons()) > 0 })
			})
			if err != nil {
				for _, m := range w.slack.Replies("C1", root) {
					t.Logf("%s %q", m.Text, m.Buttons())
				}
				t.Fatal("it does not stop")
			}
		})
	}
}

// withButton waits for a card of a thread that has the button, or any if it is "",
// and shows text.
func (w *slackWorld) withButton(root, button, text string) slackfake.Message {
	w.t.Helper()
	var found slackfake.Message
	if err := w.slack.Wait(within(w.t, atMost), func() bool {
		for _, m := range w.slack.Replies("C1", root) {
			has := slices.Contains(m.Buttons(), button) || button == "" && len(m.Buttons()) > 0
			if has && strings.Contains(string(mustJSON(w.t, m.Blocks))+m.Text, text) {
				found = m
			}
		}
		return found.TS != ""
	}); err != nil {
		w.t.Fatalf("no card with %q shows %q; the bot said %q", button, text, w.bots("C1", root))
	}
	return found
}
