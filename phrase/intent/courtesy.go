package intent

import (
	"strings"
	"unicode"

	"maru/phrase/pattern"
)

// courtesies are acknowledgements that expect no answer.
var courtesies = set(`ok okay thanks thank you thx ty cheers nice great good cool lol lmao haha hahaha hehe hmm wow
yes no yeah yep yup nope sure +1 done right perfect awesome
네 네네 넵 넹 예 응 엉 아니 아니요 아니오 아뇨 그래 그래요 ㅇㅋ ㅇㅇ ㄱㅅ ㄳ 감사 감사합니다 감사해요 고마워 고마워요 고맙습니다 땡큐
좋아 좋아요 좋네 좋네요 좋습니다 알겠어 알겠어요 알겠습니다 알았어 알았어요 확인 확인했습니다 확인했어요 수고하셨습니다 수고하세요 수고했어요
오케이 굿 음 흠 와 우와 하하 하하하 헐 대박`)

// phrases are acknowledgements of several words.
var phrases = pattern.New(`^(?:got it|sounds good|looks good|will do|no problem|all right|of course|see you|thanks a lot|thank you (?:so|very) much)$`)

// Courtesy reports whether a message only acknowledges another: thanks, yes, laughter, emoji
// or punctuation. It expects no answer.
func Courtesy(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r != '+' && r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if phrases.MatchString(strings.Join(words, " ")) {
		return true
	}
	for _, w := range words {
		if !courtesies[w] && !courtesies[strings.TrimRight(w, "ㅋㅎㅠㅜ")] && !jamo(w) {
			return false
		}
	}
	return true
}

// jamo reports whether a word has letters but no syllable: "ㅋㅋㅋ", "ㅇㅇ".
func jamo(w string) bool {
	for _, r := range w {
		if (r < 0x1100 || r > 0x11FF) && (r < 0x3131 || r > 0x318E) {
			return false
		}
	}
	return true
}

// thanks matches a polite ending.
var thanks = pattern.New(`(?i)(?:[\s,.!~]+(?:please|pls|thanks?|thank you|thx|부탁해요?|부탁드려요|부탁드립니다|부탁합니다|고마워요?|감사합니다|감사해요))?[\s.!~]*$`)

// BeforeThanks returns a text without its polite ending.
func BeforeThanks(text string) string { return thanks.ReplaceAllString(text, "") }
