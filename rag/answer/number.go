package answer

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

var (
	// asksNumber asks for a number: an amount, a date, a time.
	asksNumber = pattern.New(`(?i)몇|며칠|얼마|언제|기한|\bhow\s+(?:many|much|long|often|old|far|tall|big|large|heavy|late|high|wide)\b|\bwhen\b|\bwhat\s+(?:time|year|date|day|percent\w*)\b|\bdeadline\b`)
	// aNumber is a number, in digits or in a word, or a day.
	aNumber = pattern.New(`(?i)\d|[월화수목금토일]요일|매[일주달월년]|하루|이틀|사흘|나흘|보름|정오|자정|절반|무료|무급|전액|[한두세네열] ?(?:번|명|개|달|시간|주|살|배|차례|가지|권|대|사람)|` +
		`\b(?:one\s+(?:day|week|month|year|hour|minute|person)|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|once|twice|half|noon|midnight|daily|weekly|monthly|yearly|annually|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|free|no (?:fee|charge|cost))s?\b`)
	digits = pattern.New(`\d+`)
	// asksWhy asks for a reason, asksWho for a person or a place: see [clear].
	asksWhy = pattern.New(`(?i)왜(?:[^냐곡소]|$)|\bwhy\b|\bhow\s+come\b|\bwhat(?:'s| is| are| was| were) the (?:\p{L}+ )?reasons?\b|\breasons?\b`)
	asksWho = pattern.New(`(?i)누가|누구|어디|\bwho(?:m|se)?\b|\bwhere\b`)
)

// AsksNumber reports whether a question asks for a number: an amount, a date, a time.
func AsksNumber(question string) bool { return asksNumber.MatchString(question) }

// AddsNumber reports whether a text has a number besides those of the question, which are no answer to it.
func AddsNumber(question, text string) bool {
	asked := digits.FindAllString(question, -1)
	return aNumber.MatchString(digits.ReplaceAllStringFunc(text, func(n string) string {
		if slices.Contains(asked, n) {
			return strings.Repeat("_", len(n))
		}
		return n
	}))
}
