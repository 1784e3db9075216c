package extractive

import (
	"strings"
	"unicode/utf8"
)

// doer.go tells whether a sentence says who did something: "급여는 25일에 지급합니다" says when
// and by whom it is not, and "the cores were drilled at four places" names no driller.

var (
	whoDidKo = expression(`(?:^|[\s,])누가\s|누구(?:[?]|$|야|예|인|이|였|죠|지)`)
	// markedKo are nouns as subjects, as partners or as who gets something, each with the word
	// before it: a given name may have one syllable behind a family name of more.
	markedKo = expression(`(?:(\p{Hangul}{2,})\s)?(\p{Hangul}+?)(이|가|은|는|께서|이서|와|과|에게|한테|께)(?:[\s,.]|$)`)
	// copulaKo is what somebody is: "온실장은 서재윤 박사입니다".
	copulaKo = expression(`(\p{Hangul}{2,}?)(?:입니다|이다|예요|이에요|였습니다|이었습니다|이고|이며)[.\s]*$`)
	// describes ends a word that is no part of a name.
	describes = expression(`[은는을를의에도로과와서며고이가]$`)
	objectKo  = expression(`\p{Hangul}[을를](?:\s|$)`)
	rolesKo   = expression(`팀|대표|이사|담당|관리자|매니저|직원|사원|고객|손님|회사|본인|보호자|동료|멘토|부서|[가-힣]\s?씨|[가-힣]님|[:|@#]`)
	// thingsKo are subjects that do nothing.
	thingsKo = set(`때 것 경우 기간 시간 날 수 점 중 후 전 이유 결과 내용 부분 정도 다음 이번 지금 오늘 내일 어제 하루 매일 매달 매주 매년 이상 이하 일부 전체 모두`)
	// whoEn is what somebody did: the verb behind "who".
	whoEn   = expression(`(?i)\bwho\s+(?:first\s+|really\s+)?([a-z]{3,})\b`)
	passive = expression(`(?i)\b(?:is|are|was|were|been|being|be)\s+(?:[a-z]+ly\s+|not\s+|also\s+|first\s+)?([a-z]{3,})\b`)
	byEn    = expression(`(?i)\bby\s+(?:the\s+|an?\s+|our\s+|your\s+)?[a-z]`)
)

// namesDoer reports whether a sentence of the form of a person says who it was.
func namesDoer(text, question string) bool {
	if !hangul(text) {
		return !doneByNobody(text, question)
	}
	if !whoDidKo.MatchString(question) {
		return true
	}
	asked := stems(question)
	fresh := func(noun string) bool {
		return !thingsKo[noun] && !has(asked, noun) && !has(asked, stem(noun))
	}
	for _, m := range markedKo.FindAllStringSubmatch(text, -1) {
		before, noun, mark := m[1], m[2], m[3]
		topic := mark == "은" || mark == "는" // of a thing too, unless somebody does something to it
		switch {
		case utf8.RuneCountInString(noun) == 1:
			if before != "" && (mark == "이" || mark == "가") && !describes.MatchString(before) && !opensClause(before) && !endsInN(before) && !has(asked, noun) {
				return true
			}
		case fresh(noun) && (!topic || objectKo.MatchString(text)):
			return true
		}
	}
	if m := copulaKo.FindStringSubmatch(strings.TrimSpace(text)); m != nil && fresh(m[1]) {
		return true
	}
	for _, w := range strings.Fields(text) {
		if rolesKo.MatchString(w) && !has(asked, stem(strings.Trim(w, ".,!?"))) {
			return true
		}
	}
	return false
}

// doneByNobody reports that a sentence tells what was done as done, and not by whom.
func doneByNobody(text, question string) bool {
	m := whoEn.FindStringSubmatch(question)
	if m == nil || weak[strings.ToLower(m[1])] {
		return false
	}
	for _, p := range passive.FindAllStringSubmatch(text, -1) {
		if matches(stem(strings.ToLower(m[1])), stem(strings.ToLower(p[1]))) {
			return !byEn.MatchString(text)
		}
	}
	return false
}

// roleKo is who a Korean question wants named: the 원장 of "원장은 누구야?". A sentence about
// something like it (창립 기념일 for 창립자) names nobody.
var roleKo = expression(`(\S*)(?:^|\s+)(\p{Hangul}{2,}?)(?:은|는|이|가)?\s*누구(?:[?]|$|야|예|인|이|였|죠|지)`)

// anybody are roles that answers leave out: they name who it is.
var anybody = set(`사람 분 담당자 담당 책임자 관리자 주인 그분 이분 거기`)

// wholly is how much of a role a sentence and its surroundings must hold.
const wholly = 0.8

// mustKo is the role that a question asks to be named, "" for none. One that a clause describes
// ("부른 가수는 누구야") only says what kind of person is meant.
func mustKo(question string) string {
	m := roleKo.FindStringSubmatch(question)
	if m == nil || anybody[m[2]] || empty[m[2]] || opensClause(m[1]) || endsInN(m[1]) {
		return ""
	}
	return stem(m[2])
}

// endsInN reports whether a word may be a verb that describes the next noun: 부른, 세운.
func endsInN(w string) bool {
	r, _ := utf8.DecodeLastRuneInString(w)
	return r >= 0xAC00 && r <= 0xD7A3 && (r-0xAC00)%28 == 4
}

// lacksRole reports that a text, of which these are the stems, does not have the role.
func lacksRole(around []string, want []wanted, role string) bool {
	for _, w := range want {
		if w.stem == role {
			return w.heldBy(around) < wholly
		}
	}
	return false
}
