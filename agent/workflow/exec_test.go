package workflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow"
	"maru/phrase"
)

func TestResilientInvoke(t *testing.T) {
	t.Parallel()
	fails := func(c llm.Class) llmtest.Reply { return llmtest.Fail(&llm.Error{Class: c}) }
	cases := []struct {
		name          string
		first, second []llmtest.Reply
		want          string // the answer, or the class of the error
		switched      string // class of the switch
	}{
		{"rate_limit_is_tried_again", []llmtest.Reply{fails(llm.RateLimited), llmtest.Text("a")}, nil, "a", ""},
		{"network_is_tried_again", []llmtest.Reply{fails(llm.Network), fails(llm.Timeout), llmtest.Text("a")}, nil, "a", ""},
		{"overload_goes_to_the_next", []llmtest.Reply{fails(llm.Overloaded), fails(llm.Overloaded), fails(llm.Overloaded)}, []llmtest.Reply{llmtest.Text("b")}, "b", "overloaded"},
		{"wrong_key_goes_to_the_next_at_once", []llmtest.Reply{fails(llm.Auth)}, []llmtest.Reply{llmtest.Text("b")}, "b", "auth"},
		{"refusal_is_final", []llmtest.Reply{fails(llm.Refused)}, nil, "refused", ""},
		{"bad_request_goes_to_the_next", []llmtest.Reply{fails(llm.BadRequest)}, []llmtest.Reply{llmtest.Text("b")}, "b", "bad_request"},
		{"all_fail", []llmtest.Reply{fails(llm.Quota)}, []llmtest.Reply{fails(llm.Quota)}, "quota", "quota"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			first, second := llmtest.Script(c.first...), llmtest.Script(c.second...)
			x := &workflow.Exec{Models: []llm.Model{first, second}, ModelName: "named", Backoff: time.Nanosecond, Random: func() float64 { return 0 }}
			resp, switches, err := x.ResilientInvoke(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "q"}}}, nil)
			got := resp.Message.Content
			if err != nil {
				got = string(llm.ClassOf(err))
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if (c.switched == "") != (len(switches) == 0) || (len(switches) > 0 && switches[0].Class != c.switched) {
				t.Errorf("switches %+v", switches)
			}
			if first.Requests()[0].Model != "named" || (second.Count() > 0 && second.Requests()[0].Model != "") {
				t.Error("the model's name went to the wrong service")
			}
			first.AssertDone(t)
			second.AssertDone(t)
		})
	}
}

func TestFallbackVoidsWhatWasShown(t *testing.T) {
	t.Parallel()
	broken := llmtest.Reply{Text: "half an ans", Err: &llm.Error{Class: llm.Cut}}
	var shown string
	x := &workflow.Exec{
		Models: []llm.Model{llmtest.Script(broken), llmtest.Script(llmtest.Text("whole"))}, MaxRetries: -1,
		Sink: func(e agent.Event) {
			if e.Kind == agent.EventReset {
				shown = ""
			}
		},
	}
	if _, _, err := x.ResilientInvoke(t.Context(), llm.Request{}, func(s string) { shown += s }); err != nil || shown != "whole" {
		t.Errorf("shown %q, %v", shown, err)
	}
	if _, _, err := (&workflow.Exec{}).ResilientInvoke(context.Background(), llm.Request{}, nil); !errors.Is(err, workflow.ErrNoModel) {
		t.Errorf("without a model: %v", err)
	}
}

