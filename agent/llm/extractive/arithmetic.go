package extractive

import (
	"strings"

	"maru/phrase/pattern"
	"maru/rag/answer"

	"golang.org/x/text/unicode/norm"
)

const num = `(\d+(?:\.\d+)?)`

// spoken turns arithmetic in words into signs, in this order.
var spoken = []struct {
	re *pattern.Pattern
	to string
}{
	{pattern.New(`(\d),(\d{3})\b`), "$1$2"},
	{pattern.New(`(\d),(\d{3})\b`), "$1$2"}, // a million has two commas that share digits
	{pattern.New(`(^|[^\d.])(\d+)\s*천\s*만`), "$1${2}000만"},
	{pattern.New(`(^|[^\d.])(\d+)\s*백\s*만`), "$1${2}00만"},
	{pattern.New(num + `\s*억\s*` + num + `\s*만(?:\s*원)?`), "($1*100000000+$2*10000)"},
	{pattern.New(num + `\s*만\s*(\d)\s*천(?:\s*원)?`), "($1*10000+$2*1000)"},
	{pattern.New(num + `\s*만(?:\s*원)?`), "($1*10000)"},
	{pattern.New(`(\d+)\s*(?:명|사람)(?:이|이서)?\s+(.*\d\)?)\s*원?(?:을|를)?\s*(?:똑같이\s*)?(?:나눠|나누|분담)\p{Hangul}*`), "($2)/$1"},
	{pattern.New(`(\([\d.*+]+\)|\d+(?:\.\d+)?)(?:\s*원(?:을|를)?|을|를|\s)\s*(\d+)\s*(?:명|사람)(?:이서|이|으로|끼리)?\s*(?:똑같이\s*)?(?:나눠|나누|분담)\p{Hangul}*`), "$1/$2"},
	{pattern.New(`split\s+(.*?\d)\s+(?:(?:evenly|equally)\s+)?(?:between|among|by|with|over)\s+(\d+)(?:\s*(?:people|persons|of\s+us|friends|ways))?\s+with\s+an?\s+(\d+)\s*(?:%|percent)\s+tip`), "($1)*(1+$3/100)/$2"},
	{pattern.New(`split\s+(.*?\d)\s+(?:(?:evenly|equally)\s+)?(?:between|among|by|with|over)\s+(\d+)(?:\s*(?:people|persons|of\s+us|friends|ways))?`), "($1)/$2"},
	{pattern.New(num + `\s*억(?:\s*원)?`), "($1*100000000)"},
	{pattern.New(`(\d)\s*(?:원|달러|개|명|won\b|dollars?\b)`), "$1"},
	{pattern.New(`[$₩€](\d)`), "$1"},
	{pattern.New(num + `\s*(?:%|percent)\s*of\s*` + num), "$2*$1/100"},
	{pattern.New(num + `\s*의\s*` + num + `\s*(?:%|퍼센트|프로)`), "$1*$2/100"},
	{pattern.New(`(?:the\s+)?(?:square\s+root\s+of|sqrt)\s*` + num), "sqrt($1)"},
	{pattern.New(num + `\s*의\s*` + num + `\s*(?:제곱|승)`), "$1^$2"},
	{pattern.New(`(\d|\))\s*(?:곱하기|multiplied\s+by|times|[x×✕·∙])\s*([\d(-])`), "$1*$2"},
	{pattern.New(`(\d|\))\s*(?:더하기|plus)\s*([\d(-])`), "$1+$2"},
	{pattern.New(`(\d|\))\s*(?:빼기|minus|[−–])\s*([\d(-])`), "$1-$2"},
	{pattern.New(`(\d|\))\s*(?:나누기|divided\s+by|÷)\s*([\d(-])`), "$1/$2"},
}

var (
	formula  = pattern.New(`(?:[a-z]{2,5}\(|[-+(]\s*)*\d[\d.]*(?:\s*(?:[-+*/^%()!°]|[a-z]{2,5}\()\s*|\d[\d.]*|\s+(?:[\d(]))*`)
	operator = pattern.New(`[\d)!]\s*[-+*/^%]\s*[-+(a-z\d]|\b(?:sqrt|sin|cos|tan|log|round|abs)\(|\d!(?:[^=]|$)`)
	noSum    = pattern.New(`^(?:\d{2,4}-\d{1,4}-\d{1,4}|\d{1,4}/\d{1,2}/\d{1,4}|24/7)$`)
	sumCues  = set(`은 는 이 가 을 를 의 계산 계산해 계산해줘 계산하면 얼마게 얼마지 값 값은 답 답은 이야 야 하면 결과 구해줘 내면 한 사람당 명당 인당 일인당 얼마씩 얼마씩이야 얼마씩이지 씩 each per person calculate compute result equals equal`)
)

// arithmetic finds one expression that is all the question is about. Dates,
// telephone numbers and sums within a longer question are not.
func arithmetic(q string) (string, bool) {
	if len(q) > 500 {
		return "", false
	}
	return sum(signs(q))
}

// signs returns a question in which arithmetic in words has become signs.
func signs(q string) string {
	s := strings.ToLower(norm.NFKC.String(q))
	for range 2 { // twice: "1 plus 2 plus 3" shares its middle
		for _, w := range spoken {
			s = w.re.ReplaceAllString(s, w.to)
		}
	}
	return s
}

// expressionIn finds the longest expression in a question whose words have become signs,
// and the question without it; "" if there is none.
func expressionIn(s string) (expr, rest string) {
	best := ""
	for _, m := range formula.FindAllString(s, -1) {
		if len(m) > len(best) && operator.MatchString(m) {
			best = m
		}
	}
	expr = strings.TrimRight(strings.TrimSpace(best), "+-*/^. =") // as of "2+3 ="
	if strings.Count(expr, "(") != strings.Count(expr, ")") {
		expr = strings.Trim(expr, "()")
	}
	if expr == "" || noSum.MatchString(expr) || !operator.MatchString(expr) {
		return "", ""
	}
	return strings.ReplaceAll(expr, " ", ""), strings.Replace(s, best, " ", 1)
}

// sum finds the expression that is all that a question in signs is about.
func sum(s string) (string, bool) {
	expr, rest := expressionIn(s)
	for _, w := range answer.Words(rest) {
		if !sumCues[w] && !hollow(w) {
			return "", false
		}
	}
	return expr, expr != ""
}

// computing are words that ask for a sum. Without one of them digits in a longer question
// are none: "3-5일", "A/B 2/3".
var computing = pattern.New(`계산\p{Hangul}*|\b(?:calculate|compute|work\s+out)\b`)

// embedded finds the expression that a question about something else asks to compute, and
// the question without it.
func embedded(q string) (expr, rest string) {
	if len(q) > 500 {
		return "", ""
	}
	expr, rest = expressionIn(signs(q))
	asked := computing.ReplaceAllString(rest, " ")
	if expr == "" || asked == rest {
		return "", ""
	}
	for _, w := range answer.Words(asked) {
		if !sumCues[w] && !hollow(w) {
			return expr, strings.TrimSpace(asked)
		}
	}
	return "", "" // the sum is all
}
