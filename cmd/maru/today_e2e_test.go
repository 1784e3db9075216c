package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent/llm/llmtest"
)

// TestEveryAgentKnowsWhichDayItIs asks each of the agents where the clock is fourteen hours
// ahead of UTC: whatever answers in words, or plans such an answer, is
// told the person's day.
func TestEveryAgentKnowsWhichDayItIs(t *testing.T) {
	t.Parallel()
	unraced(t)
	zone, err := time.LoadLocation("Pacific/Kiritimati")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string][]string{ // structured prompts that people read something of, or that think about days
		"chat": nil, "contract": nil, "guide": {"guide_plan", "guide_recommendations"},
		"orchestrator": {"message_kind", "plan"}, "autonomous": {"difficulty", "review"},
	}
	for name, structured := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.NewServer(t, dated)
			env := []string{"DATA_DIR=" + t.TempDir(), "MARU_AGENT=" + name, "ENABLE_HITL=false", "OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=k", "MARU_TIME_ZONE=Pacific/Kiritimati"}
			first := time.Now().In(zone)
			code, out, errs := runHere(t, "", env, "ask", "제5조에 따라 내일까지 대금을 내야 하나요?")
			if code != exitOK {
				t.Fatalf("code %d: %s %s", code, out, errs)
			}
			days := []string{today(first), today(time.Now().In(zone))} // midnight may pass in between
			told := map[string]bool{}
			for _, r := range model.Chats() {
				which := schemaOf(r)
				if which == "" {
					which = "answer"
				}
				knows := slices.ContainsFunc(days, func(d string) bool { return strings.Contains(r.System(), d) })
				told[which] = knows
			}
			for _, which := range append(structured, "answer") {
				if knows, asked := told[which]; !knows {
					t.Errorf("%s: asked %v, but not told %s; %v", which, asked, days[0], told)
				}
			}
		})
	}
}

func today(t time.Time) string {
	return "Today is " + t.Format("Monday, 2 January 2006") + " (Pacific/Kiritimati)."
}

// dated returns a model that lets every agent come to its answer the long way.
func dated(r llmtest.Request) llmtest.Reply {
	switch schemaOf(r) {
	case "":
		return llmtest.Text("오늘까지예요.")
	case "route":
		return llmtest.JSON(map[string]any{"route": "agent", "reason": "x", "query": ""})
	case "message_kind":
		return llmtest.JSON(map[string]any{"kind": "TOOL_REQUIRED", "title": "대금", "reason": "x"})
	case "plan":
		return llmtest.JSON(map[string]any{"title": "대금", "why": "x", "steps": []any{map[string]string{"text": "생각한다", "detail": "", "tool": ""}}})
	case "guide_route":
		return llmtest.JSON(map[string]any{"is_complex_task": true, "reason": "x"})
	case "guide_plan":
		return llmtest.JSON(map[string]any{"sub_tasks": []map[string]string{{"title": "영상 편집", "detail": ""}, {"title": "썸네일", "detail": ""}}})
	case "difficulty":
		return llmtest.JSON(map[string]any{"difficulty": "medium", "reason": "x", "reply": ""})
	case "review":
		return llmtest.JSON(map[string]any{"verdict": "approved", "feedback": ""})
	}
	return llmtest.JSON(llmtest.Least(r.Schema()))
}