func TestGuardFits(t *testing.T) {
	t.Parallel()
	g := workflow.NewGuard(1000)
	if n := g.Count("hello world"); n != 2 {
		t.Errorf("%d tokens", n)
	}
	if n := g.Count("안녕하세요"); n < 1 || n > 5 {
		t.Errorf("%d tokens", n)
	}
	long := strings.Repeat("some words here ", 60)
	in := []llm.Message{
		{Role: llm.System, Content: "rules"},
		{Role: llm.User, Content: "old " + long}, {Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "t"}}},
		{Role: llm.ToolRole, ToolCallID: "1", Content: long}, {Role: llm.Assistant, Content: long}, {Role: llm.User, Content: "new " + long},
	}
	out, dropped := g.Fit(in)
	if n := g.CountMessages(out); n > g.Room() {
		t.Errorf("%d tokens, room is %d", n, g.Room())
	}
	if out[0].Content != "rules" || !strings.HasPrefix(out[len(out)-1].Content, "new ") || dropped == 0 {
		t.Errorf("kept %v", out)
	}
	for i, m := range out {
		if m.Role == llm.ToolRole && (i == 0 || len(out[i-1].ToolCalls) == 0) {
			t.Error("a result without its call")
		}
	}
	huge := []llm.Message{{Role: llm.User, Content: "begin " + strings.Repeat("가나다 ", 4000) + " end"}}
	before := huge[0].Content
	out, _ = g.Fit(huge)
	if n := g.CountMessages(out); n > g.Room()+16 || !strings.HasPrefix(out[0].Content, "begin") || !strings.HasSuffix(out[0].Content, "end") {
		t.Errorf("%d tokens, room is %d", n, g.Room())
	}
	if huge[0].Content != before {
		t.Error("the caller's messages were changed")
	}
	same, dropped := g.Fit(in[:1])
	if len(same) != 1 || dropped != 0 {
		t.Error("what fits was changed")
	}
}

// TestGuardKeepsTheLastExchange: what a tool answered keeps its call and the question,
// however long the call is; what is no JSON any more endpoints refuse.
func TestGuardKeepsTheLastExchange(t *testing.T) {
	t.Parallel()
	g := workflow.NewGuard(8000)
	long := json.RawMessage(`{"expression":"` + strings.Repeat("1+", 20_000) + `1"}`)
	in := []llm.Message{
		{Role: llm.System, Content: "rules"}, {Role: llm.User, Content: "before"}, {Role: llm.Assistant, Content: "earlier"}, {Role: llm.User, Content: "the question"},
		{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "short", Arguments: json.RawMessage(`{"a":1}`)}, {ID: "2", Name: "long", Arguments: long}}},
		{Role: llm.ToolRole, ToolCallID: "1", Content: "one"}, {Role: llm.ToolRole, ToolCallID: "2", Content: strings.Repeat("two ", 9000)},
	}
	out, _ := g.Fit(in)
	if n := g.CountMessages(out); n > g.Room()+16 {
		t.Errorf("%d tokens, room is %d", n, g.Room())
	}
	if len(out) < 5 || out[0].Content != "rules" || out[len(out)-4].Content != "the question" || out[len(out)-2].ToolCallID != "1" || !strings.HasPrefix(out[len(out)-1].Content, "two") {
		t.Fatalf("kept %d messages: %.300v", len(out), out)
	}
	calls := out[len(out)-3].ToolCalls
	if len(calls) != 2 || string(calls[0].Arguments) != `{"a":1}` || len(calls[1].Arguments) > 100 || !json.Valid(calls[1].Arguments) {
		t.Errorf("its calls: %.300v", calls)
	}
	if len(in[4].ToolCalls[1].Arguments) != len(long) {
		t.Error("the caller's call was changed")
	}
}

