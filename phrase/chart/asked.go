package chart

import (
	"strings"
	"unicode"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// maxAsked bounds how much of a message is read for what it asks, in letters.
const maxAsked = 1000

var (
	asked = pattern.New(`(?i)(?:그래프|차트|도표|막대|꺾은선|선형|원형|파이)\p{Hangul}{0,2}\s*(?:\p{Hangul}{1,6}\s+){0,2}?(?:보여|보고\s*싶|볼\s*수|그려|그릴|만들|나타내|표시|표현|뽑|바꿔|바꾸|정리|작성|출력|비교|해\s*[줘주봐]|줘|주세요|부탁)|` +
		`(?:그래프|차트)(?:로|으로)\s*[.!?~]*$|시각화\S{0,2}\s*(?:해|좀|부탁|하)|` +
		`\b(?:as|in|into|with|using|to)\s+(?:an?\s+|the\s+)?(?:[\w-]+\s+){0,2}?(?:chart|graph|plot|histogram)s?\b|` +
		`\b(?:draw|show|make|create|give|generate|build|produce|get|need|want|see|have)\s+(?:me\s+|us\s+)?(?:an?\s+|the\s+|some\s+)?(?:[\w-]+\s+){0,2}?(?:chart|graph|plot|histogram)s?\b|` +
		`\b(?:plot|graph|chart)\s+(?:this|that|these|those|it|them|the|our|my|how|each|all|sales|revenue|monthly|weekly|daily|yearly|quarterly)\b|\bvisuali[sz]e\b`)
	// other matches drawings that show no numbers.
	other = pattern.New(`(?i)\b(?:org(?:ani[sz]ation(?:al)?)?|flow|gantt|sequence|call|knowledge|dependency|seating|helm)[\s-]?(?:chart|graph)s?\b|조직\s*도표|순서도|지식\s*그래프`)
	kinds = []struct {
		words *pattern.Pattern
		kind  Kind
	}{
		{pattern.New(`(?i)원\s*(?:그래프|차트|형)|파이|도넛|\bpie\b|\bdonut\b|\bdoughnut\b`), Pie},
		{pattern.New(`(?i)막대|\bbars?\b|\bcolumns?\b|\bhistogram\b`), Bar},
		{pattern.New(`(?i)영역|\barea\b`), Area},
		{pattern.New(`(?i)꺾은선|선\s*(?:그래프|차트|형)|라인|추이|추세|\blines?\b|\btrends?\b`), Line},
	}
)

// Asked reports whether a message asks for a chart, and its kind; "" leaves that to the numbers.
func Asked(message string) (Kind, bool) {
	message = fit.Cut(message, maxAsked)
	if !asked.MatchString(message) || other.MatchString(message) {
		return "", false
	}
	for _, k := range kinds {
		if k.words.MatchString(message) {
			return k.kind, true
		}
	}
	return "", true
}

// Bare reports whether a message asks for a chart without naming its subject: it is about what was said before.
func Bare(message string) bool {
	rest := fit.Cut(message, maxAsked)
	for _, k := range kinds {
		rest = k.words.ReplaceAllString(rest, " ")
	}
	rest = asked.ReplaceAllString(rest, " ")
	rest = pointing.ReplaceAllString(rest, " ")
	return strings.IndexFunc(rest, unicode.IsLetter) < 0
}

// pointing matches words that lead back, and those beside them.
var pointing = pattern.New(`(?i)그래프|차트|도표|(?:이|그|저|위|방금)\s?(?:거|걸|것|표|데이터|내용|결과|자료|숫자)\p{Hangul}{0,2}|(?:표|데이터|결과)(?:를|을|로)?(?:\s|$)|다시|좀|보여|그려|바꿔|만들어|줘|주세요|대신|로|으로|` +
	`\b(?:it|this|that|these|those|the|above|table|data|numbers?|results?|instead|now|please|can|could|would|you|i|want|make|change|turn|into|show|me|a|an|as|same|again|chart|graph|plot)\b`)

// Of makes a chart of a text: of a chart that it has, or of the table of numbers that a question is about; nil if it has
// none. The question chooses kind and columns.
func Of(question, md string) *Chart {
	kind, _ := Asked(question)
	for _, s := range find(md) {
		if c, err := Parse(s.Source); err == nil {
			if kind != "" {
				c.Kind = kind
			}
			return &c
		}
	}
	var best *Chart
	most := 0
	for _, t := range append(tables(md), records(md)...) {
		c := t.chart(kind, question)
		if c == nil {
			continue
		}
		if score := 1000*t.named(question) + len(c.Labels)*len(c.Series); best == nil || score > most {
			best, most = c, score
		}
	}
	return best
}

// About reports whether a text has a table of numbers of which a question names a column or the title.
func About(question, md string) bool {
	for _, t := range append(tables(md), records(md)...) {
		if t.named(question) > 0 && t.chart("", question) != nil {
			return true
		}
	}
	return false
}

// Subject returns a message without the wish for a chart: what is to be looked for.
func Subject(message string) string {
	if _, ok := Asked(message); !ok || len(message) > maxAsked || Bare(message) {
		return message
	}
	return strings.Join(strings.Fields(wish.ReplaceAllString(message, " ")), " ")
}

// wish matches the whole of the words that ask for a chart.
var wish = pattern.New(`(?i)(?:(?:원|막대|꺾은선|선형|영역|파이)\s*)?(?:` + asked.String() + `)\p{Hangul}{0,6}(?:\s+(?:줘|주세요|줄래|주실래)\p{Hangul}{0,2})?`)

// named counts the columns and words of a table's title that a question has.
func (t table) named(question string) int {
	n, bare := 0, squeezed(question)
	for _, s := range append(strings.Fields(t.title), t.head...) {
		if m := inName.FindStringSubmatch(s); m != nil {
			s = m[1]
		}
		if s = squeezed(s); len(s) > 1 && strings.Contains(bare, s) {
			n++
		}
	}
	return n
}

// Complete adds the chart that a message asks for to its answer, made of the answer's table, unless the answer has a chart.
func Complete(message, answer string) string {
	if _, ok := Asked(message); !ok || len(find(answer)) > 0 {
		return answer
	}
	c := Of(message, answer)
	if c == nil {
		return answer
	}
	return strings.TrimRight(answer, "\n") + "\n\n" + c.Fence()
}
