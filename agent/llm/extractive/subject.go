package extractive

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// wanted is a word of a question: its stem, and how much of what is asked it
// can carry.
type wanted struct {
	stem   string
	weight float64
	unit   string  // of a number, how what it counts begins: the 1 of 1인당 is not that of 1만 원
	same   []other // see [sayOtherwise]
}

// faint is the weight of predicates beside nouns: "가능해" and "go" say little
// about the subject, and documents seldom answer in the verbs of a question.
const faint = 0.25

// subject returns the stems of [content] with their weights.
func subject(q string) []wanted {
	light := predicates(words(q))
	if sumOf.MatchString(q) { // what is paid for is asked about, not that it is paid
		light["pay"] = true
	}
	if m := moneyFor.FindStringSubmatch(q); m != nil { // what the money is for is asked about
		light[stem(strings.ToLower(m[1]))] = true
	}
	if d := deedOf(q); d != nil && factKo.MatchString(q) {
		light[d.word] = true // "어디서 사?": a verb that its ending does not tell
	}
	var out []wanted
	firm, doing, units := false, doings(q), unitsOf(q)
	for _, s := range content(q) {
		w := wanted{stem: s, weight: 1, unit: units[s]}
		switch {
		case light[s] && doing[s]:
			w.weight = told
		case light[s]:
			w.weight = faint
		}
		firm = firm || !light[s]
		out = append(out, w)
	}
	if !firm { // "쉬나요?": there is nothing else to go by
		only := !slices.ContainsFunc(out, func(w wanted) bool { return !mannered[w.stem] })
		for i := range out {
			if only || !mannered[out[i].stem] {
				out[i].weight = 1
			}
		}
	}
	return out
}

// numberUnit is a number with what it counts: a Korean syllable, or an English unit.
var numberUnit = expression(`(?i)(\d+)(?:(\p{Hangul})|\s+(year|month|week|day|hour|minute))`)

// unitsOf are the units of a question's numbers.
func unitsOf(q string) map[string]string {
	out := map[string]string{}
	for _, m := range numberUnit.FindAllStringSubmatch(q, -1) {
		out[m[1]] = strings.ToLower(m[2] + m[3])
	}
	return out
}

// sumOf asks how much something costs.
var sumOf = expression(`(?i)\b(?:how\s+much|what)\s+(?:do|does|did|will|would|must|should|can)\s+\w+\s+(?:\w+\s+)?pay\b`)

// told is the weight of a predicate that a noun makes: "연장돼" says what it is about, as "쉬나요" does not.
const told = 0.5

// doings returns the stems of such predicates.
func doings(q string) map[string]bool {
	out := map[string]bool{}
	all := words(q)
	for i, w := range all {
		if i+1 < len(all) && ways[all[i+1]] || i+1 < len(all) && all[i+1] == "수" {
			continue // "퇴근할 수 있어?"
		}
		if m := withDo.FindStringSubmatch(w); m != nil && !lightRoots[m[1]] && !empty[m[1]] && !aspects[m[1]] {
			out[stem(w)] = true
		}
	}
	return out
}

// predicates returns the stems of a question's words that are verbs: English
// ones that go with anything, and Korean ones by their ending, by standing
// last, or by standing before "수" or "때".
func predicates(all []string) map[string]bool {
	light := map[string]bool{}
	last := ""
	for i, w := range all {
		if !isSyllable(w) {
			light[stem(w)] = light[stem(w)] || weak[w] || aspects[stem(w)]
			continue
		}
		last = w
		if closes(w) || aspects[stem(w)] || manners[w] {
			light[stem(w)] = true
		}
		if i > 0 && (w == "수" || w == "때" || w == "데" || ways[w]) && opensClause(all[i-1]) || i > 0 && obliged.MatchString(all[i-1]+" "+w) {
			light[stem(all[i-1])] = true
		}
	}
	if r, _ := utf8.DecodeLastRuneInString(last); last != "" && strings.ContainsRune(lastSyllables, r) {
		light[stem(last)] = true
	}
	return light
}

// obliged is a verb of which it is asked whether it must be done: 써야 해, 내야 하나요.
var obliged = expression(`^\p{Hangul}+야 (?:하|해|할|합|한|되|돼|될|됩|된)`)

