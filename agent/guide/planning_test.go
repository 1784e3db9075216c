package guide_test

import (
	"errors"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestWordsLeadToAnotherPlan(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집", "썸네일 만들기"), plan("블로그 열기"), choose())
	d := newDesk(t, m)
	r := d.request(goal, "ko")
	first := d.must(r)
	second, err := d.decide(r, first, agent.Reply{Action: agent.VerbEdit, Text: "영상 말고 블로그로 해줘"})
	if err != nil {
		t.Fatal(err)
	}
	if ask := asked(t, second); steps(ask) != "블로그 열기" || !strings.Contains(strings.Join(ask.Notes, " "), "영상 말고 블로그로 해줘") {
		t.Errorf("asked %+v", ask)
	}
	if second.Interrupts[0].ID == first.Interrupts[0].ID {
		t.Error("the second question has the id of the first")
	}
	if p := m.Requests()[2].Messages[0].Content; !strings.Contains(p, "영상 말고 블로그로 해줘") || !strings.Contains(p, "1. 영상 편집") {
		t.Errorf("planned again with %s", p)
	}
	// A decision on the question that is gone changes nothing.
	if _, err := d.decide(r, first, agent.Reply{Action: agent.VerbAccept}); err != nil && !errors.Is(err, graph.ErrStaleInterrupt) {
		t.Errorf("error %v", err)
	}
	if d.path() != "" {
		t.Errorf("a stale decision ran %s", d.path())
	}
}

// TestWordsTakeOutWithoutAModel: where no model plans, what a person takes out goes, and nothing
// is done under the name of the wish.
func TestWordsTakeOutWithoutAModel(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"썸네일은 빼줘": "영상 편집; 뉴스레터 보내기", "2번 빼주세요": "영상 편집; 뉴스레터 보내기", "마지막 거는 필요 없어": "영상 편집; 썸네일 만들기",
		"drop the last one": "영상 편집; 썸네일 만들기", "please remove the first step": "썸네일 만들기; 뉴스레터 보내기",
		"음악은 빼줘": "영상 편집; 썸네일 만들기; 뉴스레터 보내기", "자막도 넣어줘": "영상 편집; 썸네일 만들기; 뉴스레터 보내기; 자막도 넣어줘",
	} {
		d := newDesk(t, llmtest.Script(task(true), plan("영상 편집", "썸네일 만들기", "뉴스레터 보내기"), plan(), plan()))
		r := d.request(goal, "ko")
		again, err := d.decide(r, d.must(r), agent.Reply{Action: agent.VerbEdit, Text: words})
		if err != nil {
			t.Fatal(err)
		}
		ask := asked(t, again)
		if got := steps(ask); got != want {
			t.Errorf("%s: %s, want %s", words, got, want)
		}
		left := strings.Contains(strings.Join(ask.Notes, " "), "그대로 두었어요: "+words+"\n지금 있는 것: 1. 영상 편집, 2. 썸네일 만들기, 3. 뉴스레터 보내기")
		if changed := strings.Contains(strings.Join(ask.Notes, " "), "다시 나눴어요: "+words); left == changed || left != (words == "음악은 빼줘") {
			t.Errorf("%s: told %q", words, ask.Notes)
		}
	}
}

func TestReplanningIsBounded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		switch r.Purpose {
		case llm.ForRoute:
			return task(true)
		case llm.ForPlan:
			return plan("영상 편집")
		}
		return reflection()
	}))
	r := d.request(goal, "ko")
	res := d.must(r)
	for i := 0; len(res.Interrupts) > 0; i++ {
		if i > 10 {
			t.Fatal("it asks for ever")
		}
		var err error
		if res, err = d.decide(r, res, agent.Reply{Action: agent.VerbEdit, Text: "아니, 다르게"}); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(res.Text, "새 메시지로") {
		t.Errorf("it ends with %s", res.Text)
	}
}
