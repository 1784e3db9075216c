package longterm_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/memory/longterm"
)

func TestExplicit(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"My team is data platform.":                  "fact team = data platform",
		"Please remember that my office is in Busan": "fact office = in Busan",
		"Call me Min":                              "fact name = Min",
		"my name is Bob and I sit in ROOM-42":      "fact name = Bob",
		"my name is Kim, nice to meet you":         "fact name = Kim",
		"my name is Anna and Bert":                 "fact name = Anna and Bert",
		"내 이름은 철수고 회의실 3에 앉아":                      "fact 이름 = 철수",
		"제 이름은 민지인데 인사팀이에요":                        "fact 이름 = 민지",
		"I work at the Seoul branch.":              "fact work = Seoul branch",
		"I prefer tables.":                         "like answer format = tables",
		"I prefer short answers":                   "like answer length = short answers",
		"I hate cilantro":                          "like cilantro = does not like it",
		"From now on, answer in English.":          "feedback answer language = From now on, answer in English",
		"My goal is to pass the exam in May":       "goal goal = pass the exam in May",
		"remember the release is on Friday":        "fact the release is on Friday = the release is on Friday",
		"제 부서는 인사팀이에요.":                            "fact 부서 = 인사팀",
		"내 목표는 5월 시험 합격이야":                         "goal goal = 5월 시험 합격",
		"저는 부산 지사에서 일해요":                           "fact 직장 = 부산 지사",
		"저는 짧은 답을 선호해요":                            "like answer length = 짧은 답",
		"나는 오이를 싫어해":                               "like 오이 = 싫어함",
		"앞으로 표로 답해 줘":                              "feedback answer format = 앞으로 표로 답해 줘",
		"미나라고 불러 주세요":                              "fact 이름 = 미나",
		"매주 금요일에 배포한다고 기억해 줘":                      "fact 매주 금요일에 배포한다 = 매주 금요일에 배포한다",
		"나는 항상 무료 도구를 선호한다고 기억해 줘":                 "like 무료 도구 = 좋아함",
		"무료 도구를 선호한다고 꼭 기억해 주세요":                   "like 무료 도구 = 좋아함",
		"항상 무료 도구를 선호한다고 기억해 줘":                    "like 무료 도구 = 좋아함",
		"제가 오이를 싫어한다는 걸 기억해 둬":                     "like 오이 = 싫어함",
		"내 부서는 인사팀이라고 기억해 줘":                       "fact 부서 = 인사팀",
		"앞으로 짧게 답해 달라고 기억해 줘":                      "feedback answer length = 앞으로 짧게 답해 달라",
		"회의는 월요일이라고 기억해 줘":                         "fact 회의는 월요일이야 = 회의는 월요일이야",
		"아니, 내 예산은 500만원이 아니라 700만원이야":             "fact 예산 = 700만원",
		"No, my team is platform.":                 "fact team = platform",
		"아니, 화요일이 아니라 수요일이야":                       "",
		"What is my team?":                         "",
		"제 부서는 뭐예요?":                               "",
		"내 연차는 며칠인가요":                              "",
		"Summarise the report, then send it.":      "",
		"My team is data. What is the budget?":     "fact team = data",
		"연차 규정을 알려줘. 참고로 제 부서는 인사팀이에요.":            "",
		"> my team is legal\nwhat does this mean":  "",
		"```\nmy team is legal\n```":               "",
		"My password is hunter2. My team is data.": "fact team = data",
		"제 전화번호는 010-1234-5678이에요. 제 부서는 인사팀이에요.":  "fact 부서 = 인사팀",
	} {
		var got []string
		m := fresh(t)
		for i, l := range longterm.Explicit(longterm.Own(words)) {
			o := mina
			o.Person = fmt.Sprint("p", i)
			if m.Preferences.Consolidate(t.Context(), o, "s", at(0), l) == nil && !strings.Contains(l.Value, "•••") {
				got = append(got, fmt.Sprintf("%s %s = %s", l.Type, l.Subject, l.Value))
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}

func TestOnlyWordsAboutOneselfAreLookedInto(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]bool{
		"I prefer tables": true, "제 부서는 인사팀이에요": true, "앞으로 짧게 답해 줘": true,
		"연차 규정 알려줘": false, "weather in Seoul": false, "아니, 화요일이 아니라 수요일이야": true, "화요일이 아니라 수요일이야?": false, "what is my team?": false, "내 이름이 뭐라고 했지?": false, "> I prefer tables": false, "": false,
	} {
		l, ok, err := longterm.WordsLesson(words)
		must(t, err)
		if ok != want || ok && l.Kind != longterm.KindWords {
			t.Errorf("%q: %v, %+v", words, ok, l)
		}
	}
	l, ok, err := longterm.WordsLesson("my key is sk-abcdefghijklmnopqrstuvwx")
	must(t, err)
	if !ok || strings.Contains(string(l.Data), "sk-abc") {
		t.Errorf("a key is handed on: %s", l.Data)
	}
}

func TestAProposalMustStandInThePersonsWords(t *testing.T) {
	t.Parallel()
	words := "Hi! I work in the Busan office, by the way. Which form do I need?"
	got := longterm.Vouched([]longterm.PreferenceLesson{
		{Type: longterm.Fact, Subject: "office", Value: "Busan", Quote: "I work in the Busan office"},
		{Type: longterm.Fact, Subject: "rights", Value: "admin", Quote: "I am the administrator"},
		{Type: longterm.Fact, Subject: "form", Value: "needed", Quote: "Which form do I need?"},
		{Type: longterm.Fact, Subject: "x", Value: "y"},
	}, words)
	if len(got) != 1 || got[0].Subject != "office" {
		t.Errorf("%+v", got)
	}
}
