package orchestrator_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/memory/longterm"
	"maru/memory/sqlitestore"
)

// tenTasks are tasks with the plan that a planner proposes who does not know the person, and the one that they want.
var tenTasks = []struct{ task, later, proposed, wanted string }{
	{"부산 날씨 정리해 줘", "부산 날씨 좀 정리해 주세요", "날씨 확인@get_weather|정리하기", "날씨 확인@get_weather"},
	{"주간 회의록 요약해 줘", "주간 회의록을 요약해 줄래요?", "회의록 읽기|요약하기", "요약하기"},
	{"경쟁사 소식 찾아서 메모해 줘", "경쟁사 소식 찾아서 메모해 주세요", "소식 찾기@web_search", "소식 찾기@web_search|메모 쓰기@write_note"},
	{"신입 환영 글 써 줘", "신입 환영 글 좀 써 줘", "초안 쓰기|다듬기", "초안 쓰기|다듬기"},
	{"서울 날씨 정리해 줘", "서울 날씨를 정리해 줘", "날씨 확인@get_weather|정리하기", "날씨 확인@get_weather"},
	{"summarize the sales numbers", "please summarize the sales numbers", "look them up@web_search|summarize", "summarize"},
	{"note the release date", "could you note the release date?", "write a note@write_note", "write a note@write_note"},
	{"check the weather in Paris and note it", "Check the weather in Paris and note it, please", "check@get_weather", "check@get_weather|note@write_note"},
	{"draft a welcome post", "can you draft a welcome post", "draft|polish|check the tone", "draft|polish"},
	{"find news about our rivals", "Find news about our rivals.", "search@web_search|sort by date", "search@web_search"},
}

// planner is a planner that follows what the prompt tells of earlier work, and else proposes its own.
func plannerOf(t string) func(llm.Request) llmtest.Reply {
	return func(req llm.Request) llmtest.Reply {
		var steps []string
		if _, past, ok := strings.Cut(req.Messages[0].Content, "Plans of this person that went well"); ok {
			for line := range strings.Lines(past) {
				if strings.HasPrefix(line, "- ") && len(steps) > 0 {
					break
				}
				if text, is := strings.CutPrefix(strings.TrimRight(line, "\n"), "  - "); is {
					text, name, _ := strings.Cut(text, " [")
					steps = append(steps, text+"@"+strings.TrimSuffix(name, "]"))
				}
			}
		}
		if len(steps) == 0 {
			steps = strings.Split(t, "|")
		}
		return planOf(steps...)
	}
}

// TestTenTasksWithAndWithoutMemory carries ten tasks out three times: twice, and once more with other words after the
// process and its record were closed and opened again. The person edits a plan that is not theirs. The figures are those
// of docs/agents.md.
func TestTenTasksWithAndWithoutMemory(t *testing.T) {
	t.Parallel()
	var calls [2][3]int
	for which, off := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "record.db")
		for round := range 3 {
			store, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: file})
			if err != nil {
				t.Fatal(err)
			}
			mem := longterm.New(longterm.Config{Store: store.Memory(), Now: func() time.Time { return noon }})
			edits, well := 0, 0
			for n, task := range tenTasks {
				text := [3]string{task.task, task.task, task.later}[round]
				c, edited, done := carryOut(t, mem, off, fmt.Sprintf("run%d", 100*(round+1)+n), task.proposed, task.wanted, text)
				calls[which][round] += c
				edits, well = edits+edited, well+done
			}
			t.Logf("memory off %v, round %d: %d model calls, %d edits, %d of 10 succeeded", off, round+1, calls[which][round], edits, well)
			if want := [2][3]int{{7, 0, 0}, {8, 8, 8}}[which][round]; edits != want || well != 10 {
				t.Errorf("memory off %v, round %d: %d edits, want %d; %d of 10", off, round+1, edits, want, well)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if calls[1][2]-calls[0][2] < 10 {
		t.Errorf("the third round takes %d model calls with memory and %d without", calls[0][2], calls[1][2])
	}
}

// textOf returns the text of the step with this tool, a text that is in none without one.
func textOf(plan, name string) string {
	for _, s := range strings.Split(plan, "|") {
		if text, tool, _ := strings.Cut(s, "@"); tool == name {
			return text
		}
	}
	return "\x00"
}

// carryOut has one task done by a person who wants one plan.
func carryOut(t *testing.T, mem *longterm.Memory, off bool, run, proposed, wanted, text string) (calls, edits, well int) {
	t.Helper()
	m := weatherMind()
	m.plans = nil
	m.plan = plannerOf(proposed)
	m.steps = func(req llm.Request) llmtest.Reply {
		last := req.Messages[len(req.Messages)-1]
		if last.Role == llm.ToolRole || len(req.Tools) == 0 {
			return llmtest.Text("됐어요")
		}
		for _, name := range []string{"get_weather", "web_search", "write_note"} {
			if strings.Contains(req.Messages[1].Content, textOf(proposed+"|"+wanted, name)) && strings.Contains(fmt.Sprint(req.Tools), name) {
				return llmtest.CallTool(name, map[bool]string{true: `{"city":"부산"}`, false: `{"text":"x"}`}[name == "get_weather"])
			}
		}
		return llmtest.Text("됐어요")
	}
	d := newDesk(t, m, agent.Approvals{Plan: true})
	d.log = graph.NewMemory()
	d.cfg.Memory = mem
	d.req.Run, d.req.Message, d.req.Thread, d.req.Text, d.req.NoMemory = run, "m"+run, "t"+run, text, off
	d.start()
	i, a := d.asked("plan")
	var shown []string
	for _, s := range a.Steps {
		shown = append(shown, s.Text)
	}
	var want []string
	for _, s := range strings.Split(wanted, "|") {
		s, _, _ = strings.Cut(s, "@")
		want = append(want, s)
	}
	reply := do("accept")
	if strings.Join(shown, "|") != strings.Join(want, "|") {
		reply, edits = agent.Reply{Action: "edit", Values: map[string]string{"plan": strings.Join(want, "\n")}}, 1
		m.retool = func(req llm.Request) llmtest.Reply {
			list := []string{}
			for _, s := range strings.Split(wanted, "|") {
				if text, name, _ := strings.Cut(s, "@"); strings.Contains(req.Messages[len(req.Messages)-1].Content+req.Messages[0].Content, text) && !slices.Contains(shown, text) {
					list = append(list, name)
				}
			}
			return llmtest.JSON(map[string]any{"tools": list})
		}
	}
	res := d.decide(i, reply).run()
	for n := 0; len(res.Interrupts) > 0; n++ {
		if n > 3 {
			t.Fatalf("%s: still asked: %+v", text, res.Interrupts)
		}
		res = d.decide(res.Interrupts[0], do("accept")).run()
	}
	if s := states(d.lastPlan()); !strings.Contains(s, "failed") && !strings.Contains(s, "waiting") {
		well = 1
	} else {
		t.Logf("%s: %s %s", text, s, res.Text)
	}
	if !off {
		d.learn(mem, res)
	}
	return d.model.Count(), edits, well
}
