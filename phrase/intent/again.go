package intent

import (
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// What is said of a call that may have taken effect: that it did, and that it is to be made again. Without spaces.
var (
	happened = pattern.New(`^(?:(?:it|that)(?:has)?(?:already)?(?:was|is|'s|been|got)?(?:already)?(?:done|sent|delivered|posted|saved|created|wentthrough|worked|happened|arrived|succeeded)(?:already|fine)?|already(?:done|sent|delivered|posted|saved|created|there)|` +
		`(?:이미|벌써|그거|그건|메일|메시지|글|파일)?(?:이|은|는|가)?(?:(?:이미|벌써|다|잘)(?:됐|되었)|(?:이미|벌써|다|잘)?(?:갔|보냈|보내졌|왔|도착했|올라갔|저장됐|(?:처리|완료|전송|발송|실행|등록|저장|게시|반영)(?:됐|되었|했)))(?:어|습니다|네|음|다|더라고|더라)요?)$`)
	anew = pattern.New(`^(?:(?:run|do|send|try|make|post)(?:it|this|that)?(?:once)?(?:again|oncemore)|(?:retry|rerun|resend|redo)(?:it|this|that)?|again|` +
		`(?:다시|재|한번더|새로)(?:한번)?(?:실행|시도|전송|발송|진행|보내|올려|돌려|저장|등록)?(?:(?:` + telling + `)요?|(?:줘|주세요|주십시오|자|라)요?)|재(?:실행|시도|전송|발송))$`)
	// failed are sentences that may come before an order to do it again.
	failed = pattern.New(`^(?:(?:it|that)(?:didnot|didn't|hasnot|hasn't|wasnot|wasn't|never)(?:go(?:ne)?through|work(?:ed)?|happen(?:ed)?|sent|arrived?|done|delivered)|(?:it|that)failed|nothing(?:happened|arrived|came)|` +
		`(?:아직|메일|메시지)?(?:이|은|는|가)?(?:안|못)(?:갔|됐|왔|보냈|올라갔|받았)(?:어|습니다|네|대)요?|실패했(?:어|네|습니다)요?)$`)
)

// Happened reports whether a reply says that a deed took effect: "it went through", 이미 보냈어요.
func Happened(text string) bool { return aftermath(text, happened) }

// Anew reports whether a reply orders to do it again: "it failed, run it again", 안 갔어, 다시 보내줘.
func Anew(text string) bool { return aftermath(text, anew, failed) }

// aftermath reports whether a clause matches a pattern, and all others say nothing or match one of those beside.
func aftermath(text string, is *pattern.Pattern, beside ...*pattern.Pattern) (found bool) {
	if utf8.RuneCountInString(text) > maxVerdictRunes {
		return false
	}
next:
	for _, c := range clause.Split(text, -1) {
		words := fields(c)
		for len(words) > 0 && (politeness[words[0]] || row(words[:1]) == Yes || notes[words[0]]) {
			words = words[1:]
		}
		for len(words) > 0 && politeness[words[len(words)-1]] && !is.MatchString(strings.Join(words, "")) {
			words = words[:len(words)-1]
		}
		said := strings.Join(words, "")
		if said == "" || is.MatchString(said) {
			found = found || said != ""
			continue
		}
		for _, p := range beside {
			if p.MatchString(said) {
				continue next
			}
		}
		return false
	}
	return found
}
