package quantity

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// levels are values of few that programs name in their own words, with how people say them.
var levels = []struct {
	values []string
	said   *pattern.Pattern
}{
	{[]string{"high", "높음"}, pattern.New(`높[은음게이여]|\bhigh`)},
	{[]string{"low", "낮음"}, pattern.New(`낮[은음게추]|\blow`)},
	{[]string{"medium", "normal", "보통", "중간"}, pattern.New(`보통|중간|\bmedium|\bnormal`)},
	{[]string{"urgent", "critical", "긴급"}, pattern.New(`긴급|급[한하해히]|시급|\burgent|\bcritical|\basap`)},
	{[]string{"daily", "매일", "day"}, pattern.New(`매일|날마다|하루에 한|\bdaily|every ?day`)},
	{[]string{"weekly", "매주", "week"}, pattern.New(`매주|주마다|일주일에 한|요일마다|\bweekly|(?:every|each) (?:week|mon|tue|wed|thu|fri|sat|sun)`)},
	{[]string{"monthly", "매월", "매달", "month"}, pattern.New(`매달|매월|달마다|한 달에 한|\bmonthly|(?:every|each) month`)},
	{[]string{"yearly", "annually", "매년", "year"}, pattern.New(`매년|해마다|\byearly|\bannual|(?:every|each) year`)},
	{[]string{"krw", "원", "₩", "won"}, pattern.New(`[\d,일이삼사오육칠팔구십백천만억조] ?원|₩|\bkrw\b|\bwon\b`)},
	{[]string{"usd", "달러", "$", "dollar", "dollars"}, pattern.New(`달러|\$|\busd\b|\bdollar|\bbucks\b`)},
	{[]string{"eur", "유로", "€", "euro", "euros"}, pattern.New(`유로|€|\beur\b|\beuro`)},
	{[]string{"jpy", "엔", "¥", "yen"}, pattern.New(`\d ?엔|¥|\bjpy\b|\byen\b`)},
}

// Level reports whether a value is one of few that programs name in their own words, such as a priority, a frequency or a currency,
// and whether a text says it in any.
func Level(value, text string) (is, said bool) {
	value, text = strings.ToLower(strings.TrimSpace(value)), strings.ToLower(text)
	for _, l := range levels {
		if slices.Contains(l.values, value) {
			return true, l.said.MatchString(text)
		}
	}
	return false, false
}
