package intent

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Verdict is the decision in a short reply.
type Verdict int

// The verdicts. None stands for any other reply.
const (
	None Verdict = iota
	Yes
	No
	Skip
)

// doing matches the endings of a Korean 하다 verb that agree or request: 진행해 주세요, 취소할게요.
const doing = `(?:해(?:요|줘|줘요|주세요|주십시오)?|합니다|할(?:게|래)요?|하자|합시다|하세요|하죠)`

// Whole phrases of each verdict, without spaces.
var (
	yes = regexp.MustCompile(`^(?:네+|넵+|넹|예|응+|ㅇㅇ|ㅇㅋ|ㄱㄱ|고고|(?:그래|좋아)요?|좋습니다|오케이|` +
		`(?:승인|진행)` + doing + `?|(?:그대로|이대로)(?:진행)?` + doing + `|그렇게` + doing + `|` +
		`i?approved?|accept(?:ed)?|yes|ye[ap]h?|y|sure|ok|okay|goahead|go|doit|looksgood|soundsgood|lgtm|(?:please)?proceed|confirm(?:ed)?|👍|✅)$`)
	no = regexp.MustCompile(`^(?:아니요?|아뇨|노노?|싫어요?|안돼요?|반려|(?:거절|취소)` + doing + `?|(?:됐어요?)?(?:그만|안할래요?|관두자|관둘래요?)|` +
		`(?:됐어요?)?그만(?:두자|둬|둘(?:게|래)요?|` + doing + `)|(?:아니)?(?:이건|이거)?(?:실행)?하지(?:마|마요|마세요|말자|말아(?:줘|줘요|주세요)?)|(?:중지|중단)` + doing + `?|멈춰(?:줘|주세요)?|` +
		`reject(?:ed)?|den(?:y|ied)|no|nope|n|cancel|stop|abort|don'?t|nevermind|forgetit|leaveit|👎|🚫|❌)$`)
	skip = regexp.MustCompile(`^(?:건너뛰(?:어(?:요|줘|주세요)?|자|기|고)|(?:패스|스킵|생략)` + doing + `?|넘어가(?:자|요|줘)?|skip(?:it|this)?|pass)$`)
)

// politeness words may accompany a verdict without changing it.
var politeness = set(`해줘 해주세요 해요 부탁해 부탁해요 부탁드려요 부탁드립니다 please pls thanks thx 고마워 고마워요 감사해요 감사합니다`)

// Bounds of a reply that is read as a verdict.
const (
	maxVerdictWords = 4
	maxVerdictRunes = 80
)

// Decide reads a reply that consists of yes, no or skip ("네 진행해 주세요"). number is that of the
// named question ("승인 2번"), 0 for none.
func Decide(text string) (v Verdict, number int) {
	if utf8.RuneCountInString(text) > maxVerdictRunes {
		return None, 0
	}
	words := fields(text)
	if n := len(words); n > 1 {
		last := strings.TrimSuffix(strings.TrimPrefix(words[n-1], "#"), "번")
		if k, err := strconv.Atoi(last); err == nil && k > 0 {
			number, words = k, words[:n-1]
		}
	}
	if len(words) > maxVerdictWords {
		return None, 0
	}
	if v = row(words); v == None {
		return None, 0
	}
	return v, number
}

// row reads words as one or more identical verdicts of one or several words, with politeness
// after the first.
func row(words []string) Verdict {
	v := None
	for at := 0; at < len(words); {
		here, end := longest(words, at)
		switch {
		case here == None && (v == None || !politeness[words[at]]):
			return None
		case here == None:
			at++
			continue
		case v != None && v != here:
			return None
		}
		v, at = here, end
	}
	return v
}

// longest returns the verdict of the longest phrase at a word, and its end.
func longest(words []string, at int) (Verdict, int) {
	for end := len(words); end > at; end-- {
		phrase := strings.Join(words[at:end], "")
		switch {
		case yes.MatchString(phrase):
			return Yes, end
		case no.MatchString(phrase):
			return No, end
		case skip.MatchString(phrase):
			return Skip, end
		}
	}
	return None, at
}

// plain matches an unambiguous decision word at the beginning of a text, unlike "yes".
var plain = regexp.MustCompile(`(?i)^\W*(?:승인|거절|반려|(?:i\s+)?approved?\b|rejected?\b|den(?:y|ied)\b)`)

// Ruling reports whether a text begins with an unambiguous decision word: "승인", "rejected".
func Ruling(text string) bool { return plain.MatchString(text) }

// agreed matches a yes at the beginning of a longer text: "네, 2번은 빼고", "승인하되".
var agreed = regexp.MustCompile(`(?i)^(?:네|넵|예|응|그래요?|좋아요?|좋은데|좋습니다|승인(?:해요|할게요|합니다|하는데|하되|하지만)?|진행(?:하되|하는데|해\s*주세요|해\s*줘|해요)?|` +
	`ok(?:ay)?|yes|yep|sure|(?:i\s+)?approved?|accept|proceed|go ahead|lgtm|looks good)(?:[\s,.!]+(?:좋아요?|좋습니다)?)+`)

// AfterYes returns the text after an initial yes; the whole text if it has none.
func AfterYes(text string) string { return text[len(agreed.FindString(text)):] }
