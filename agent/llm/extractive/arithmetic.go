package extractive

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// mathNames are the calculator's functions with the parenthesis that follows.
const mathNames = `(?:abs|sqrt|cbrt|round|floor|ceil|trunc|min|max|sum|avg|ln|log10|log|exp|sin|cos|tan|pow|mod|factorial)\s*\(`

const num = `(\d+(?:\.\d+)?)`

// spoken turns arithmetic in words into signs, in this order.
var spoken = []struct {
	re pattern
	to string
}{
	{expression(`(\d),(\d{3})\b`), "$1$2"},
	{expression(`(\d),(\d{3})\b`), "$1$2"}, // a million has two commas that share digits
	{expression(`(^|[^\d.])(\d+)\s*천\s*만`), "$1${2}000만"},
	{expression(`(^|[^\d.])(\d+)\s*백\s*만`), "$1${2}00만"},
	{expression(num + `\s*억\s*` + num + `\s*만(?:\s*원)?`), "($1*100000000+$2*10000)"},
	{expression(num + `\s*만(?:\s*원)?`), "($1*10000)"},
	{expression(num + `\s*억(?:\s*원)?`), "($1*100000000)"},
	{expression(`(\d)\s*(?:원|달러|개|명|won\b|dollars?\b)`), "$1"},
	{expression(`[$₩€](\d)`), "$1"},
	{expression(num + `\s*(?:%|percent)\s*of\s*` + num), "$2*$1/100"},
	{expression(num + `\s*의\s*` + num + `\s*(?:%|퍼센트|프로)`), "$1*$2/100"},
	{expression(num + `\s*의\s*제곱근`), "sqrt($1)"},
	{expression(`(\d+)\s*의?\s*(?:팩토리얼|계승)`), "$1!"},
	{expression(`(?:the\s+)?factorial\s+of\s+(\d+)`), "$1!"},
	{expression(`(?:the\s+)?(?:square\s+root\s+of|sqrt)\s*` + num), "sqrt($1)"},
	{expression(`(?:루트|√)\s*` + num), "sqrt($1)"},
	{expression(num + `\s*의\s*` + num + `\s*(?:제곱|승)`), "$1^$2"},
	{expression(num + `\s*(?:의\s*제곱|squared)`), "$1^2"},
	{expression(num + `\s*(?:의\s*세제곱|cubed)`), "$1^3"},
	{expression(`\s+to\s+the\s+power\s+of\s+`), "^"},
	{expression(`\*\*`), "^"},
	{expression(`(\d|\))\s*(?:곱하기|multiplied\s+by|times|[x×✕·∙])\s*([\d(-])`), "$1*$2"},
	{expression(`(\d|\))\s*(?:더하기|plus)\s*([\d(-])`), "$1+$2"},
	{expression(`(\d|\))\s*(?:빼기|minus|[−–])\s*([\d(-])`), "$1-$2"},
	{expression(`(\d|\))\s*(?:나누기|divided\s+by|÷)\s*([\d(-])`), "$1/$2"},
}

var (
	formula  = expression(`(?:sqrt\(|[-+(]\s*)*\d[\d.]*(?:\s*(?:[-+*/^%()!]|sqrt\()\s*|\d[\d.]*|\s+(?:[\d(]))*`)
	operator = expression(`[\d)!]\s*[-+*/^%]\s*[-+(s\d]|sqrt\(|\d!(?:[^=]|$)`)
	noSum    = expression(`^(?:\d{2,4}-\d{1,4}-\d{1,4}|\d{1,4}/\d{1,2}/\d{1,4}|24/7)$`)
	// signsOnly are numbers and signs and nothing else, with an operator behind a number.
	signsOnly = expression(`^[\d\s.,+\-*/^%()!=?]*[\d)!.]\s*[-+*/^][\d\s.,+\-*/^%()!=?]*$`)
	powerOf10 = expression(`(\d)e[-+]?(\d)`)
	// callsOnly is the same with the calculator's functions, one of them at least.
	callsOnly = expression(`^(?:[\d\s.,+\-*/^%()!=?°]|pi\b|π)*` + mathNames + `(?:[\d\s.,+\-*/^%()!=?°]|pi\b|π|` + mathNames + `)*$`)
	sumCues   = set(`은 는 이 가 을 를 의 계산 계산해 계산해줘 계산해줘요 계산해봐 계산해주세요 계산하면 얼마게 얼마니 얼마일까 얼마지 얼마일까요 값 값은 값이 답 답은 답이 이야 야 인가요 하면 결과 결과는 구해 구해줘 calculate compute evaluate result value answer equals equal solve calc sum number`)
)

