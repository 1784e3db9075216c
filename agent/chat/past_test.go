package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/agent/workflow"
)

// diary is a thread's past: everything that was said, whatever is asked.
type diary struct {
	said []workflow.Said

	missed []workflow.Said
	err    error
	asks   int
}

func (d *diary) Earlier(_ context.Context, _, _ string, _ func(string) bool, limit int) ([]workflow.Said, error) {
	d.asks++
	return d.said[:min(limit, len(d.said))], d.err
}

// What left the window comes back into the prompt in people's own words: bounded,
// oldest first, not what the window has, and the trace says which and why.
func TestWhatWasSaidLongAgoIsRecalled(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	past := &diary{}
	m := talker(nil)
	d := newDesk(t, m)
	tools, err := tool.NewRegistry(d.tool)
	if err != nil {
		t.Fatal(err)
	}
	if d.agent, err = chat.New(chat.Config{
		Model: d.model, Documents: library, Tools: tools, Past: past, Runtime: graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true}),
	}); err != nil {
		t.Fatal(err)
	}
	d.ask(d.request("예산은 3억이야"))
	if past.asks > 0 {
		t.Error("the past is asked for while the window has all")
	}
	for range 12 {
		d.ask(d.request("말"))
	}
	past.said = []workflow.Said{
		{ID: "msg1", Author: "철수", Text: "예산은\n3억이야", At: day.AddDate(0, 0, 1), Score: 9},
		{ID: "long", Author: "영희", Text: strings.Repeat("긴 말 ", 400), At: day.AddDate(0, 0, 2), Score: 8},
		{ID: fmt.Sprintf("msg%d", d.turn), Author: "철수", Text: "in the window", At: day, Score: 7},
		{ID: "msg0", Author: "영희", Text: "배포는 화요일이야", At: day, Score: 6},
		{ID: "again", Author: "영희", Text: "배포는 화요일이야", At: day.AddDate(0, 0, 3), Score: 6},
		{ID: "late", Author: "", Text: "자정 무렵이야", At: day.Add(13 * time.Hour), Score: 6},
		{ID: "more", Author: "영희", Text: strings.Repeat("많은 말 ", 400), At: day, Score: 5},
		{ID: "most", Author: "영희", Text: strings.Repeat("너무 많은 말 ", 400), At: day, Score: 4},
	}
	req := d.request("예산이 얼마라고 했지?")
	req.User.TimeZone = "Asia/Seoul"
	_, events := d.ask(req)
	system := lastPrompt(m).Messages[0].Content
	if !strings.Contains(system, "- 2026-03-02 영희: 배포는 화요일이야\n- 2026-03-03 Person: 자정 무렵이야\n- 2026-03-03 철수: 예산은 3억이야") {
		t.Errorf("the prompt lacks what was said:\n%s", system)
	}
	for _, no := range []string{"너무", "in the window", "2026-03-05", strings.Repeat("긴 말 ", 90)} {
		if strings.Contains(system, no) {
			t.Errorf("the prompt has %q:\n%s", no, system)
		}
	}
	var used []struct {
		ID     string
		Score  float64
		Tokens int
	}
	for _, e := range events {
		if e.Kind == agent.EventCustom && e.Name == "earlier" {
			if err := json.Unmarshal(e.Data, &used); err != nil || strings.Contains(string(e.Data), "3억") {
				t.Errorf("the trace: %s, %v", e.Data, err)
			}
		}
	}
	total := 0
	for _, u := range used {
		total += u.Tokens
	}
	if total > 300 || len(used) < 3 || used[0].ID != "msg1" || used[0].Score != 9 || used[0].Tokens == 0 {
		t.Errorf("the trace: %+v", used)
	}
	past.err = errors.New("away")
	if res, _ := d.ask(d.request("그리고?")); res.Text == "" {
		t.Error("no answer without the past")
	}
}

