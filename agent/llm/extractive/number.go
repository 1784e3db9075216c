package extractive

import "strings"

var (
	// asksNumber asks for a number: an amount, a date, a time.
	asksNumber = expression(`(?i)몇|며칠|얼마|언제|기한|\bhow\s+(?:many|much|long|often|old|far|tall|big|large|heavy|late|high|wide)\b|\bwhen\b|\bwhat\s+(?:time|year|date|day|percent\w*)\b|\bdeadline\b`)
	// aNumber is a number, in digits or in a word, or a day.
	aNumber = expression(`(?i)\d|[월화수목금토일]요일|매[일주달월년]|하루|이틀|사흘|나흘|보름|정오|자정|절반|무료|무급|전액|[한두세네열] ?(?:번|명|개|달|시간|주|살|배|차례|가지|권|대|사람)|` +
		`\b(?:one\s+(?:day|week|month|year|hour|minute|person)|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|once|twice|half|noon|midnight|daily|weekly|monthly|yearly|annually|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|free|no (?:fee|charge|cost))s?\b`)
	digits = expression(`\d+`)
	// asksWhy asks for a reason, asksWho for a person or a place: see [clear].
	asksWhy = expression(`(?i)왜(?:[^냐]|$)|이유|\bwhy\b|\bhow\s+come\b|\breasons?\b`)
	asksWho = expression(`(?i)누가|누구|어디|\bwho(?:m|se)?\b|\bwhere\b`)
)

// numbersIn are the numbers of a question, in digits: they are no answer to it.
func numbersIn(question string) map[string]bool {
	return set(strings.Join(digits().FindAllString(question, -1), " "))
}

// saysNumber reports whether a text has a number besides those.
func saysNumber(text string, asked map[string]bool) bool {
	return aNumber().MatchString(digits().ReplaceAllStringFunc(text, func(n string) string {
		if asked[n] {
			return strings.Repeat("_", len(n))
		}
		return n
	}))
}
