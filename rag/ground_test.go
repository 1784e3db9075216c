package rag_test

import (
	"fmt"
	"testing"

	"maru/rag"
)

func TestGround(t *testing.T) {
	t.Parallel()
	hits := []rag.Hit{
		{Document: rag.Document{Title: "휴가 규정"}, Chunk: rag.Chunk{Text: "직원은 1년에 15일의 연차 유급휴가를 받는다. 병가는 10일까지 유급이다."}},
		{Document: rag.Document{Title: "Travel"}, Chunk: rag.Chunk{Heading: []string{"Travel", "Hotels at home and abroad"}, Text: "The company pays up to 120,000 won a night for a hotel in Korea."}},
		{Document: rag.Document{Title: "계약서"}, Chunk: rag.Chunk{Context: "제2장 대금 › 제11조(관할 법원과 준거법)", Text: "서울로 한다."}},
	}
	for name, c := range map[string]struct{ answer, want, counts string }{
		"right_as_it_is":        {"직원은 1년에 15일의 연차 유급휴가를 받아요. [1]", "직원은 1년에 15일의 연차 유급휴가를 받아요. [1]", "0 0 0 0"},
		"stop_behind_as_well":   {"직원은 1년에 15일의 연차 유급휴가를 받아요. [1]. 병가는 10일까지 유급이에요. [1].", "직원은 1년에 15일의 연차 유급휴가를 받아요. [1]. 병가는 10일까지 유급이에요. [1].", "0 0 0 0"},
		"invented_is_removed":   {"직원은 1년에 15일의 연차를 받아요. [1][7]", "직원은 1년에 15일의 연차를 받아요. [1]", "1 0 0 0"},
		"missing_is_added":      {"직원은 1년에 15일의 연차를 받아요. The company pays up to 120,000 won a night for a hotel.", "직원은 1년에 15일의 연차를 받아요. [1] The company pays up to 120,000 won a night for a hotel. [2]", "0 0 2 0"},
		"two_words_say_it":      {"병가는 유급입니다. 병가는 무급입니다.\n- 병가 유급\n", "병가는 유급입니다. [1] 병가는 무급입니다.\n- 병가 유급\n", "0 0 1 0"},
		"two_lack_a_number":     {"A hotel is 130,000 won a night, 직원은 1년에 연차 유급휴가를 받아요.", "A hotel is 130,000 won a night, 직원은 1년에 연차 유급휴가를 받아요.", "0 0 0 1"},
		"from_two_pages":        {"A hotel is 120,000 won a night, 직원은 1년에 연차 유급휴가를 받아요.", "A hotel is 120,000 won a night, 직원은 1년에 연차 유급휴가를 받아요. [1] [2]", "0 0 1 0"},
		"wrong_is_put_right":    {"The company pays up to 120,000 won a night for a hotel. [1]\n", "The company pays up to 120,000 won a night for a hotel. [2]\n", "0 1 0 0"},
		"wrong_number":          {"직원은 1년에 25일의 연차 유급휴가를 받아요. [1]", "직원은 1년에 25일의 연차 유급휴가를 받아요. [1]", "0 0 0 1"},
		"nothing_holds_it":      {"The cafeteria on the fifth floor opens at noon.", "The cafeteria on the fifth floor opens at noon.", "0 0 0 1"},
		"states_nothing":        {"안녕하세요!\n문서에는 주차에 대한 내용이 나와 있지 않아요.\n더 궁금한 연차 유급휴가 규정이 있나요?", "안녕하세요!\n문서에는 주차에 대한 내용이 나와 있지 않아요.\n더 궁금한 연차 유급휴가 규정이 있나요?", "0 0 0 0"},
		"a_place_is_no_fact":    {"The documents do not say:\n- Travel › Hotels at home and abroad\n- 휴가 규정\n", "The documents do not say:\n- Travel › Hotels at home and abroad\n- 휴가 규정\n", "0 0 0 0"},
		"nor_is_its_end":        {"읽었어요:\n- 계약서, 제11조(관할 법원과 준거법)\n", "읽었어요:\n- 계약서, 제11조(관할 법원과 준거법)\n", "0 0 0 0"},
		"code_stays":            {"```\nemployees receive annual leave every year = a[15]\n```\n", "```\nemployees receive annual leave every year = a[15]\n```\n", "0 0 0 0"},
		"tildes_are_code":       {"~~~\nemployees receive 직원은 1년에 15일의 연차 유급휴가를 받는다.\n~~~\n", "~~~\nemployees receive 직원은 1년에 15일의 연차 유급휴가를 받는다.\n~~~\n", "0 0 0 0"},
		"one_of_a_quotation":    {"> 직원은 1년에 15일의\n> 연차 유급휴가를 받는다.\n> 병가는 10일까지 유급이다.\n", "> 직원은 1년에 15일의\n> 연차 유급휴가를 받는다.\n> 병가는 10일까지 유급이다. [1]\n", "0 0 1 0"},
		"cited_above_a_quote":   {"**휴가 규정** [1]\n\n> 직원은 1년에 15일의 연차 유급휴가를 받는다.", "**휴가 규정** [1]\n\n> 직원은 1년에 15일의 연차 유급휴가를 받는다.", "0 0 0 0"},
		"a_bold_line_is_a_head": {"**직원 연차 유급휴가 15일:**\n**직원 연차 유급휴가 15일**\n**직원은 연차 15일을 받는다.**\n", "**직원 연차 유급휴가 15일:**\n**직원 연차 유급휴가 15일**\n**직원은 연차 15일을 받는다.** [1]\n", "0 0 1 0"},
		"heading_table_nobody":  {"# 직원 연차 유급휴가 15일\n| 직원 연차 | 유급휴가 15일 |\n", "# 직원 연차 유급휴가 15일\n| 직원 연차 | 유급휴가 15일 |\n", "0 0 0 0"},
	} {
		g := rag.Ground(c.answer, hits)
		counts := fmt.Sprint(g.Invented, g.Moved, g.Added, len(g.Uncited))
		if g.Text != c.want || counts != c.counts {
			t.Errorf("%s:\n got %q %s\nwant %q %s", name, g.Text, counts, c.want, c.counts)
		}
	}
	if g := rag.Ground("직원은 1년에 15일의 연차를 받아요. [1]", nil); g.Text != "직원은 1년에 15일의 연차를 받아요." || g.Invented != 1 {
		t.Errorf("without passages: %+v", g)
	}
}