// TestCite holds answers against two passages and against none.
func TestCite(t *testing.T) {
	t.Parallel()
	two := []agent.Source{
		{N: 1, Chunk: "a", Title: "휴가 규정", Quote: "직원은 1년에 15일의 연차 유급휴가를 받는다."},
		{N: 2, Chunk: "b", Title: "Travel", Quote: "The company pays up to 120,000 won a night for a hotel in Korea."},
	}
	for name, c := range map[string]struct {
		answer, want string
		passages     []agent.Source
		cited        string        // chunks in order
		told         agent.Checked // what did not stand as it was
	}{
		"single_source_is_the_first": {"The company pays up to 120,000 won a night for a hotel. [2]", "The company pays up to 120,000 won a night for a hotel. [1]", two, "b", agent.Checked{}},
		"in_order_of_citing":         {"Up to 120,000 won [2], 연차 15일 [1].", "Up to 120,000 won [1], 연차 15일 [2].", two, "ba", agent.Checked{Uncited: 1}},
		"invented_is_removed":        {"연차 15일 [1][5].", "연차 15일 [1].", two, "a", agent.Checked{Removed: 1}},
		"none_without_passages":      {"서울의 인구는 940만 명이에요. [1]", "서울의 인구는 940만 명이에요.", nil, "", agent.Checked{Removed: 1}},
		"a_list_is_no_citation":      {"정렬하면 [1, 2, 3]이에요.", "정렬하면 [1, 2, 3]이에요.", nil, "", agent.Checked{}},
	} {
		var told agent.Checked
		x := &workflow.Exec{Sink: func(e agent.Event) {
			if err := json.Unmarshal(e.Data, &told); err != nil || e.Name != agent.CustomChecked {
				t.Errorf("%s: %+v, %v", name, e, err)
			}
		}}
		text, cited := x.Cite(c.answer, c.passages)
		chunks := ""
		for i, s := range cited {
			chunks += s.Chunk
			if s.N != i+1 {
				t.Errorf("%s: source %d has the number %d", name, i+1, s.N)
			}
		}
		if text != c.want || chunks != c.cited || told != c.told {
			t.Errorf("%s: %q of %q, told %+v", name, text, chunks, told)
		}
	}
}

// TestDeclinedAnswersNameTheNearest: a model that says that the documents do not say names
// no place to read on; its answer does, once, with what is written there of the question, and
// so does what people see of it.
func TestDeclinedAnswersNameTheNearest(t *testing.T) {
	t.Parallel()
	near := []agent.Source{
		{N: 1, Chunk: "a", Title: "휴가 규정", Heading: "병가", Quote: "# 병가\n연차와 따로 준다. **병가**는 [10일](https://x.test)까지 유급이다."},
		{N: 2, Chunk: "b", Title: "Travel", Quote: "The company pays for hotels."},
		{N: 3, Chunk: "c", Title: "휴가 규정", Heading: "병가", Quote: "진단서를 낸다."},
	}
	const places = "\n\n가장 가까운 곳은 여기예요:\n- 휴가 규정 › 병가: “병가는 10일까지 유급이다.”\n- Travel"
	for name, c := range map[string]struct{ answer, added string }{
		"declined":         {"문서에는 주차에 대한 내용이 나와 있지 않아요.", places},
		"no_such_clause":   {"이 계약서에는 주차에 관한 조항이 없습니다.", places},
		"english":          {"The agreement does not mention parking.", places},
		"tells_them":       {"문서에는 없어요.\n\n가장 가까운 곳은 여기예요:\n- Travel", ""},
		"answers_in_part":  {"병가는 10일까지 유급이에요 [1]. 문서에는 주차 이야기가 없어요.", ""},
		"a_plain_question": {"무엇이 궁금하세요?", ""},
	} {
		seen := ""
		x := &workflow.Exec{Request: agent.Request{Language: "ko", Text: "병가 때 주차는?"}, Sink: func(e agent.Event) {
			if e.Kind == agent.EventToken {
				seen += e.Text
			}
		}}
		if text, _ := x.Cite(c.answer, near); text != c.answer+c.added || seen != c.added {
			t.Errorf("%s: %q, and people saw %q more", name, text, seen)
		}
	}
}

// TestPointersAreNoSources: an answer that names the nearest places has them as data as well, without numbers.
func TestPointersAreNoSources(t *testing.T) {
	t.Parallel()
	passages := []agent.Source{{N: 1, Title: "Leave", Heading: "Annual"}, {N: 2, Title: "Leave", Heading: "Annual"}, {N: 3, Title: "Parking"}}
	got := workflow.Pointers("I could not find it.\n\n"+phrase.Say("en", "agent.nearest")+"\n- Leave › Annual", passages)
	if len(got) != 2 || got[0].Heading != "Annual" || got[1].Title != "Parking" || got[0].N+got[1].N != 0 {
		t.Errorf("pointers %+v", got)
	}
	if got := workflow.Pointers("It is fifteen days [1].", passages); got != nil || passages[0].N != 1 {
		t.Errorf("an answer points to %+v, its passages are %+v", got, passages)
	}
}