// weak are English verbs that go with any subject.
var weak = set(`go goes going went take takes taking took make makes made making use used using happen happens happened
come comes came put give gives given big good back require requires required need needed last lasts lasting`)

// aspects are nouns that say which side of the subject is asked about. Answers
// give the figure and leave the word out.
var aspects = set(`기간 기한 금액 시기 시점 날짜 방법 이유 위치 장소 여부 price cost amount deadline period duration way place reason
규정 규칙 정책 제도 방침 절차 안내 내용 정보 기준 조건 조항 조문 항목 clause article section paragraph policy rule rules procedure guideline process info information details term terms condition conditions`)

// manners are how something is done, which documents say in another way or not at all.
var manners = set(`자동 자동으로 자동적으로 저절로 알아서 마음대로 맘대로 함부로 임의로 그냥 바로 당장 중간에 도중에 여기서 여기에 거기서 여기 거기 미리 혹시 안 못 어느 반대로 거꾸로`)

// mannered are their stems.
var mannered = func() map[string]bool {
	m := map[string]bool{}
	for w := range manners {
		m[stem(w)] = true
	}
	return m
}()

// lastSyllables end a Korean sentence: 들어와, 쉬어, 잃어버렸어, 필요해.
const lastSyllables = "다요까니냐지어아해와줘돼나죠래워봐여려져서네써내러"

// verbTails close a Korean clause: "…면", "…려고", "…는데". What is left of a noun with 하다 is
// its stem, so the ending tells only of words that keep it.
var verbTails = strings.Fields(`려면 려고 나요 까요 을까 는지 는데 어요 아요 세요 니까 습니다 어야 아야 면서 거든요 네요 군요 으면 다면 냐 죠`)

// surfaces are nouns that end as conditions do.
var surfaces = set(`서면 화면 측면 표면 장면 도면 지면 정면 전면 후면 이면 반면 당면 라면 냉면 방면 국면 대면 면면 수면 가면 평면 단면 외면 내면 액면 비대면`)

func closes(w string) bool {
	if stem(w) != w {
		return false
	}
	if strings.HasSuffix(w, "면") && len(w) > len("면") && !surfaces[w] {
		return true
	}
	for _, t := range verbTails {
		if len(w) > len(t) && strings.HasSuffix(w, t) {
			return true
		}
	}
	return false
}

// opensClause reports whether a word can stand before 수 and 때 as a verb: 쓸, 되는.
func opensClause(w string) bool {
	r, _ := utf8.DecodeLastRuneInString(w)
	return r == '는' || r >= 0xAC00 && r <= 0xD7A3 && (r-0xAC00)%28 == 8
}

func isSyllable(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return r >= 0xAC00 && r <= 0xD7A3
}

// held says from 0 to 1 how much of a question's word stands among stems. A
// Korean compound is held in parts, however it is spaced: 출산휴가 by 출산 and
// 휴가, 주차비 mostly by 주차.
func held(q string, stems []string) float64 {
	if has(stems, q) {
		return 1
	}
	rs := []rune(q)
	if len(rs) < 3 || len(rs) > maxCompound || !isSyllable(q) {
		return 0
	}
	best := make([]int, len(rs)+1) // syllables covered from here on
	for at := len(rs) - 1; at >= 0; at-- {
		best[at] = best[at+1]
		for end := at + 2; end <= len(rs); end++ {
			if n := end - at + best[end]; n > best[at] && bounds(stems, string(rs[at:end])) {
				best[at] = n
			}
		}
	}
	if len(rs) == 3 && strings.ContainsRune(behindNoun, rs[2]) && !bounds(stems, string(rs[:2])) {
		return 0 // 장비 is no part of 출장비
	}
	switch share := float64(best[0]) / float64(len(rs)); {
	case share == 1:
		return 1
	case share >= 0.5:
		return 0.85 * share
	default:
		return 0
	}
}

// behindNoun are syllables that make a noun of the two before them: 출장비, 통신료, 축의금, 회의실.
const behindNoun = "비료값금실증권석률"

const maxCompound = 12 // syllables; a longer word is a sentence without spaces

// bounds reports whether a word begins or ends with part.
func bounds(stems []string, part string) bool {
	for _, s := range stems {
		if strings.HasPrefix(s, part) || strings.HasSuffix(s, part) {
			return true
		}
	}
	return false
}
