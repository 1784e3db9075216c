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

// stop are the characters after a courtesy that is before something else.
const stop = ".,!~…\n"

// AfterCourtesy returns the question or the request after the greetings, thanks and other courtesies at the beginning of a text:
// of "ok cool. how much is it?" the second sentence. Without one the text is returned as it is.
func AfterCourtesy(text string) string {
	rest := strings.TrimSpace(text)
	for rest != "" {
		n := max(greeting(rest), len(laughs.FindString(rest)))
		if end := strings.IndexAny(rest, stop); n == 0 && end > 0 && Courtesy(rest[:end]) && !numbers.MatchString(rest) {
			n = end
		}
		if n == 0 {
			break
		}
		rest = behind(rest, n)
	}
	if !Question(rest) && !Request(rest) {
		return text
	}
	return rest
}

// behind returns what follows the first n bytes of a text and the stops after them. A stop at the beginning of a word is a part of
// it: ".env".
func behind(text string, n int) string {
	i := len(text) - len(strings.TrimLeft(text[n:], stop+" "))
	if i > 1 && i < len(text) && text[i-2] == ' ' && (text[i-1] == '.' || text[i-1] == '~') {
		i--
	}
	return text[i:]
}

var (
	greets  = pattern.New(`(?i)^(?:안녕(?:하세[요여용]|하십니까|하신가요|하신지요)?|하이|굿모닝|좋은\s*(?:아침|하루|저녁)(?:이에요|입니다|이야|되세요)?|ㅎㅇ|하잉|헬로우?|반가워요?|반갑습니다|hiya|hi|hello|hey|howdy|yo|good\s+(?:morning|afternoon|evening))(?:[\s,.!?~^]+|$)(?:(?:마루\p{Hangul}?|maru|there|everyone|all)(?:[\s,.!?~^]+|$))?`)
	program = pattern.New(`(?i)^hello,?\s+world\b`)
	numbers = pattern.New(`(?i)^no\.\s*\d`) // "No. 3" declines nothing
	laughs  = pattern.New(`^[ㅋㅎㅠㅜ]+\s+`)
)

// greeting returns the length of the greeting at the beginning of a text, in bytes.
func greeting(text string) int {
	if program.MatchString(text) {
		return 0
	}
	return len(greets.FindString(text))
}

// Greets reports whether a text begins with a greeting, and returns what follows it.
func Greets(text string) (rest string, ok bool) {
	text = strings.TrimSpace(text)
	n := greeting(text)
	return behind(text, n), n > 0
}
