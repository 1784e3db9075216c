package contract_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/contract"
	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
)

const (
	straight = "scope_validator check_previous_context planner executor evaluator respond"
	side     = "scope_validator check_previous_context planner parallel_executor parallel_executor evaluator respond"
)

func TestModelThatIsAwayFailsTheRunAndItGoesOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Fail(&llm.Error{Class: llm.Network}) }))
	d.add(home, "개발 계약서.txt", leaseKo)
	r := d.request("제5조와 제9조 알려줘", "ko")
	_, err := d.run(r)
	var f *agent.Failure
	if !errors.As(err, &f) || f.Code != "model_away" {
		t.Fatalf("error %v", err)
	}
	d.use(llmtest.Script(llmtest.Text("다시 왔어요 [1][2].")))
	res, err := d.run(r)
	if err != nil || len(res.Sources) != 2 || len(d.tools()) != 0 {
		t.Errorf("%v %v, called %v", res, err, d.tools())
	}
}

func TestCacheAnswersTheSameQuestionOnce(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("대금이에요 [1].") })
	d := newDesk(t, m)
	d.cfg.Cache = llm.NewMemoryCache(16, d.in.Now)
	d.use(m)
	d.add(home, "개발 계약서.txt", leaseKo)
	one := d.request("제5조 알려줘", "ko")
	two := d.request("제5조 알려줘", "ko")
	two.Thread = "fake/T/C/2"
	a, err := d.run(one)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.run(two)
	if err != nil || a.Text != b.Text || m.Count() != 1 || b.Usage.Calls != 0 {
		t.Errorf("%v: %q and %q, %d calls, the second cost %d", err, a.Text, b.Text, m.Count(), b.Usage.Calls)
	}
}

func TestDeletedMessageIsForgotten(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		for _, msg := range r.Messages {
			if strings.Contains(msg.Content, "비밀번호") {
				t.Error("a deleted message is shown")
			}
		}
		return llmtest.Text("[1]")
	})
	d := newDesk(t, llmtest.Script(llmtest.Text("비밀번호는 안 돼요 [1].")))
	d.add(home, "개발 계약서.txt", leaseKo)
	d.ask("제5조 알려줘 비밀번호는 1234야", "ko")
	if err := d.agent.Amend(t.Context(), "fake/T/C/1", "m1", "", true); err != nil {
		t.Fatal(err)
	}
	d.use(m)
	d.ask("제9조 알려줘", "ko")
	if err := d.agent.Forget(t.Context(), "fake/T/C/1"); err != nil {
		t.Fatal(err)
	}
}

// TestBuiltInModel is what a newcomer gets without an endpoint.
func TestBuiltInModel(t *testing.T) {
	t.Parallel()
	d := newDesk(t, extractive.New())
	d.add(home, "개발 계약서.txt", leaseKo)
	for _, c := range []struct{ ask, language, want string }{
		{"제5조 알려줘", "ko", "3,000만 원"},
		{"제9조는 뭐야?", "ko", "7일 전"},
		{"비밀유지 조항 보여줘", "ko", "5년 동안"},
		{"선금은 몇 퍼센트야?", "ko", "선금 50퍼센트"},
		{"표준계약서의 하자 보수 기간은 얼마나 돼?", "ko", "12개월"},
		{"What is the warranty period in the standard contract?", "en", "12 months"},
		{"제99조 알려줘", "ko", "제99조가 없어요"},
		{"안녕하세요", "ko", "안녕하세요! 계약서에 관해"},
		{"Good morning, Maru!", "en", "Hello! Ask me about your contract"},
		{"내 이름은 민수야", "ko", "기억해 둘게요"},
		{"안녕! 저는 디자인팀에서 일해요", "ko", "기억해 둘게요"},
		{"My name is Minsu.", "en", "Noted for this conversation"},
		{"점심 뭐 먹을까?", "ko", "계약서에 관한 질문에 답해요"},
		{"나는 계약 기간이 궁금해요", "ko", "2027년 3월 31일"},
		{"저는 선금을 언제 받는지 알고 싶어요", "ko", "선금 50퍼센트"},
	} {
		res := d.ask(c.ask, c.language)
		if !strings.Contains(res.Text, c.want) {
			t.Errorf("%s: %s\n(%s %v)", c.ask, res.Text, d.path(), d.tools())
		}
	}
}

// TestEventsAreInOrder: what people see live comes before the answer.
func TestEventsAreInOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("대금이에요 [1].")))
	d.add(home, "개발 계약서.txt", leaseKo)
	d.ask("제5조 알려줘", "ko")
	var names []string
	for _, e := range d.events {
		name := e.Name
		if e.Kind == agent.EventSources || e.Kind == agent.EventToken {
			name = string(e.Kind)
		}
		if e.Kind == agent.EventCustom || name == string(e.Kind) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if got := strings.Join(names, " "); got != "planning tool_selected evaluation_result generating sources token" {
		t.Errorf("events %s", got)
	}
	var e contract.Evaluation
	if err := json.Unmarshal(d.custom("evaluation_result")[0], &e); err != nil || !slices.Equal(e.Explored, []string{"제5조(대금)"}) {
		t.Errorf("%+v %v", e, err)
	}
}

// TestModelThatNobodyUnderstands: empty replies and rubbish at every node decide nothing. What is plain goes by
// rule, and the passages are the answer.
func TestModelThatNobodyUnderstands(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Fail(&llm.Error{Class: llm.Garbage}) }))
	d.add(home, "개발 계약서.txt", leaseKo)
	for question, want := range map[string]string{"제9조 알려줘": "7일 전에 알리고", "그럼 비밀은 몇 년 동안 지켜?": "5년 동안", "아까 말한 대금은 언제 내?": "선금 50퍼센트"} {
		res, err := d.run(d.request(question, "ko"))
		if err != nil || !strings.Contains(res.Text, want) {
			t.Errorf("%s: %s %v", question, res.Text, err)
		}
	}
}
