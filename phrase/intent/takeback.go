package intent

import "maru/phrase/pattern"

// between matches what is between words. \W would match Hangul.
const between = `[^\p{L}\p{N}]`

// doesKo is what asks for something, or says that one does it: 해줘, 할게요, 하자.
const doesKo = `(?:해(?:\s?(?:줘|줘요|주라|주세요|주실래요|주시겠어요|줄래|줄래요|줄\s?수\s?있어|요|라))?|할(?:게|께|래)요?|하(?:자|죠|시죠|세요)|합니다|할\s?것)`

var takesBack = pattern.New(`(?i)^` + between + `*(?:(?:no|oh|wait|actually|sorry|oops|never\s?mind|on second thought)` + between + `+){0,3}(?:please\s+|let's\s+|(?:can|could) you\s+)?(?:cancel|undo|scrap|drop)(?:\s+(?:it|that|this|that one|the last one))?(?:,?\s+(?:please|again|for me|thanks?))*` + between + `*$|` +
	`^` + between + `*(?:(?:아니다|아니야?|아냐|아|어|음|앗|잠깐만?|미안(?:해요?)?|죄송(?:해요|합니다)?|생각해\s?보니)` + between + `+){0,3}(?:(?:그거|그건|그것|이거|이건|저거|방금\s?(?:거|것|건|한\s?거)|아까\s?(?:거|것))[을를은]?\s*)?(?:좀\s*)?(?:취소(?:\s?` + doesKo + `)?|없던\s?(?:일|걸|것)로\s?` + doesKo + `)` + between + `*$`)

// TakesBack reports whether a message wants what was just arranged undone, without a name for it: "cancel it", "아니다 취소". What that
// is, if anything, is for the caller to tell.
func TakesBack(text string) bool { return len(text) <= maxTakeBack && takesBack.MatchString(text) }

// maxTakeBack bounds such a message in bytes: a longer one says what it is about.
const maxTakeBack = 90

// DecidesLast reports whether a message is nothing but an answer to what was shown last: a yes, a no, a stop, or "cancel it".
func DecidesLast(text string) bool {
	v, number := Decide(text)
	return number == 0 && (v == Yes || v == No || v == Stop) || TakesBack(text)
}
