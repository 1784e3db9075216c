package extractive

import (
	"math"
	"strconv"
	"strings"
)

// span.go holds the number of a question against the spans of a sentence: four years of service lie in "3 years
// to less than 5 years", and not in "after 5 years".

// span is from how many of a unit to how many something holds; from is in it, to is not unless shut.
type span struct {
	from, to float64
	shut     bool
	unit     string
}

// holds reports whether a number of the same unit lies in the span.
func (s span) holds(n float64) bool { return n >= s.from && (n < s.to || s.shut && n == s.to) }

const (
	unitKo  = `(?:년|개월|달|주|일|시간|분|명|개|살|세)`
	unitEn  = `(?:years?|months?|weeks?|days?|hours?|minutes?|people|persons?)`
	countEn = `(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`
)

var (
	// asksCount is a number of something that a question tells.
	asksCount = expression(`(?i)\d+\s*` + unitKo + `|\b` + countEn + `\s+` + unitEn + `\b`)
	// spanForms are the ways in which a sentence says a span: from and to, from alone, to alone.
	spanForms = []*pattern{
		expression(`(?i)\d+\s*` + unitKo + `?\s*이상\s*\d+\s*` + unitKo + `\s*(?:미만|이하)|\b` + countEn + `\s*` + unitEn + `?\s+to\s+(?:less\s+than\s+)?` + countEn + `\s+` + unitEn + `\b`),
		expression(`(?i)\d+\s*` + unitKo + `[이을를]?\s*(?:이상|넘|초과|일하면|지나면)|\b` + countEn + `\s+(?:or\s+more\s+` + unitEn + `|` + unitEn + `\s+or\s+(?:more|longer))|\b(?:after|over|more\s+than|at\s+least|longer\s+than)\s+` + countEn + `\s+` + unitEn + `\b`),
		expression(`(?i)\d+\s*` + unitKo + `\s*(?:미만|이하)|\b(?:up\s+to|less\s+than|under|at\s+most)\s+` + countEn + `\s+` + unitEn + `\b`),
	}
	numberIn = expression(`(?i)\d+|\b` + countEn + `\b`)
	unitIn   = expression(`(?i)` + unitEn + `|` + unitKo)
	openEnd  = expression(`(?i)미만|less\s+than|\bunder\b`)
)

// numbersEn are small numbers in words.
var numbersEn = func() map[string]float64 {
	m := map[string]float64{}
	for i, w := range strings.Fields("one two three four five six seven eight nine ten eleven twelve") {
		m[w] = float64(i + 1)
	}
	return m
}()

func numberOf(s string) float64 {
	if n, ok := numbersEn[strings.ToLower(s)]; ok {
		return n
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// unitOf is a unit in the one form that is compared.
func unitOf(s string) string {
	s = strings.TrimSuffix(strings.ToLower(s), "s")
	switch s {
	case "달":
		return "개월"
	case "세":
		return "살"
	case "person":
		return "people"
	}
	return s
}

// countsOf are the numbers of a text with their units, each a span of that number alone.
func countsOf(text string) []span {
	var out []span
	for _, m := range asksCount.FindAllString(text, -1) {
		n := numberOf(numberIn.FindString(m))
		out = append(out, span{from: n, to: n, shut: true, unit: lastUnit(m)})
	}
	return out
}

func lastUnit(s string) string {
	all := unitIn.FindAllString(s, -1)
	return unitOf(all[len(all)-1])
}

// spansOf are the spans that a sentence says.
func spansOf(text string) []span {
	var out []span
	for kind, re := range spanForms {
		for _, m := range re.FindAllString(text, -1) {
			s := span{to: math.Inf(1), shut: !openEnd.MatchString(m), unit: lastUnit(m)}
			switch n := numberIn.FindAllString(m, -1); kind {
			case 0:
				s.from, s.to = numberOf(n[0]), numberOf(n[len(n)-1])
			case 1:
				s.from = numberOf(n[0])
			default:
				s.to = numberOf(n[0])
			}
			out = append(out, s)
		}
		text = re.ReplaceAllString(text, "_")
	}
	return out
}

// inSpan is what a sentence gains of which a span holds the number of the question.
const inSpan = 0.4

// spanToo lets the number of a question choose among sentences that say spans of the same unit: that in
// whose span it lies answers, others do not.
func spanToo(question string, all []candidate) {
	asked := countsOf(question)
	if len(asked) == 0 {
		return
	}
	var in, out []int
	most := 0.0
	for i, c := range all {
		most = max(most, c.covers)
		if c.covers == 0 || c.lacks {
			continue
		}
		fits, said := false, false
		for _, s := range spansOf(c.text) {
			for _, n := range asked {
				if n.unit == s.unit {
					said, fits = true, fits || s.holds(n.from)
				}
			}
		}
		switch {
		case fits:
			in = append(in, i)
		case said:
			out = append(out, i)
		}
	}
	for _, i := range in {
		all[i].covers, all[i].score = max(all[i].covers, most), all[i].score+inSpan
	}
	if len(in) > 0 {
		for _, i := range out {
			all[i].lacks = true
		}
	}
}
