// Package correction recognises sentences in which people correct an earlier statement: not
// this, but that. It knows nothing of the subject.
package correction

import (
	"strings"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// maxRead bounds the input, in letters: a correction is a short sentence.
const maxRead = 120

// to matches the end of a Korean sentence after the correct value.
const to = `(?:이에요|예요|이야|야|입니다|이고|이었어|였어|이요|요)?[\s.!~]*$`

// Forms of corrections; their groups are the wrong and the correct value, in English also in
// reverse order.
var (
	korean   = pattern.New(`(?:^|[\s,.!])([^\s,.!?]{1,30}?)(?:이|가|은|는)?\s*(?:아니라|아니고|아니구)\s*,?\s*(\S.{0,40}?)` + to)
	but      = pattern.New(`(?i)(?:^|[\s,.!])not\s+(?:on\s+|in\s+|at\s+)?([^,.!?]{1,40}?),?\s+but\s+(?:on\s+|in\s+|at\s+)?([^,!?]{1,40}?)[\s.!]*$`)
	not      = pattern.New(`[nN][oO][tT]`)
	reversed = pattern.New(`(?i)(?:^|[\s,.!])(?:it's|it is|that's|i meant?|make it)\s+(?:on\s+|in\s+|at\s+)?([^,.!?]{1,40}?),?\s+not\s+(?:on\s+|in\s+|at\s+)?([^,!?]{1,40}?)[\s.!]*$`)
)

// Read returns the wrong and the correct value of a correction: Tuesday and Wednesday for
// "아니, 화요일이 아니라 수요일이야". Questions are no corrections.
func Read(sentence string) (was, is string, ok bool) {
	s := fit.OneLine(sentence)
	if len([]rune(s)) > maxRead || strings.ContainsAny(s, "?？") {
		return "", "", false
	}
	if strings.Contains(s, "아니") {
		if m := korean.FindStringSubmatch(s); m != nil {
			return m[1], strings.TrimSpace(m[2]), true
		}
	}
	if !not.MatchString(s) { // most sentences: the other two take a hundred times as long to say no
		return "", "", false
	}
	if m := but.FindStringSubmatch(s); m != nil {
		return m[1], strings.TrimSpace(m[2]), true
	}
	if m := reversed.FindStringSubmatch(s); m != nil {
		return strings.TrimSpace(m[2]), m[1], true
	}
	return "", "", false
}

// opens matches the beginning of a sentence that corrects the speaker's previous one without
// repeating it.
var opens = pattern.New(`(?i)^\W*(?:(?:no|oh|oops|sorry|wait|hm+)[\s,.!]+)*(?:actually[\s,]+(?:it's|it\s+is|that's|on|in|at|make|i\s+meant)\s|correction\s*[:,]|i\s+meant?\s|make\s+(?:it|that)\s)|` +
	`^\W*(?:no|oops|sorry|wait)[\s,.!]+(?:it's|it\s+is|that's)\s|` +
	`^\s*(?:(?:아|앗|어|헉|미안|죄송)[\s,.!]+)*(?:아니다|아니야|아니요|아니|아차|정정)[\s,:]+\S`)

// Opens reports whether a sentence corrects the speaker's previous one: "actually it's on
// Thursday", "아 아니다 목요일이야".
func Opens(sentence string) bool {
	s := fit.OneLine(sentence)
	return len([]rune(s)) <= maxRead && !strings.ContainsAny(s, "?？") && opens.MatchString(s)
}
