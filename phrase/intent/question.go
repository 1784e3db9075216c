package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// subject matches the subject of an English question: "is it", "can I", "did the".
const subject = `(?:i|we|you|he|she|it|they|there|this|that|these|those|my|our|your|their|his|her|its|the|an?|any\w*|some\w*|every\w*|people|both)\b`

// English questions by their beginning, also after a statement ("my laptop broke, who can
// help").
var (
	asksEn = pattern.New(`(?i)^(?:(?:what|who|whom|whose|where|why|how|which)(?:['’]?(?:s|re|d))?\b|when(?:['’]?s)?\s+(?:is|are|was|were|do|does|did|can|could|will|would|should|may|must|the|my|our|your)\b|` +
		`(?:is|are|was|were|does|did|has|had)(?:n['’]t)?\s+\S+\s+\S|am\s+i\b|(?:do|have)(?:n['’]t)?\s+(?:i|we|you|they|people|all|any\w*|the|our|my|your|these|those)\b|` +
		`(?:can|could|will|would|shall|should|may|might|must)(?:n['’]t)?\s+` + subject + `)`)
	asksBehind = pattern.New(`(?i)[,;:.!–-]\s+(?:(?:and|so|but|then|now)\s+)?(?:(?:what|how|when|where|who|whom|which|why)(?:['’]s|['’]re)?\s+\S+\s+\S|` +
		`(?:can|could|do|does|did|is|are|am|was|were|should|shall|may|must|will|would|has|have)\s+` + subject + `)`)
	// exclaims matches exclamations that begin like a question.
	exclaims = pattern.New(`(?i)^(?:what\s+an?\s|how\s+(?:nice|great|cool|lovely|sad|funny|awful)\b)`)
	// opening matches fillers before a sentence.
	opening = pattern.New(`(?i)^(?:(?:hey|hi|hello|so|and|but|ok|okay|well|also|then|maru|please|just|quick question|question)\b[\s,:!.]*)+`)
)

// Korean questions: a question word in a sentence that is no statement, or an interrogative
// ending.
var (
	askWordKo = pattern.New(`(?:^|[\s,.])(?:(?:그럼|근데|그러면|그래서)\s+)?(?:뭐|뭘|뭔(?:\s|가요|데)|어떤|어때|어땠|누가|왜|몇|어느)|무엇|무슨|어떻게|어디|언제|누구|며칠|얼마`)
	// anyKo matches question words in a non-interrogative sense: 언제나, 누구든지, 왜냐하면.
	anyKo = pattern.New(`(?:언제|어디|누구|무엇|뭐|얼마|어떻게|어느\s*\S+|어떤\s*\S+)(?:이)?(?:든|나(?:\s|$)|라도)|얼마\s*(?:전|안|뒤|후)|누구나|언제나|어디나|왜냐|뭔가(?:\s|$)|몇몇|어쩐지`)
	// statesKo matches the ending of a statement or wish, even with a question word.
	statesKo = pattern.New(`(?:다|모르겠\p{Hangul}*|궁금하다|거든요?|잖아요?|네요?|군요?|구나|할게요?|려고요?|인데요?|는데요?|싶어요?|줘요?|주세요|주라)$`)
	// asksKo matches an interrogative Korean ending, with or without a question word.
	asksKo = pattern.New(`(?:나요|까요?|(?:한|운|은|는|인|된|른|던|난|간|본)가요?|[은는인일]지요|(?:\p{Hangul}하|되|있|없)(?:나|니|냐)|[하되있없]는지|인지|을지|할지|될지|[가-힣]은요|[가-힣]는요|기억나요?|궁금해요?|궁금합니다|궁금한데요?|` +
		`뭐(?:야|지|예요|에요|죠|임|니|더라|였지|였더라|래)|무엇(?:인가|이야|인지)?|어디(?:야|예요|에요|지|죠|임)|언제(?:야|예요|에요|지|죠|임)|누구(?:야|예요|에요|지|죠|임)|얼마(?:야|예요|에요|지|죠|임)|며칠(?:이야|이에요|이지|임)|` +
		`했지|되죠|되려나|될는지|어떡(?:해|하지|하죠|하나|할까)요?|어쩌(?:지|죠|나)요?)$`)
)

// marked reports whether a text has a question mark at the end of a word, not inside a link.
func marked(text string) bool {
	for i, r := range text {
		if r == '？' || r == '?' {
			next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			if next == utf8.RuneError || !unicode.IsLetter(next) && !unicode.IsDigit(next) || hangul(string(next)) {
				return true
			}
		}
	}
	return false
}

// Question reports whether a text asks for information, with or without a question mark.
func Question(text string) bool {
	if marked(text) {
		return true
	}
	text = bare(text)
	if hangul(text) {
		return questionKo(text)
	}
	text = text[len(opening.FindString(text)):]
	return asksEn.MatchString(text) && !exclaims.MatchString(text) || asksBehind.MatchString(text)
}

// bare strips what follows the last word: punctuation, emoji, laughter.
func bare(text string) string {
	return strings.TrimSpace(strings.TrimRightFunc(strings.TrimSpace(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) || jamo(string(r))
	}))
}

func questionKo(text string) bool {
	if past(text) {
		return true
	}
	if asksKo.MatchString(text) && !strings.HasSuffix(text, "아까") {
		return !because(text)
	}
	return askWordKo.MatchString(text) && !anyKo.MatchString(text) && !statesKo.MatchString(text)
}

// past reports whether a text ends in a past-tense question: 끝났냐, 제출했나, 먹었니.
func past(text string) bool {
	for _, end := range []string{"나", "니", "냐"} {
		if before, ok := strings.CutSuffix(text, end); ok && final(before) == 20 { // the final ㅆ
			return true
		}
	}
	return false
}

// final returns the index of the final consonant of a text's last syllable, 0 for none.
func final(text string) rune {
	if r, _ := utf8.DecodeLastRuneInString(text); r >= 0xAC00 && r <= 0xD7A3 {
		return (r - 0xAC00) % 28
	}
	return 0
}

// because reports whether a text ends in a causal 니까: 바쁘니까, unlike 합니까.
func because(text string) bool {
	before, ok := strings.CutSuffix(text, "니까")
	return ok && final(before) != 17 // the final ㅂ of 합니까
}

// Requests by their end and by their beginning.
var (
	wantsKo = pattern.New(`(?:줘|줘요|줘라|주세요|주십시오|주라|줄래|줄래요|주실래요|주시겠어요|주시겠습니까|줄\s*수\s*있어요?|줄\s*수\s*있나요|주실\s*수\s*있나요|주실\s*수\s*있을까요|해\s*봐|해봐요|알려|부탁해|부탁해요|부탁드려요|부탁드립니다|부탁합니다|바랍니다)$`)
	wantsEn = pattern.New(`(?i)^(?:please\b|(?:tell|show|give|find|list|explain|describe|summari[sz]e|search|look\s+up|check|send|write|make|create|draft|help|remind|translate)\b|(?:can|could|would|will)\s+(?:you|we)\b|i(?:['’]d|\s+would)\s+like\b|i\s+(?:want|need)\s+(?:you\s+)?to\b)`)
)

// Request reports whether a text asks for an action.
func Request(text string) bool {
	text = bare(text)
	if hangul(text) && wantsKo.MatchString(text) {
		return true
	}
	return wantsEn.MatchString(text[len(hey.FindString(text)):])
}

// hey matches fillers before a request.
var hey = pattern.New(`(?i)^(?:(?:hey|hi|hello|so|and|ok|okay|well|also|then|maru)\b[\s,:!.]*)+`)