// What was grounded once is not changed again, and words are never touched.
func FuzzGround(f *testing.F) {
	f.Add("직원은 1년에 15일의 연차를 받아요. [1] `a[3]` ```x[9]```\n- item [2-9] 120,000")
	hits := []rag.Hit{{Chunk: rag.Chunk{Text: "직원은 1년에 15일의 연차를 받는다"}}, {Chunk: rag.Chunk{Text: "hotel 120,000 won a night"}}}
	f.Add("직원은 1년에 15일의 연차를 받아요``")
	f.Fuzz(func(t *testing.T, answer string) {
		once := rag.Ground(answer, hits)
		twice := rag.Ground(once.Text, hits)
		if twice.Text != once.Text || twice.Invented != 0 {
			t.Fatalf("%q\nonce  %q\ntwice %q (%d invented)", answer, once.Text, twice.Text, twice.Invented)
		}
	})
}

func TestDeclines(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{
		"The documents do not say.": true,
		"제가 볼 수 있는 문서에는 그 내용이 없어요.\n\n가장 가까운 곳은 여기예요:\n- 연차 휴가": true,
		"The documents do not say how much [1].":                           true,
		"You get 15 days [1]. The documents do not say what a day is [2].": false,
		"The text does not mention whether the team has a 401k or not.":    true,
		"The passage does not contain any information about a 401k.":       true,
		"네, 구내식당이 있습니다.\n\n_문서에서 나온 내용이 아니에요. 제가 볼 수 있는 문서에는 근거가 없어요._": false,
		"Of the team's documents, there is nothing about this.":    true,
		"It's not in the documents.":                               true,
		"I can't find this in the documents.":                      true,
		"None of the passages mentions a gym.":                     true,
		"취업규칙에는 따로 정해진 것이 없습니다.":                                   true,
		"구내식당에 대한 정보를 찾을 수 없습니다.":                                  true,
		"사내 규정에 이월 한도가 언급되어 있지 않아요.":                               true,
		"The sources do not mention it.":                           true,
		"I don't have information about that.":                     true,
		"관련 내용이 없습니다.":                                             true,
		"제공된 문서만으로는 알 수 없습니다.":                                     true,
		"이 규정에 없는 사항은 취업규칙을 따릅니다. [1]":                             false,
		"규칙에 없는 휴가는 팀장이 정합니다.":                                     false,
		"취업규칙에 정해진 것이 없으면 근로기준법을 따릅니다. [1]":                        false,
		"취업규칙에 정해진 것이 없으면 근로기준법을 따릅니다.":                            false,
		"이 규정에는 예외가 없습니다. [1]":                                     false,
		"If you can't find the answer, ask HR.":                    false,
		"Passports are not included in the documents you hand in.": false,
		"Passports are not included in the documents. [1]":         false,
		"None of the documents may leave the office.":              false,
		"Do not write in the documents.":                           false,
		"You need not sign the documents in person.":               false,
		"There is no fee in the first year.":                       false,
		"이 규정에 따라 비용이 없습니다.":                                       false,
		"The text does not rhyme.":                                 false,
		"I found nothing about that in “Services Agreement”.":      true,
		"You get 15 days.": false,
		"":                 false,
	} {
		if got := rag.Declines(answer); got != want {
			t.Errorf("%q declines: %v, want %v", answer, got, want)
		}
	}
}
