package prose_test

import (
	"slices"
	"strings"
	"testing"

	"maru/phrase/prose"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("again and ", 20)
	for text, want := range map[string][]string{
		"# Leave\n\nYou get 15 days. Ask\nearly!":                                                                  {"You get 15 days.", "Ask early!"},
		"# Leave\n## Sick":                                                                                         {"Leave", "Sick"},
		"- **first** item\n- [second](https://x.test) item":                                                        {"first item", "second item"},
		"| 방 | 층 |\n|---|---|\n| 한라 | 3층 |\n| 설악 | |":                                                              {"방: 한라, 층: 3층", "방: 설악"},
		"방: 한라 | 층: 3층":                                                                                            {"방: 한라, 층: 3층"},
		"① 갑은 알린다\n② 을은 따른다":                                                                                       {"① 갑은 알린다", "② 을은 따른다"},
		"See Fig. A. Version 1.5 is out。다음 문장입니다.":                                                                 {"See Fig. A. Version 1.5 is out。", "다음 문장입니다."},
		"```\nx := `a` # comment\n# no heading\n```\nAfter it.":                                                    {"`` x := `a` # comment ``", "`# no heading`", "After it."},
		"연차는 1년에 15일이에요\n경조 휴가는 따로 줘요\n결혼 : 5일":                                                                    {"연차는 1년에 15일이에요", "경조 휴가는 따로 줘요", "결혼 : 5일"},
		"Swag\nTickets\nA reasonably priced dinner in town":                                                        {"Swag", "Tickets", "A reasonably priced dinner in town"},
		"The tenant pays the rent on\nthe first day of each\nmonth.":                                               {"The tenant pays the rent on the first day of each month."},
		"Employees who want to\nwork abroad need\nthe approval of their manager before they book anything at all.": {"Employees who want to work abroad need the approval of their manager before they book anything at all."},
		"Whoever works from\nBusan asks " + wide + "first.":                                                        {"Whoever works from Busan asks " + wide + "first."},
		"Contact:\nthe people team":                                                                                {"Contact: the people team"},
		"동의를 얻어야 한다. 이 경우 12시간을 넘지 못한다. <개정 2007. 4. 11., 2020.5.26> 그 밖의 일.": {"동의를 얻어야 한다.", "이 경우 12시간을 넘지 못한다. <개정 2007. 4. 11., 2020.5.26>", "그 밖의 일."},
		"Open the terminal. <username> is your login name.":                   {"Open the terminal.", "<username> is your login name."},
		"See the docs. <https://x.test/2024/a> has more.":                     {"See the docs.", "<https://x.test/2024/a> has more."},
		"터미널을 연다. <사용자 이름>은 로그인 이름이다.":                                        {"터미널을 연다.", "<사용자 이름>은 로그인 이름이다."},
		"It ends in May. <Amended 4 May 2016> The rest stays.":                {"It ends in May. <Amended 4 May 2016>", "The rest stays."},
		"It is <yet open. Then it is > 3.":                                    {"It is <yet open.", "Then it is > 3."},
		"> quoted words":                                                      {"quoted words"},
		" \n---\n":                                                            nil,
	} {
		if got := prose.Sentences(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzSentences: no text breaks it, every sentence has something to read and is one line.
func FuzzSentences(f *testing.F) {
	f.Add("# a\n- b. c\n| d | e |\n| f |\n```\ng\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range prose.Sentences(text) {
			if strings.TrimSpace(s) == "" || strings.Contains(s, "\n") {
				t.Errorf("%q gives %q", text, s)
			}
		}
	})
}