// A message that was edited or deleted after it was summarised is told of in its old
// words nowhere: its summary has none any more, and the transcript is asked instead.
func TestSummaryOfAChangedMessageIsUnsaid(t *testing.T) {
	t.Parallel()
	for name, deleted := range map[string]bool{"edited": false, "deleted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
				llm.ForRoute:   func(llm.Request) llmtest.Reply { return route("agent") },
				llm.ForAnswer:  func(llm.Request) llmtest.Reply { return llmtest.Text("네.") },
				llm.ForSummary: func(r llm.Request) llmtest.Reply { return llmtest.Text(r.Messages[1].Content) }, // word by word
			})
			past := &diary{}
			d := newDesk(t, m)
			tools, err := tool.NewRegistry(d.tool)
			if err != nil {
				t.Fatal(err)
			}
			if d.agent, err = chat.New(chat.Config{
				Model: m, Documents: library, Tools: tools, Past: past, Runtime: graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true}),
			}); err != nil {
				t.Fatal(err)
			}
			d.ask(d.request("회의는 화요일이야"))
			d.ask(d.request("장소는 3층이야"))
			for range 5 {
				d.ask(d.request("말"))
			}
			if system := lastPrompt(m).Messages[0].Content; !strings.Contains(system, "화요일") {
				t.Fatalf("nothing was summarised yet:\n%s", system)
			}
			if err := d.agent.Amend(t.Context(), "t/1/c/x", "msg1", "회의는 목요일이야", deleted); err != nil {
				t.Fatal(err)
			}
			past.said = []workflow.Said{{ID: "msg2", Author: "철수", Text: "장소는 3층이야", Score: 5}}
			d.ask(d.request("언제, 어디서 한다고 했지?"))
			for _, r := range m.Requests()[len(m.Requests())-2:] {
				if said := fmt.Sprint(r.Messages); strings.Contains(said, "화요일") {
					t.Errorf("a prompt still says what was changed:\n%s", said)
				}
			}
			if system := lastPrompt(m).Messages[0].Content; !strings.Contains(system, "장소는 3층이야") {
				t.Errorf("what else was said is lost:\n%s", system)
			}
		})
	}
}

func (d *diary) Missed(context.Context, string, string, func(string) bool, int) ([]workflow.Said, error) {
	return d.missed, nil
}

// What a rule answered is in the prompt. A message alone is its author's word: it needs no yes to be searched for. What
// another person said, and any answer, may be anybody's.
func TestWhatARuleAnsweredIsTheAuthorsWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		by       string
		answered bool
		asks     int
	}{{"u", false, 0}, {"u", true, 1}, {"u2", false, 1}, {"", false, 1}} {
		search := &gadget{name: "web_search", policy: queries}
		m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
			llm.ForRoute: routed,
			llm.ForAnswer: func(r llm.Request) llmtest.Reply {
				if last := r.Messages[len(r.Messages)-1]; last.Role == llm.User {
					return llmtest.CallTool("web_search", withText("Gangneung trains"))
				}
				return llmtest.Text("네.")
			},
		})
		d := deskWith(t, m, nil)
		tools, err := tool.NewRegistry(d.tool, d.mail, search)
		if err != nil {
			t.Fatal(err)
		}
		past := &diary{missed: []workflow.Said{{ID: "m1", Author: "철수", Text: "내일 9시에 강릉 가는 기차 예매하라고 알려줘", By: c.by}}}
		if c.answered {
			past.missed = append(past.missed, workflow.Said{ID: "m2", Own: true, Text: "예약했어요: 강릉 가는 기차 예매하기"})
		}
		if d.agent, err = chat.New(chat.Config{
			Model: m, Documents: library, Tools: tools, Past: past, Runtime: graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true}),
		}); err != nil {
			t.Fatal(err)
		}
		res, _ := d.ask(d.asking("그 기차 영어로 찾아줘"))
		if len(res.Interrupts) != c.asks || search.calls.Load() != int32(1-c.asks) {
			t.Errorf("%+v: %d questions and %d searches", c, len(res.Interrupts), search.calls.Load())
		}
		if all := fmt.Sprint(m.Requests()[1].Messages); !strings.Contains(all, "기차 예매하라고") || strings.Contains(all, "예약했어요") != c.answered {
			t.Errorf("%+v: the prompt lacks what was said: %s", c, all)
		}
	}
}