// arithmetic finds one expression that is all the question is about. Dates,
// telephone numbers and sums within a longer question are not. A question of signs
// alone is one even where it is wrong: the calculator says what is wrong with it.
func arithmetic(q string) (string, bool) {
	if len(q) > 500 {
		return "", false
	}
	s := signs(q)
	if expr, ok := sum(s); ok {
		return expr, true
	}
	return faulty(s)
}

// signs is a question in which arithmetic in words has become signs.
func signs(q string) string {
	s := strings.ToLower(norm.NFKC.String(q))
	for range 2 { // twice: "1 plus 2 plus 3" shares its middle
		for _, w := range spoken {
			s = w.re().ReplaceAllString(s, w.to)
		}
	}
	return s
}

// expressionIn finds the longest expression in a question whose words have become signs,
// and the question without it; "" if there is none.
func expressionIn(s string) (expr, rest string) {
	best := ""
	for _, m := range formula().FindAllString(s, -1) {
		if len(m) > len(best) && operator().MatchString(m) {
			best = m
		}
	}
	expr = balanced(finished(strings.TrimSpace(best)))
	if expr == "" || noSum().MatchString(expr) || !operator().MatchString(expr) {
		return "", ""
	}
	return strings.ReplaceAll(expr, " ", ""), strings.Replace(s, best, " ", 1)
}

// sum finds the expression that is all that a question in signs is about.
func sum(s string) (string, bool) {
	expr, rest := expressionIn(s)
	for _, w := range words(rest) {
		if !sumCues[w] && !hollow(w) {
			return "", false
		}
	}
	return expr, expr != ""
}

// computing are words that ask for a sum. Without one of them digits in a longer question
// are none: "3-5일", "A/B 2/3".
var computing = expression(`계산\p{Hangul}*|\b(?:calculate|compute|work\s+out)\b`)

// embedded finds the expression that a question about something else asks to compute, and
// the question without it.
func embedded(q string) (expr, rest string) {
	if len(q) > 500 {
		return "", ""
	}
	expr, rest = expressionIn(signs(q))
	asked := computing().ReplaceAllString(rest, " ")
	if expr == "" || asked == rest {
		return "", ""
	}
	for _, w := range words(asked) {
		if !sumCues[w] && !hollow(w) {
			return expr, strings.TrimSpace(asked)
		}
	}
	return "", "" // the sum is all
}

// finished leaves out the signs at the end that lead nowhere, as of "2+3 =", but not the
// percent sign of "200 + 10%".
func finished(e string) string {
	sum := strings.TrimRight(e, "+-*/^%. =")
	if strings.HasPrefix(strings.TrimLeft(e[len(sum):], " "), "%") {
		sum += "%"
	}
	return sum
}

// faulty is for a question of numbers and signs that is no expression as it stands,
// like "2 + * 3", or is written as programs write it, like "1e3*2" and "max(1, 2)".
func faulty(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if callsOnly().MatchString(s) {
		return s, true
	}
	if !signsOnly().MatchString(powerOf10().ReplaceAllString(s, "$1$2")) || noSum().MatchString(strings.TrimRight(s, "=? ")) {
		return "", false
	}
	return s, true
}

// balanced closes what is open and gives up on what was never opened.
func balanced(e string) string {
	open := 0
	for _, r := range e {
		switch r {
		case '(':
			open++
		case ')':
			open--
		}
		if open < 0 {
			return ""
		}
	}
	return e + strings.Repeat(")", open)
}
