package intent

import (
	"unicode/utf8"

	"maru/phrase/pattern"
)

// A statement that is worth keeping is neither a word nor an essay, in characters.
const (
	leastLasting = 10
	mostLasting  = 300
)

var (
	lastingEn = pattern.New(`(?i)\bfrom\s+(?:now|today|tomorrow|next\s+\w+|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\s+on(?:wards)?\b|\b(?:starting|as\s+of|effective)\s+(?:today|tomorrow|next|this|on|from|\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|` +
		`\bwe(?:['’]ve|\s+have)?\s+(?:agreed|decided|settled)\s+(?:to|that|on)\b|^decision:|\b(?:has|have)\s+(?:moved|changed)\s+to\b|\bis\s+now\s+(?:at|on|in|the|called|every)\b|^(?:the|our)\s+new\s+.+\s+(?:is|are)\s|\bwe\s+(?:always|never|no\s+longer|only)\s`)
	lastingKo = pattern.New(`(?:^|\s)(?:앞으로(?:는|도)?|이제부터(?:는)?|(?:오늘|내일|모레|다음\s?(?:주|달)|이번\s?(?:주|달)|내년|[월화수목금토일]요일|\d+월(?:\s?\d+일)?|\d+일)부터(?:는)?)\s|` +
		`기로\s?(?:했|결정|합의|정했)|(?:으?로)\s?(?:바뀌|바꿨|변경|정했|결정|확정|옮겼|이동)`)
	titledKo = pattern.New(`^(?:결정|결정\s?사항|공지)\s?:`)
	// statesFactKo matches the end of a statement, unlike that of a wish or a guess.
	statesFactKo = pattern.New(`(?:다|요|음|함|됨|임|기로\s?함|죠|어|야|시|일|분|층|호)$`)
	guesses      = pattern.New(`(?i)\b(?:maybe|perhaps|i\s+think|i\s+guess|probably|should|could|might|if)\b|아마|것\s?같|거\s?같|을까|ㄹ까|면\s?(?:좋|어때|안)|싶|하자$|할게요?$`)
)

// Lasting reports whether a sentence states something that holds from now on for those who read it: a decision, a rule, a
// new time or place, a fact with a value, a habit. It goes by how such sentences begin and end, and takes no question, wish,
// guess or joke for one.
func Lasting(text string) bool {
	n := utf8.RuneCountInString(text)
	if n < leastLasting || n > mostLasting || Question(text) || guesses.MatchString(text) || joking.MatchString(text) {
		return false
	}
	whole := text
	text = bare(text)
	if standing(text) && (!Request(whole) || habitKo.MatchString(text) && aboutKo.MatchString(text) || habitEn.MatchString(text)) {
		return true
	}
	if Request(whole) {
		return false
	}
	if hangul(text) {
		return titledKo.MatchString(text) || lastingKo.MatchString(text) && statesFactKo.MatchString(text)
	}
	return lastingEn.MatchString(text)
}
