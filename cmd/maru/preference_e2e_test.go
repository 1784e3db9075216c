package main

import (
	"strings"
	"sync"
	"testing"

	"maru/agent/llm/llmtest"
)

// prompts are what a model was asked, by the shape that it was to fill.
type prompts struct {
	mu    sync.Mutex
	heard map[string][]string
}

func (p *prompts) hear(r llmtest.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard[schemaOf(r)] = append(p.heard[schemaOf(r)], r.Messages[0].Text())
}

// take returns what was heard since it was taken last.
func (p *prompts) take() map[string][]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.heard
	p.heard = map[string][]string{}
	return out
}

// TestPlansKnowWhatTheirPersonPrefers: what somebody told an agent in one thread is
// before it when it plans in a later one, and in nobody else's plan.
func TestPlansKnowWhatTheirPersonPrefers(t *testing.T) {
	t.Parallel()
	unraced(t)
	const told = "free tools: likes it"
	for _, c := range []struct {
		agent  string
		reply  func(llmtest.Request) llmtest.Reply
		shapes []string // whose prompts are to have it
	}{
		{"orchestrator", func(r llmtest.Request) llmtest.Reply {
			if schema := schemaOf(r); schema != "" {
				if schema == "message_kind" && strings.Contains(lastSaid(r), "remember") {
					return llmtest.JSON(map[string]string{"kind": "SIMPLE_CHAT", "title": "", "reason": "test"})
				}
				return planning(schema, r.Messages[0].Text())
			}
			return llmtest.Text("Noted and done.")
		}, []string{"plan", ""}},
		{"guide", func(r llmtest.Request) llmtest.Reply {
			switch schemaOf(r) {
			case "guide_route":
				return llmtest.JSON(map[string]any{"is_complex_task": !strings.Contains(lastSaid(r), "remember"), "reason": "test"})
			case "guide_plan":
				return llmtest.JSON(map[string]any{"sub_tasks": []map[string]string{{"title": "영상 편집", "detail": ""}}})
			case "guide_recommendations":
				return llmtest.JSON(map[string]any{"recommendations": []map[string]any{{"sub_task": 1, "service": "CapCut", "reason": "무료예요"}}})
			case "guide_reflection":
				return llmtest.JSON(map[string]any{"preferences": []any{}, "feedback": []any{}, "missing_tools": []any{}})
			}
			return llmtest.Text("Noted and done.")
		}, []string{"guide_plan", "guide_recommendations", ""}},
	} {
		t.Run(c.agent, func(t *testing.T) {
			t.Parallel()
			p := &prompts{heard: map[string][]string{}}
			w := newSlackWorld(t, llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
				p.hear(r)
				return c.reply(r)
			}), "MARU_AGENT="+c.agent, "ENABLE_HITL=false")
			w.start()
			first := w.slack.Say("U1", "C1", "<@UBOT> remember that I prefer free tools", "")
			w.await("C1", first, 1, "Noted and done.")
			w.lessonsTaken()
			for who, knows := range map[string]bool{"U1": true, "U2": false} {
				p.take()
				later := w.slack.Say(who, "C1", "<@UBOT> 숫자들을 계산해 줘", "")
				w.await("C1", later, 1, "Noted and done.")
				heard := p.take()
				for _, shape := range c.shapes {
					if len(heard[shape]) == 0 {
						t.Errorf("%s: nothing was asked for %q", who, shape)
					}
					for _, prompt := range heard[shape] {
						if strings.Contains(prompt, told) != knows {
							t.Errorf("%s: the prompt for %q, which shall hold the preference: %t\n%s", who, shape, knows, prompt)
						}
					}
				}
				w.lessonsTaken() // the words may be there before what was used does
				if shown := strings.Contains(w.blocks("C1", later), told); shown != knows {
					t.Errorf("%s: the card says that it was used: %t, want %t", who, shown, knows)
				}
			}
		})
	}
}
