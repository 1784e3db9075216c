package chateval_test

import (
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/llm/extractive"
	"maru/agent/workflow"
	"maru/bot"
	"maru/phrase"
	"maru/rag/library"
)

// TestFollowUpsAskWhatWasCited: a question without a subject is answered from the document that the last answer cited, though
// others share more words with it; one with a new subject is not.
func TestFollowUpsAskWhatWasCited(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for name, text := range map[string]string{
		"연차.md":         "# 연차\n\n## 일수\n\n연차는 1년에 15일이다. 근속 3년부터는 2년마다 1일을 더해 근속 5년이면 17일이다.\n\n## 신청\n\n연차는 쉬는 날 3일 전까지 신청한다. 팀장이 승인한다.\n",
		"안식월.md":        "# 안식월\n\n근속 5년이면 안식월 30일을 쓴다.\n\n## 신청\n\n안식월은 두 달 전까지 신청해야 한다.\n",
		"교육비.md":        "# 교육비\n\n교육비는 1년에 100만 원까지 지원한다. 교육 시작 7일 전까지 신청해야 한다.\n",
		"포상.md":         "# 포상\n\n근속 5년이면 1년에 며칠을 더 쉬는지는 여기에서 정한다. 5년이면 포상 휴가 10일을 준다. 포상은 연말까지 언제까지든 신청해야 한다.\n",
		"parental.md":   "# Parental leave\n\nParental leave lasts 12 months. Apply for it 30 days before it starts. The personnel office approves it.\n",
		"sabbatical.md": "# Sabbatical\n\nA sabbatical lasts 6 weeks. Apply for it 90 days before it starts. The board approves it.\n",
	} {
		if _, err := s.lib.AddBundled(t.Context(), bot.ScopePublic, []library.Bundled{{Name: name, Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := chat.New(chat.Config{
		Model: extractive.New(), Documents: s.lib, Passages: 5,
		Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory(), Check: workflow.CheckAnswer}),
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, talk := range map[string][]struct{ asks, says string }{
		"a case":            {{"연차는 1년에 며칠이야?", "15일"}, {"5년이면?", "17일"}},
		"a verb":            {{"연차는 1년에 며칠이야?", "15일"}, {"언제까지 신청해야 돼?", "3일 전"}},
		"another subject":   {{"연차는 1년에 며칠이야?", "15일"}, {"그럼 교육비는?", "100만 원"}},
		"of the other one":  {{"안식월은 며칠을 쓰나요?", "30일"}, {"언제까지 신청해야 돼?", "두 달 전"}},
		"in English":        {{"How long does a sabbatical last?", "6 weeks"}, {"who approves?", "board"}},
		"the other English": {{"How long does parental leave last?", "12 months"}, {"who approves?", "personnel office"}},
	} {
		t.Run(name, func(t *testing.T) {
			for i, turn := range talk {
				res, err := a.Run(t.Context(), agent.Request{
					Run: "run " + name + turn.asks, Message: name + turn.asks, Thread: name, Text: turn.asks, User: agent.User{ID: "u"}, Now: time.Date(2026, 11, 27, 9, i, 0, 0, time.UTC),
					Scopes: []string{bot.ScopePublic}, Home: bot.ScopePublic, NoMemory: true, Language: phrase.Spoken(turn.asks, ""),
				}, func(agent.Event) {})
				if err != nil || !strings.Contains(res.Text, turn.says) {
					t.Errorf("%s: %q (%v), want %q", turn.asks, res.Text, err, turn.says)
				}
			}
		})
	}
}
