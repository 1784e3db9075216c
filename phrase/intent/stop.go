package intent

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// stop matches a whole message that means stop, polite or impatient, without spaces.
var stop = regexp.MustCompile(`^(?:` +
	`(?:please|ok|okay)?(?:stop|cancel|abort)(?:it|this|that|now)?(?:please|pls)?` + `|` +
	`(?:이제|잠깐|야)?(?:그만|중지|중단|취소|정지|스톱|스탑|멈춰|멈추세요)(?:좀)?(?:하자|할래|할게|둬|하세요|해)?(?:줘|주세요)?(?:요)?` +
	`)$`)

// maxStopRunes bounds the length of a stop message.
const maxStopRunes = 60

// Stop reports whether a message means only stop. Most of these are also a No for [Decide].
func Stop(text string) bool {
	return utf8.RuneCountInString(text) <= maxStopRunes && stop.MatchString(strings.TrimRight(joined(text), "?"))
}
