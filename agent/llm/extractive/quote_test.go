package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
)

var handbook = []llm.Passage{
	{N: 1, Title: "휴가 규정 > 연차", Text: "## 연차\n\n정규직 직원은 1년에 15일의 연차를 받는다. 입사 첫해에는 한 달에 하루씩 생긴다. 남은 연차는 다음 해 3월까지 쓸 수 있다."},
	{N: 2, Title: "휴가 규정 > 병가", Text: "병가는 1년에 10일까지 쓸 수 있다. 3일 이상 이어지면 진단서를 낸다."},
	{N: 3, Title: "재택근무", Text: "- 재택근무는 일주일에 이틀까지 할 수 있다.\n- 팀장에게 하루 전까지 알린다.\n"},
}

var handbookEn = []llm.Passage{
	{N: 1, Title: "Handbook > Leave", Text: "Full-time employees receive 15 days of annual leave per year. Unused annual leave of up to 5 days carries over until March 31. Requests go to your manager, e.g. by e-mail."},
	{N: 2, Title: "Handbook > Remote work", Text: "You may work from home two days a week.\n\n| Role | Laptop budget |\n|---|---|\n| Engineer | $2,500 |\n| Designer | $2,200 |\n"},
}

// ranked is how an index that matches words ranks a handbook for "연차는
// 며칠이야?": the passage whose heading asks the question is not the first.
var ranked = []llm.Passage{
	{N: 1, Title: "연차 휴가 › 남은 연차의 이월과 수당", Text: "쓰지 않은 연차는 5일까지 다음 해 3월 31일까지 이월할 수 있습니다. 이월하고 남은 연차는 1월 급여에 연차 수당으로 지급합니다."},
	{N: 2, Title: "연차 휴가 › 반차와 반반차", Text: "연차는 반차(4시간)나 반반차(2시간)로 나누어 쓸 수 있습니다."},
	{N: 3, Title: "연차 휴가 › 연차는 며칠인가", Text: "1년 이상 일한 직원은 해마다 15일의 연차를 받습니다. 1년 동안 근무일의 80% 이상 출근했을 때의 일수입니다."},
}

// travel is a document of several things, of which its title names two.
var travel = []llm.Passage{
	{N: 1, Title: "비용과 출장 › 교육비와 도서비", Text: "교육비는 한 해 150만 원까지 지원합니다. 업무와 관련된 책은 한도 없이 살 수 있습니다."},
	{N: 2, Title: "비용과 출장 › 국내 출장과 해외 출장", Text: "출장은 떠나기 1주 전까지 신청합니다. 숙박비는 하룻밤 12만 원까지 지원합니다."},
}

