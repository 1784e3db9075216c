// Package correction recognises sentences in which people correct an earlier statement: not
// this, but that. It knows nothing of the subject.
package correction

import (
	"strings"
	"unicode"
	"unicode/utf8"

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

// Forms in which people say which thing they had asked about; their groups are what they did not mean, "" if they do not say, and
// what they meant. In Korean they are between what a sentence begins with and words that alone say too little.
var (
	askedKo = pattern.New(`^((?:(?:아|앗|어|음|아니\p{Hangul}{0,3}|아뇨|노노|ㄴㄴ)[\s,.!]+)*)(?:(\S[^,.!?]{0,30}?)\s*(?:말고|아니고|아니라)[\s,]+)?(\S[^,!?]{0,40}?)(?:[을를]|에\s*대해(?:서)?)?\s*(?:(?:물어\s?[본보]|여쭤\s?[본보]|묻는|질문한|(말한|말하는|얘기한))\S?\s*(?:거|것|건)\p{Hangul}{0,4}|(말(?:이야|이에요|인데요?|이었어요?)))[\s.!~?]*$`)
	askedEn = pattern.New(`(?i)^\W*(?:(?:no|nope|oh|ah|oops|sorry|wait|actually|well|hm+)[\s,.!]+)*i\s+(?:actually\s+)?(?:mean|meant|was\s+asking\s+(?:about|for)|asked\s+(?:about|for))\s+(?:to\s+ask\s+(?:about|for)\s+)?([^,.!?]{1,60}?)(?:,?\s+(?:and\s+)?not\s+([^,!?]{1,40}?))?[\s.!?]*$`)
)

// Ends and beginnings of what somebody did or said, rather than of the thing that was asked about: "회의에서 말한 거", "I mean it's
// fine".
var (
	toldKo = pattern.New(`(?:에서|께서|한테|에게|[는던냐]|(?:^|\s)(?:그|이|저|내|네|제|그런|이런|무슨|뭔|[그이저]게|아까|방금|어제|그때|(?:저번|지난\s?번|전)에?))$`)
	toldEn = pattern.New(`(?i)^(?:(?:i|we|you|they|he|she|there|(?-i:it))\b|that\s+(?:i|we|you|they|he|she|it|the)\b|(?:it|that|what|who|how)['’]|(?:yes|no|yeah|yep|nope|ok|okay|really|seriously|honestly|literally|come\s+on)(?:\s|$)|(?:sure|well|business|nothing)$|` +
		`to\s+(?:say|tell|send|write|call|do|be|go|get|reply|add|post|put|make|mention|buy|come|ask)\b|(?:what|how|when|where|who|why|which)\s+(?:is|are|was|were|do|does|did|can|could|should|will|much|many|long|often)\b|(?:can|could|do|does|is|are)\s+(?:i|we|you|they|it|the|there|my|our)\b)|` +
		`\b(?:yesterday|already|earlier|ago|last\s+(?:week|month|time|year))$`)
	verbEn   = pattern.New(`(?i)\b(?:is|am|are|was|were|do|does|did|has|had|could|would|should|(?:is|are|was|were|do|does|did|ca|wo)n['’]t)\b`)
	relative = pattern.New(`(?i)\b(?:that|who|which|where|when|if)\s`)
	askedFor = pattern.New(`(?i)^\W*(?:(?:oh|ah|well|hm+)[\s,.!]+)*i\s+asked\s+for\s`) // without a word that corrects
)

// Nouns end in these syllables before 이 and 가: 길이, 휴가.
const nounI, nounGa = "길높깊넓놀먹벌풀린맏걸", "휴허추여대주고저유시화부재처외"

// does reports whether a Korean name is the subject of what follows it: "팀장님이 말한", not "휴가 말한".
func does(name string) bool {
	for particle, nouns := range map[string]string{"이": nounI, "가": nounGa} {
		before, ok := strings.CutSuffix(name, particle)
		last, _ := utf8.DecodeLastRuneInString(before)
		closed := last >= '가' && last <= '힣' && (last-'가')%28 > 0
		if ok && last >= '가' && last <= '힣' && closed == (particle == "이") && !strings.ContainsRune(nouns, last) {
			return true
		}
	}
	return false
}

// Asked reads a sentence with which somebody says which thing an earlier question of theirs was about: the deposit, not the
// rent, after "보증금 말고 계약금 물어본 거야"; for part-timers after "no, I meant for part-timers". not is "" if it is not said.
func Asked(sentence string) (not, about string, ok bool) {
	s := fit.OneLine(sentence)
	if len([]rune(s)) > maxRead {
		return "", "", false
	}
	if m := askedKo.FindStringSubmatch(s); m != nil {
		return m[2], m[3], (m[4]+m[5] == "" || m[1]+m[2] != "") && !toldKo.MatchString(m[3]) && !does(m[3])
	}
	m := askedEn.FindStringSubmatch(s)
	if m == nil {
		return "", "", false
	}
	about, not = strings.TrimSpace(m[1]), strings.TrimSpace(m[2])
	said := toldEn.MatchString(about) || verbEn.MatchString(about) && !relative.MatchString(about)
	return not, about, !said && (not != "" || !pointing.MatchString(about) && !askedFor.MatchString(s))
}

// article matches what an English name has before it, pointing what names nothing, koreanEnd what follows a Korean name in its
// word.
var (
	article   = pattern.New(`(?i)^(?:the|an?|my|our)\s+`)
	pointing  = pattern.New(`(?i)^(?:그거|그건|그것|이거|이건|저거|that|this|(?-i:it))(?:\s+one)?$`)
	koreanEnd = pattern.New(`^(?:에서는|에서도|에서|에게|에는|에|은|는|이|가|을|를|의|도|만|들|랑|과|와|으로|로|요|까지|부터)?(?:[^\p{L}\d]|$)`)
)

// Whole returns the question that a sentence corrects, of those before it, newest first, with what was meant in place of what was
// not; where none has that, what was meant alone. Earlier corrections are no questions.
func Whole(sentence string, before []string) (question string, ok bool) {
	not, about, ok := Asked(sentence)
	if !ok {
		return "", false
	}
	not = article.ReplaceAllString(not, "")
	if pointing.MatchString(not) {
		not = ""
	}
	newest, corrected := "", false
	for _, b := range before {
		b = strings.TrimRight(fit.OneLine(b), " ?？.!~")
		i, n := find(b, not)
		switch _, _, again := Asked(b); {
		case again:
			corrected = corrected || n > 0
			continue
		case n > 0:
			return strings.TrimSpace(b[:i] + article.ReplaceAllString(about, "") + b[i+n:]), true
		case newest == "":
			newest = b
		}
	}
	if newest == "" {
		return "", false
	}
	if not != "" && !corrected {
		return about, true
	}
	return newest + " " + about, true
}

// find returns where a text has a name as words of its own, in bytes, and how long it is there with its Korean particle; 0 if it
// has not.
func find(text, name string) (at, length int) {
	for at < len(text) && name != "" {
		i := strings.Index(text[at:], name)
		if i < 0 {
			break
		}
		at += i
		last, _ := utf8.DecodeLastRuneInString(text[:at])
		if rest := text[at+len(name):]; !letter(last) && koreanEnd.MatchString(rest) {
			particle := strings.TrimRightFunc(koreanEnd.FindString(rest), func(r rune) bool { return !letter(r) })
			return at, len(name) + len(particle)
		}
		at += len(name)
	}
	return 0, 0
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
