package extractive

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"maru/agent/llm"
)

// goeson.go reads sums that go on from the one before: "거기에 100을 더하면?", "divide that by 4".

// reckonedBy is a number of such a question, after words have become signs.
const reckonedBy = `(\(?\d[\d.*+]*\)?%?)`

var (
	// reckoned is a sum as it was told: the calculation and what it makes.
	reckoned = expression("`([^`=≈]*[-+*/^%!(][^`=≈]*?)\\s*[=≈][^`]*`")

	goesOnKo = expression(`^\s*(?:(?:그럼|그러면|그리고|또|이제|다시)\s+)*(?:(?:거기|여기|그것|그거|그|이것|이거|(?:그|이|위)\s*(?:값|수|결과|답|숫자|금액)|결과|답)\s*(?:에다가|에다|에서|에|서|를|을|은|는)?\s+)?` +
		reckonedBy + `\s*(?:을|를|으로|로|만큼|만)?\s*(?:더\s*)?(더하|더해|빼|곱하|곱해|나누|나눠|배)\S*(?:\s+(?:하면|해\s*줘|줘|주세요|봐|얼마\S*|몇\S*|뭐\S*|값\S*|결과\S*))*[\s?.!]*$`)
	shareKo  = expression(`^\s*(?:(?:그럼|그러면|그리고)\s+)*(?:거기|그것|그거|(?:그|이|위)\s*(?:값|수|결과|답|숫자|금액)|결과|답)\s*(?:에서|의)?\s*(\d[\d.]*)\s*(?:%|퍼센트|프로)\s*(?:는|은|면)?(?:\s*(?:얼마|몇)\S*)?[\s?.!]*$`)
	goesOnEn = expression(`^\s*(?:(?:and|then|so|now|ok|okay|what|if|about|is|what's|how|i|we|you|please|could|can)\s+)*(?:(?:that|it|this|the\s+(?:result|answer|total|sum))\s+)?` +
		`(add|adding|plus|subtract|subtracting|minus|times|multipl(?:y|ied|ying)|divid(?:e|ed|ing))(?:\s+(?:that|it|this|the\s+(?:result|answer|total|sum)))?(?:\s+by)?\s+` + reckonedBy +
		`(?:\s+(?:to|from)\s+(?:that|it|this|the\s+(?:result|answer|total|sum)))?[\s?.!]*$`)
	shareEn = expression(`^\s*(?:(?:and|then|so|now|what|what's|is|how|much)\s+)*(\d[\d.]*)\s*(?:%|percent)\s+of\s+(?:that|it|this|the\s+(?:result|answer|total|sum))[\s?.!]*$`)
)

// reckoning signs by the beginning of their words.
var reckoning = map[string]string{
	"더": "+", "빼": "-", "곱": "*", "나": "/", "배": "*",
	"add": "+", "plu": "+", "sub": "-", "min": "-", "tim": "*", "mul": "*", "div": "/",
}

// goesOn finds the sum of a question that goes on from the one that was told last. What it
// made may have been rounded: the calculation itself is taken up. Behind anything else that
// was said, "거기" is another thing.
func (a *ask) goesOn() (string, bool) {
	if len(a.question) > 200 || len(a.before) == 0 {
		return "", false
	}
	last := a.before[len(a.before)-1]
	told := reckoned.FindAllStringSubmatch(last.Content, -1)
	if last.Role != llm.Assistant || len(told) != 1 {
		return "", false
	}
	before := "(" + strings.TrimSpace(told[0][1]) + ")"
	q := strings.ToLower(norm.NFKC.String(a.words))
	if i := slices.IndexFunc([]*pattern{shareKo, shareEn}, func(p *pattern) bool { return p.MatchString(q) }); i >= 0 {
		return before + "*" + []*pattern{shareKo, shareEn}[i].FindStringSubmatch(q)[1] + "/100", true
	}
	for _, w := range spoken {
		q = w.re.ReplaceAllString(q, w.to)
	}
	if m := goesOnKo.FindStringSubmatch(q); m != nil {
		return before + reckoning[firstRunes(m[2], 1)] + m[1], true
	}
	if m := goesOnEn.FindStringSubmatch(q); m != nil {
		return before + reckoning[firstRunes(m[1], 3)] + m[2], true
	}
	return "", false
}

// firstRunes are the first letters of a word.
func firstRunes(s string, n int) string { return string([]rune(s)[:n]) }
