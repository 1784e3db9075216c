package intent

import (
	"strconv"

	"maru/phrase/pattern"
)

var (
	// alters matches words with which people change what was proposed to them.
	alters = pattern.New(`(?i)빼|바꾸|바꿔|바꿀|고치|고쳐|수정|추가|넣|대신|말고|\b(?:instead|remove|drop|change|add|swap|replace|move|without|edit)\b`)
	// shows matches words that point at something before one's eyes.
	shows = pattern.New(`(?i)단계|계획|순서|취소|이거|이것|이건|그거|그건|\b(?:steps?|plan|skip|it|this|that|these|those)\b`)
	// numbered matches a number that may be one of a list: "2번은 왜 필요해?", "is 2 needed?", but not
	// "12*7", "3월" and "2026".
	numbered = pattern.New(`(?:^|[\s#(])(\d{1,2})(?:번\p{Hangul}*|[은는이가을를도와과만]|이랑|랑|하고)?(?:[\s.,)?？]|$)`)
)

// Points reports whether a text points at something that was shown or proposed, or would change it:
// "can you drop the mail?", "이거 왜 필요해?".
func Points(text string) bool { return alters.MatchString(text) || shows.MatchString(text) }

// Numbers returns the numbers in a text that may be those of a list's entries.
func Numbers(text string) (out []int) {
	for _, m := range numbered.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			out = append(out, n)
		}
	}
	return out
}
