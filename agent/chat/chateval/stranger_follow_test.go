package chateval_test

import (
	"slices"
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

type strangersTalk struct{ first, then, says string }

// strangersTalks are conversations whose second question leans on the first; the odd ones are open, the even ones held out.
var strangersTalks = []strangersTalk{
	{"출산휴가는 며칠이야?", "쌍둥이면?", "120일"},
	{"병가는 1년에 며칠까지 쓸 수 있어?", "진단서는 며칠부터 내야 해?", "4일"},
	{"야근 식대는 얼마야?", "그건 언제까지 청구해?", "다음 달 5일"},
	{"재택근무는 일주일에 며칠 가능해?", "수습 기간에는?", "하루"},
	{"법인카드 한도는 얼마야?", "부장은?", "300만 원"},
	{"경조금은 결혼하면 얼마 줘?", "부모상은?", "50만 원"},
	{"주차비는 한 달에 얼마야?", "그럼 자전거는?", "무료"},
	{"출장 숙박비 한도가 얼마야?", "해외는요?", "20만 원"},
	{"노트북은 몇 년마다 바꿔줘?", "누구한테 신청해?", "전산팀"},
	{"교육비 지원은 1년에 얼마까지야?", "신청은 언제까지?", "7일 전"},
	{"How long is the notice period?", "and during probation?", "one week"},
	{"What is the meal allowance on trips?", "what about abroad?", "60 euros"},
	{"How many days can I work from abroad?", "who has to approve it?", "security team"},
	{"When are expense reports due?", "and if I miss it?", "next quarter"},
	{"입사하면 명함은 언제 나와?", "몇 장?", "200장"},
	{"회의실 예약은 며칠 전부터 돼?", "취소는 언제까지?", "1시간 전"},
	{"퇴직금은 언제 지급돼?", "중간정산도 돼?", "무주택자"},
	{"연장근로는 한 달에 몇 시간까지야?", "누가 승인하는데?", "본부장"},
	{"건강검진은 몇 년마다 해?", "배우자도 돼?", "배우자는"},
	{"셔틀버스 첫차는 몇 시야?", "막차는?", "22시"},
}

// strangersCorrections are questions whose person then says what they had meant.
var strangersCorrections = []strangersTalk{
	{"법인카드 한도는 얼마야?", "아니 부장 말이야", "300만 원"},
	{"경조금은 결혼하면 얼마 줘?", "결혼 말고 부모상 물어본거야", "50만 원"},
	{"ok cool. What is the meal allowance on trips?", "no i meant abroad", "60 euros"},
	{"thanks! How long is the notice period?", "sorry, I was asking about probation", "one week"},
}

var strangersPages = map[string]string{
	"출산휴가.md":   "# 출산휴가\n\n출산휴가는 90일이다. 쌍둥이를 낳으면 120일이다.\n",
	"병가.md":     "# 병가\n\n병가는 1년에 60일까지 쓸 수 있다. 4일째부터는 진단서를 내야 한다.\n",
	"식대.md":     "# 야근 식대\n\n야근 식대는 한 끼에 1만 2천 원이다. 야근 식대는 다음 달 5일까지 청구한다.\n",
	"재택.md":     "# 재택근무\n\n재택근무는 일주일에 3일까지 가능하다. 수습 기간에는 일주일에 하루만 가능하다.\n",
	"카드.md":     "# 법인카드\n\n법인카드 한도는 한 달에 100만 원이다. 부장은 한 달에 300만 원이다. 영수증은 7일 안에 낸다.\n",
	"경조금.md":    "# 경조금\n\n본인이 결혼하면 경조금 30만 원을 준다. 부모상은 50만 원을 준다.\n",
	"주차.md":     "# 주차\n\n주차비는 한 달에 5만 원이다. 자전거는 무료이다.\n",
	"출장.md":     "# 출장 숙박\n\n출장 숙박비 한도는 국내 1박에 10만 원이다. 해외는 1박에 20만 원이다.\n",
	"장비.md":     "# 노트북\n\n노트북은 4년마다 바꾼다. 교체는 전산팀에 신청한다.\n",
	"교육.md":     "# 교육비\n\n교육비는 1년에 150만 원까지 지원한다. 교육 시작 7일 전까지 신청한다.\n",
	"명함.md":     "# 명함\n\n명함은 입사 후 5일 안에 나온다. 한 번에 200장을 만든다.\n",
	"회의실.md":    "# 회의실\n\n회의실 예약은 14일 전부터 된다. 취소는 시작 1시간 전까지 한다.\n",
	"퇴직금.md":    "# 퇴직금\n\n퇴직금은 퇴직 후 14일 안에 지급한다. 중간정산은 무주택자가 집을 살 때만 된다.\n",
	"연장.md":     "# 연장근로\n\n연장근로는 한 달에 40시간까지이다. 연장근로는 본부장이 승인한다.\n",
	"검진.md":     "# 건강검진\n\n건강검진은 2년마다 한다. 배우자는 40세부터 함께 받을 수 있다.\n",
	"셔틀.md":     "# 셔틀버스\n\n셔틀버스 첫차는 7시이다. 막차는 22시이다.\n",
	"notice.md": "# Notice period\n\nThe notice period is three months. During probation it is one week.\n",
	"meals.md":  "# Trips\n\nThe meal allowance on trips is 30 euros a day. Abroad it is 60 euros a day.\n",
	"abroad.md": "# Working from abroad\n\nYou can work from abroad for 20 days a year. The security team has to approve it.\n",
	"due.md":    "# Expense reports\n\nExpense reports are due within 30 days. If you miss it, the report is paid in the next quarter.\n",
}

// TestStrangersFollowUps asks follow-ups as people do.
func TestStrangersFollowUps(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for name, text := range strangersPages {
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
	var right [2]int
	for i, talk := range slices.Concat(strangersTalks, strangersCorrections) {
		var text string
		for n, asks := range []string{talk.first, talk.then} {
			res, err := a.Run(t.Context(), agent.Request{
				Run: "run " + talk.first + asks, Message: talk.first + asks, Thread: talk.first + talk.then, Text: asks, User: agent.User{ID: "u"}, Now: time.Date(2026, 11, 27, 9, n, 0, 0, time.UTC),
				Scopes: []string{bot.ScopePublic}, Home: bot.ScopePublic, NoMemory: true, Language: phrase.Spoken(talk.first, ""),
			}, func(agent.Event) {})
			if err != nil {
				t.Fatal(err)
			}
			text = res.Text
		}
		switch {
		case i >= len(strangersTalks):
			if !strings.Contains(text, talk.says) {
				t.Errorf("%s %s: %q", talk.first, talk.then, text)
			}
		case strings.Contains(text, talk.says):
			right[i%2]++
		case i%2 == 0:
			t.Logf("%s %s: %q", talk.first, talk.then, text)
		}
	}
	if right[0]+right[1] < len(strangersTalks)-1 {
		t.Errorf("%d of %d follow-ups are answered", right[0]+right[1], len(strangersTalks))
	}
	t.Logf("| follow-ups | %d of %d | %d of %d |", right[0], len(strangersTalks)/2, right[1], len(strangersTalks)/2)
}