func TestQuotes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, q  string
		passages []llm.Passage
		want     string
		not      string
	}{
		{"annual_leave_ko", "연차는 며칠이야?", handbook, "1년에 15일의 연차를 받는다. [1]", "병가"},
		{"narrowed", "tag:hr since:2026-01 병가는 며칠까지 쓸 수 있어?", handbook, "10일까지 쓸 수 있다. [2]", ""},
		{"as_in_chats", "연차는 몇일이에여", ranked, "해마다 15일의 연차를 받습니다. [3]", "[1]"},
		{"heading_asks_the_same", "연차는 며칠이야?", ranked, "해마다 15일의 연차를 받습니다. [3]", "[1]"},
		{"rank_decides_otherwise", "남은 연차는 이월돼?", ranked, "이월할 수 있습니다. [1]", "[3]"},
		{"unit_decides", "병가는 며칠까지 쓸 수 있어?", handbook, "병가는 1년에 10일까지 쓸 수 있다. [2]", ""},
		{"annual_leave_en", "How many days of annual leave do I have?", handbookEn, "Full-time employees receive 15 days of annual leave per year. [1]", "Laptop"},
		{"sick_leave", "병가 쓰려면 진단서가 필요해?", handbook, "진단서를 낸다. [2]", "재택"},
		{"list_item", "재택근무는 며칠까지 할 수 있어?", handbook, "> 재택근무는 일주일에 이틀까지 할 수 있다. [3]", "연차"},
		{"title_helps", "첫해 연차는 어떻게 돼?", handbook, "입사 첫해에는 한 달에 하루씩 생긴다. [1]", "병가"},
		{"carry_over", "Does unused leave carry over?", handbookEn, "carries over until March 31. [1]", "home"},
		{"table_row", "What is the laptop budget of a designer?", handbookEn, "Role: Designer, Laptop budget: $2,200 [2]", "annual"},
		{"no_answer_ko", "주차장은 어디에 있어?", handbook, "찾지 못했어요", "[1]"},
		{"no_answer_en", "Where can I park my car?", handbookEn, "couldn't find", "[1]"},
		{"verb_of_the_question", "재택근무 며칠까지 가능해?", handbook, "> 재택근무는 일주일에 이틀까지 할 수 있다. [3]", "연차"},
		{"unspaced_compound", "연차이월은 언제까지 돼?", ranked, "3월 31일까지 이월할 수 있습니다. [1]", ""},
		{"spaced_compound", "재택 근무 며칠까지 돼?", handbook, "이틀까지 할 수 있다. [3]", ""},
		{"noun_of_one_syllable", "책 사도 되나요?", []llm.Passage{{N: 1, Text: "책상은 창고에 있습니다. 책은 한도 없이 살 수 있습니다."}}, "> 책은 한도 없이", "책상"},
		{"irregular_verb", "I lost my badge", []llm.Passage{{N: 1, Text: "Wear your badge at work. If you lose your badge, tell the office team."}}, "If you lose your badge", ""},
		{"its_own_section_is_better", "출장비 한도 얼마예요?", travel, "", "교육비는"},
		{"where_it_is", "Is there a whiteboard in the meeting rooms?", []llm.Passage{{N: 1, Title: "Meeting rooms and the office › Size and equipment of the rooms", Text: "All rooms have a screen and a whiteboard."}}, "a whiteboard. [1]", ""},
		{"titles_of_contracts", "납품과 검수 계약의 기한은 언제까지야?", []llm.Passage{{N: 1, Title: "납품과 검수 계약 › 제3조(기한)", Text: "기한은 5월 1일까지로 한다."}}, "5월 1일까지", ""},
		{"result_is_one_thing", "결과 보고는 언제까지 내?", []llm.Passage{{N: 1, Title: "결과 보고 › 시기", Text: "끝나고 5일까지 낸다."}}, "5일까지", ""},
		{"limit_of_what_is_bought", "책 사는 데 한도 있어?", travel, "책은 한도 없이 살 수 있습니다. [1]", "교육비는"},
		{"how_long_is_no_word", "How long is probation?", []llm.Passage{{N: 1, Title: "Joining and probation › Probation", Text: "Probation lasts 3 months at 100% of your salary."}}, "lasts 3 months", ""},
		{"empty_passage", "연차는?", []llm.Passage{{N: 1}}, "찾지 못했어요", ""},
		{"only_heading", "연차", []llm.Passage{{N: 4, Text: "# 연차 안내"}}, "연차 안내 [4]", ""},
		{"greeting_wins", "안녕", handbook, "안녕하세요", "[1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said(tt.q), Passages: tt.passages}).Message.Content
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want it to contain %q", got, tt.want)
			}
			if tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("got %q, want it not to contain %q", got, tt.not)
			}
		})
	}
}

// TestPointsWhereNothingClearlyAnswers: without the number that is asked for, with too little of the question,
// and where words cannot tell whether a sentence answers, no sentence is quoted, and nothing is claimed of the documents.
func TestPointsWhereNothingClearlyAnswers(t *testing.T) {
	t.Parallel()
	office := []llm.Passage{
		{N: 1, Title: "육아 휴직", Text: "휴직이 끝나면 같은 급여의 일로 돌아옵니다. 육아 휴직은 최대 1년 6개월입니다."},
		{N: 2, Title: "Pump", Text: "The pump was replaced, as the old one leaked. Passwords have at least 12 characters."},
		{N: 3, Title: "Parking", Text: "Parking costs fifty euros a month. Bicycles stand in the cellar."},
	}
	for question, quoted := range map[string]bool{
		"육아휴직은 얼마나 쓸 수 있어?": true, "How long should my password be?": true, "How much does parking cost?": true, "Where do bicycles stand?": true,
		"When was the pump replaced?": false, "Why was the pump replaced?": true, "Why do bicycles stand?": false, "Who feeds the office cat?": false, "Is there a sauna for visitors?": false,
		"구내식당 메뉴는 뭐야?": false,
	} {
		got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said(question), Passages: office}).Message.Content
		if strings.Contains(got, "\n> ") != quoted || !quoted && (strings.Contains(got, "[") || strings.Contains(got, "do not say")) {
			t.Errorf("%s: %q", question, got)
		}
	}
}

