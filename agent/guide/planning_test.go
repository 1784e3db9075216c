package guide_test

import (
	"errors"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/extractive"
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

// TestWordsChangeWithoutAModel: where no model plans, what a person takes out goes, what they
// add comes, and nothing is done under the name of a wish.
func TestWordsChangeWithoutAModel(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"썸네일은 빼줘": "영상 편집; 뉴스레터 보내기", "2번 빼주세요": "영상 편집; 뉴스레터 보내기", "마지막 거는 필요 없어": "영상 편집; 썸네일 만들기",
		"drop the last one": "영상 편집; 썸네일 만들기", "please remove the first step": "썸네일 만들기; 뉴스레터 보내기",
		"썸네일은 빼고 자막을 넣어줘": "영상 편집; 뉴스레터 보내기; 자막", "2번은 빼고 진행해줘": "영상 편집; 뉴스레터 보내기", "음악은 빼고 자막 추가해줘": "영상 편집; 썸네일 만들기; 뉴스레터 보내기; 자막",
		"drop the last one and add captions": "영상 편집; 썸네일 만들기; captions",
		"음악은 빼줘":                             "영상 편집; 썸네일 만들기; 뉴스레터 보내기", "자막도 넣어줘": "영상 편집; 썸네일 만들기; 뉴스레터 보내기; 자막",
		"add subtitles please": "영상 편집; 썸네일 만들기; 뉴스레터 보내기; subtitles", "로고도 만들고 싶어요": "영상 편집; 썸네일 만들기; 뉴스레터 보내기; 로고도 만들기",
		"영상 대신 블로그로 해줘": "블로그; 썸네일 만들기; 뉴스레터 보내기", "a blog instead of the 썸네일": "영상 편집; blog; 뉴스레터 보내기",
		"더 간단하게": "영상 편집; 썸네일 만들기; 뉴스레터 보내기", "예산은 10만 원이에요": "영상 편집; 썸네일 만들기; 뉴스레터 보내기",
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
		same := want == "영상 편집; 썸네일 만들기; 뉴스레터 보내기"
		if changed := strings.Contains(strings.Join(ask.Notes, " "), "다시 나눴어요: "+words); left == changed || left != same {
			t.Errorf("%s: told %q", words, ask.Notes)
		}
	}
}

// TestWishesAboutServicesAreNoSubTask: words about the services stay words: they change no
// sub-task, are told to be heeded, and decide which service is taken.
func TestWishesAboutServicesAreNoSubTask(t *testing.T) {
	t.Parallel()
	for words, language := range map[string]string{"Only free tools please.": "en", "무료만 써 주세요": "ko", "공짜로 할래요": "ko"} {
		d := newDesk(t, extractive.New())
		d.cfg.Documents = nil
		d.use(extractive.New())
		r := d.request(map[string]string{"en": "I want to draw an illustration and send a newsletter", "ko": "일러스트를 그리고 뉴스레터를 보내고 싶어요"}[language], language)
		first := d.must(r)
		again, err := d.decide(r, first, agent.Reply{Action: agent.VerbEdit, Text: words})
		if err != nil {
			t.Fatal(err)
		}
		ask, notes := asked(t, again), ""
		notes = strings.Join(ask.Notes, " ")
		if steps(ask) != steps(asked(t, first)) || !strings.Contains(notes, words) || strings.Contains(notes, "그대로 두었어요") || strings.Contains(notes, "anything to change") {
			t.Errorf("%s: %s, told %q", words, steps(ask), notes)
		}
		res, err := d.decide(r, again, agent.Reply{Action: agent.VerbAccept})
		if err != nil || strings.Contains(res.Text, "Midjourney") || !strings.Contains(res.Text, "Stable Diffusion") {
			t.Errorf("%s: %v, %s", words, err, res.Text)
		}
	}
	// Where none is free, that is said, and nobody is told to try it for nothing.
	d := newDesk(t, extractive.New())
	d.cfg.Documents = nil
	d.use(extractive.New())
	r := d.request("I want to open an online shop and send a newsletter. Only free tools please.", "en")
	r.Approvals.Plan = false
	shop, _, _ := strings.Cut(d.must(r).Text, "**2.")
	if !strings.Contains(shop, "I don't know a free one for this.") || strings.Contains(shop, "small and free") {
		t.Errorf("%s", shop)
	}
	// A model that leaves the sub-tasks as they are has read the words for later.
	d = newDesk(t, llmtest.Script(task(true), plan("영상 편집"), plan("영상 편집")))
	r = d.request(goal, "ko")
	again, err := d.decide(r, d.must(r), agent.Reply{Action: agent.VerbEdit, Text: "한국어가 되는 걸로 해줘"})
	if err != nil || !strings.Contains(strings.Join(asked(t, again).Notes, " "), "서비스를 찾을 때 이 말씀을 따를게요: 한국어가") {
		t.Errorf("%v: %+v", err, asked(t, again))
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

// TestAndAtTheBeginningIsNothingToDraw: "그리고" that begins a sentence joins it to the one before;
// behind an object it is work of its own.
func TestAndAtTheBeginningIsNothingToDraw(t *testing.T) {
	t.Parallel()
	for goal, want := range map[string]string{
		"홍보 영상을 편집하고 싶어. 그리고 뉴스레터를 보내고 싶어요": "홍보 영상을 편집하기; 뉴스레터를 보내기",
		"일러스트를 그리고 뉴스레터를 보내고 싶어요":           "일러스트를 그리기; 뉴스레터를 보내기",
	} {
		d := newDesk(t, extractive.New())
		if got := steps(asked(t, d.must(d.request(goal, "ko")))); got != want {
			t.Errorf("%s: %s", goal, got)
		}
	}
}

// TestWhatSomebodyIsAboutToDoIsATask: "려고" and "I'd like to" say what a plan is wanted for, and the
// plan names it by its verb.
func TestWhatSomebodyIsAboutToDoIsATask(t *testing.T) {
	t.Parallel()
	for goal, want := range map[string]string{
		"온라인 쇼핑몰을 만들려고 해요":                               "온라인 쇼핑몰을 만들기",
		"블로그를 열고 글을 써서 홍보하려고 합니다.":                       "블로그를 열기; 글을 써서 홍보하기",
		"동아리 회비를 걷고 일정을 공유하려고요":                          "동아리 회비를 걷기; 일정을 공유하기",
		"신청을 받으려고 하는데요":                                  "신청을 받기",
		"의견을 들으려고 해":                                     "의견을 듣기",
		"새 이름을 지으려고 해요":                                  "새 이름을 짓기",
		"후원금을 모으려고요":                                     "후원금을 모으기",
		"카페를 창업하려는데 도와줘":                                 "카페를 창업하기",
		"I'd like to open an online shop and promote it": "open an online shop; promote it",
		"I’d like to record a podcast":                   "record a podcast",
	} {
		d := newDesk(t, extractive.New())
		waits := d.must(d.request(goal, map[bool]string{true: "en", false: "ko"}[goal[0] == 'I']))
		if len(waits.Interrupts) == 0 {
			t.Errorf("%s: no plan, but %q", goal, waits.Text)
			continue
		}
		if got := steps(asked(t, waits)); got != want {
			t.Errorf("%s: %s", goal, got)
		}
	}
	d := newDesk(t, extractive.New())
	if res := d.must(d.request("연차를 쓰려는데 며칠 남았어?", "ko")); len(res.Interrupts) > 0 {
		t.Errorf("a question is planned: %s", steps(asked(t, res)))
	}
}