// TestVectorsAreBelieved: a passage that the index is sure of is quoted even if it shares no word with the question.
func TestVectorsAreBelieved(t *testing.T) {
	t.Parallel()
	passage := llm.Passage{N: 1, Title: "Laptops", Text: "Hardware is replaced by the IT team. Write to #it-help."}
	for score, quoted := range map[float64]bool{0.95: true, 0.5: false, 0: false} {
		passage.Score = score
		got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said("내 컴퓨터가 이상해요, 어쩌죠?"), Passages: []llm.Passage{passage}}).Message.Content
		if strings.Contains(got, "IT team. Write to #it-help. [1]") != quoted {
			t.Errorf("%.2f: %q", score, got)
		}
	}
}

func TestSaysWhatItIsOnce(t *testing.T) {
	t.Parallel()
	first := generate(t, llm.Request{Messages: said("연차는 며칠이야?"), Passages: handbook}).Message.Content
	if !strings.Contains(first, "언어 모델 없이") {
		t.Errorf("first answer does not say what it is: %q", first)
	}
	second := generate(t, llm.Request{Messages: said("연차는 며칠이야?", first, "병가는 며칠이야?"), Passages: handbook}).Message.Content
	if strings.Contains(second, "언어 모델 없이") {
		t.Errorf("second answer says it again: %q", second)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	sys := llm.Message{Role: llm.System, Content: "Summarise the conversation."}
	asMessages := append([]llm.Message{sys}, said("안녕", "안녕하세요", "내 이름은 철수야", "네", "배포일은 5월 3일로 정했어", "네, 5월 3일이군요.", "고마워")...)
	asTranscript := []llm.Message{sys, {Role: llm.User, Content: "다음 대화를 요약해 줘.\n\n사용자: 안녕\n봇: 안녕하세요\n사용자: 내 이름은 철수야\n봇: 네\n사용자: 배포일은 5월 3일로 정했어"}}
	asChat := []llm.Message{sys, {Role: llm.User, Content: "kim: 안녕\nMaru: 안녕하세요\nkim: 내 이름은 철수야\nMaru: 네\n> 비고: 이것은 인용\nPerson: 배포일은 5월 3일로 정했어\nMaru:  [calls calculator {\"expression\":\"1+1\"}]\nresult of calculator: 1+1 = 2\n"}}
	for name, msgs := range map[string][]llm.Message{"messages": asMessages, "transcript": asTranscript, "chat": asChat} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := generate(t, llm.Request{Purpose: llm.ForSummary, Messages: msgs}).Message.Content
			for _, want := range []string{": 내 이름은 철수야", "- 사용자", "5월 3일"} {
				if !strings.Contains(got, want) {
					t.Errorf("got %q, want it to contain %q", got, want)
				}
			}
			if strings.Contains(got, "안녕") || strings.Contains(got, "고마워") {
				t.Errorf("got %q: greetings are no memory", got)
			}
			after := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: append([]llm.Message{{Role: llm.System, Content: "## 지난 대화 요약\n1. " + got}}, said("내 이름이 뭐라고 했지?")...)})
			if !strings.Contains(after.Message.Content, "철수") {
				t.Errorf("after the summary: %q", after.Message.Content)
			}
		})
	}
}

func TestSummaryIsBounded(t *testing.T) {
	t.Parallel()
	var turns []string
	for range 200 {
		turns = append(turns, "나는 매우 긴 이야기를 계속해서 하고 있어. 숫자는 12345야.", "네")
	}
	got := generate(t, llm.Request{Purpose: llm.ForSummary, Messages: said(turns...)}).Message.Content
	if n := len([]rune(got)); n > 1300 || n < 100 {
		t.Errorf("summary has %d runes", n)
	}
}

// TestAskedByNumberIsQuotedWhole: who asks for an article wants all of it.
func TestAskedByNumberIsQuotedWhole(t *testing.T) {
	t.Parallel()
	passages := []llm.Passage{
		{N: 1, Title: "용역계약서, 제5조(대금)", Text: "① 대금은 3,000만 원이다.\n② 다음과 같이 낸다.\n1. 선금\n2. 잔금"},
		{N: 2, Title: "용역계약서, 제5조의2(지연)", Text: "늦으면 이자를 낸다."},
		{N: 3, Title: "Agreement, Article 14 (Delay)", Text: "(1) One.\n(2) Two."},
	}
	for question, want := range map[string]string{
		"제5조 알려줘":                   "> ① 대금은 3,000만 원이다.\n> ② 다음과 같이 낸다.\n> 1. 선금\n> 2. 잔금 [1]",
		"계약서 제 5 조의 2 내용은?":         "> 늦으면 이자를 낸다. [2]",
		"What does Article 14 say?": "> (1) One.\n> (2) Two. [3]",
	} {
		got, err := extractive.New().Generate(t.Context(), llm.Request{
			Purpose: llm.ForAnswer, Messages: []llm.Message{{Role: llm.User, Content: question}}, Passages: passages,
		}, nil)
		if err != nil || !strings.Contains(got.Message.Content, want) || strings.Count(got.Message.Content, "\n> ") != strings.Count("\n"+want, "\n> ") {
			t.Errorf("%s: %v\n%s", question, err, got.Message.Content)
		}
	}
}

// TestAccentsAreNoOtherWord: who types cafe and Muller is answered from what says café and Müller.
func TestAccentsAreNoOtherWord(t *testing.T) {
	t.Parallel()
	for question, c := range map[string][2]string{
		"what does Muller run?":         {"Ms Müller runs the payroll. Mr Kim runs the office.", "> Ms Müller runs the payroll. [1]"},
		"what does Mu\u0308ller run?":   {"Ms Muller runs the payroll. Mr Kim runs the office.", "> Ms Muller runs the payroll. [1]"},
		"how fast is the naive parser?": {"The naïve parser is slow. The strict parser is fast.", "> The naïve parser is slow. [1]"},
		"when does the cafe close?":     {"The library closes at 22:00. The Café closes at 18:00.", "> The Café closes at 18:00. [1]"},
	} {
		if got := factOf(t, "Notes", c[0], question); !strings.Contains(got, c[1]) {
			t.Errorf("%s is answered %q", question, got)
		}
	}
}

// TestSeveralQuestions answers the questions of one message apart, and names those that it does not answer. Conditions and
// things that are joined are no questions.
func TestSeveralQuestions(t *testing.T) {
	t.Parallel()
	passages := []llm.Passage{
		{N: 1, Title: "급여", Text: "급여는 매달 25일에 지급합니다."}, {N: 2, Title: "연차", Text: "1년 이상 일한 직원은 해마다 15일의 연차를 받습니다."},
		{N: 3, Title: "Badges", Text: "Get a badge from the office team. A lost badge costs 10 dollars. Guests can park for 3 hours free of charge."},
	}
	const apart = "”에 분명히 답하는 문장은"
	for q, c := range map[string]struct{ want, not []string }{
		"급여일은 언제고 연차는 며칠이야?":                                                            {[]string{"25일", "15일"}, []string{apart}},
		"연차는 며칠이고 사내 헬스장은 어디야?":                                                         {[]string{"15일", "“사내 헬스장은 어디야”", apart}, []string{"없어요"}},
		"동호회비하고 급여일은 언제야?":                                                              {nil, []string{apart}},
		"해외에 있고 연차는 며칠이야?":                                                              {nil, []string{apart}},
		"계약직으로 입사하고 연차는 며칠이야?":                                                          {nil, []string{apart}},
		"I lost mine, and how do I get a badge?":                                        {nil, []string{"I found no sentence"}},
		"what does a lost badge cost and where is our new canteen with the long tables": {[]string{"10 dollars", "I found no sentence that clearly answers “where is our new canteen with the long tables”"}, nil},
	} {
		req := llm.Request{Purpose: llm.ForAnswer, Passages: passages, Messages: said(q)}
		got := generate(t, req).Message.Content
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%q: %q has no %q", q, got, w)
			}
		}
		for _, w := range c.not {
			if strings.Contains(got, w) {
				t.Errorf("%q: %q has %q", q, got, w)
			}
		}
	}
}
