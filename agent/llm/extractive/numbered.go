package extractive

import (
	"slices"
	"strings"
)

// numbered.go: a number can be a name. Who asks for INV-2026-0016, room 303 or the sales of 2025 is not
// answered with INV-2026-0001, room 301 or 2023, however well all the other words fit.

// ordinal is a number that names something: of what, and which.
type ordinal struct{ of, is string }

var (
	// coded are codes: letters, then digits, with whatever joins them.
	coded = expression(`(?i)(?:^|[^a-z0-9])([a-z]+)[-_./#]?((?:[a-z]{0,3}\d+[-_./]?)+[a-z]?)(?:[^a-z0-9]|$)`)
	// yeared are years, however written.
	yeared = expression(`(?:^|[^\d.,])((?:19|20)\d\d)(?:\s*년도?|\s*(?:[-~–./]|$|[?!),]|\s[^\d년]))`)
	// inRowKo are things in a row, which are told from each other by their number.
	inRowKo = expression(`(?:^|[^\d.,~–-])(\d{1,5})\s?(호실|호기|호선|호차|회차|차|호|층|기|분기|단계|동|급|번지)(?:은|는|이|가|을|를|의|에|에는|에서|로|으로|도|와|과|만|랑|야|예요|부터|까지)?(?:[^\p{Hangul}]|$)`)
	// monthlyKo is what each month has one of: 7월 회의, 5월 매출.
	monthlyKo = expression(`(?:^|[^\d])(\d{1,2})월(?:의|분)?\s?(\p{Hangul}{2,})`)
	// namedKo and namedEn are a thing and its number: 사번 10045, version 2.5, employee: 10023.
	namedKo = expression(`(\p{Hangul}{2,})\s?[:#]?\s?(\d+(?:\.\d+)*)(?:은|는|이|가|을|를|의|에|에는|에서|로|으로|도|와|과|만|랑|야|예요)?(?:[^\p{Hangul}\d%.,~–-]|[.,]\D|[.,]?$)`)
	namedEn = expression(`(?i)\b([a-z]{3,})\s?(?:[:#]|no\.?|number)?\s?(\d+(?:\.\d+)*)(?:[^\d%.,a-z–-]|[.,]\D|[.,]?$)`)
	rankEn  = expression(`(?i)\b(\d{1,3})(?:st|nd|rd|th)\s+([a-z]{3,})\b`)

	// spanAhead and spanBehind make a number the end of a span, in which others may lie.
	spanAhead  = expression(`(?i)(?:[~–]|\b(?:from|to|since|after|before|until|till|through|by|between|than|above|below|over|under))\s*$`)
	spanBehind = expression(`(?i)^\s*(?:년|년도|호|층|차|기|급)?\s*(?:[~–-]\s*\d|부터|까지|이상|이하|이후|이전|초과|미만|~|(?:to|through|onwards?|and (?:above|up|later|earlier|below)|or (?:more|less|later|earlier|higher|lower|above|below))\b)`)
)

// noName are words before a number that say how much or when, or that stand for a part of a document, which
// is looked up by its number.
var noName = set(`from to since after before until till through by between than above below over under within about around only just each every
first last next past per most least plus minus times and but the are was were has have had get gets got take takes took for with can may
january february march april june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
section article clause annex appendix schedule exhibit chapter paragraph part page item won usd krw eur
최대 최소 최고 최저 하루 매달 매월 매년 매주 오전 오후 오늘 내일 약간 대략 이후 이전 별표 별첨 부칙 조항 페이지 이상 이하 까지 부터 각각 평균 총액 합계 금액`)

// inMonthKo are words behind a month that say when in it.
var inMonthKo = set(`초순 중순 하순 초에 말에 중에 동안 내내 첫째 둘째 셋째 넷째 마지막 현재 기준 하루 한달`)

// monthly begins the kind of what each month has one of.
const monthly = "month "

// same reports whether two kinds are the same: a 운영회의 is a 회의.
func same(found, asked string) bool {
	word, ok := strings.CutPrefix(asked, monthly)
	return found == asked || ok && strings.HasPrefix(found, monthly) && strings.Contains(found, stem(word))
}

// numbersIn returns the numbers of a text that name something; open are the kinds of which it has a span.
func numbersIn(text string) (found []ordinal, open map[string]bool) {
	open = map[string]bool{}
	add := func(re *pattern, of func(m []string) (kind, is string)) {
		for _, at := range re.compiled().FindAllStringSubmatchIndex(text, -1) {
			m, first, last := make([]string, len(at)/2), len(text), 0
			for i := range m {
				if at[2*i] >= 0 {
					m[i] = text[at[2*i]:at[2*i+1]]
				}
				if i > 0 && at[2*i] >= 0 {
					first, last = min(first, at[2*i]), max(last, at[2*i+1])
				}
			}
			kind, is := of(m)
			if kind == "" {
				continue
			}
			if spanAhead.MatchString(text[:first]) || spanBehind.MatchString(text[last:]) {
				open[kind] = true
			}
			found = append(found, ordinal{kind, is})
		}
	}
	add(coded, func(m []string) (string, string) {
		return "code " + strings.ToLower(m[1]), squash(m[2])
	})
	add(yeared, func(m []string) (string, string) { return "year", m[1] })
	add(monthlyKo, func(m []string) (string, string) {
		if w := stem(m[2]); !noName[w] && !empty[w] && !hollow(m[2]) && !inMonthKo[w] {
			return monthly + m[2], m[1]
		}
		return "", ""
	})
	add(inRowKo, func(m []string) (string, string) { return m[2], m[1] })
	word := func(m []string) (string, string) {
		w := stem(strings.ToLower(m[1]))
		if noName[w] || noName[strings.ToLower(m[1])] || empty[w] || hollow(w) {
			return "", ""
		}
		return "of " + w, m[2]
	}
	add(namedKo, word)
	add(namedEn, word)
	add(rankEn, func(m []string) (string, string) { return word([]string{"", m[2], m[1]}) })
	return found, open
}

// otherNumber returns what tells of a sentence under its headings that it is about another one of the things
// that the question names by their numbers: it has a number of that kind and not the one that is asked for.
func (a *ask) otherNumber(question string) func(c candidate) bool {
	asked, _ := numbersIn(question)
	if before, _ := numbersIn(a.leant); a.leant != "" {
		for _, b := range before { // "and in 2025?" asks for another year
			if !slices.ContainsFunc(asked, func(n ordinal) bool { return same(n.of, b.of) }) {
				asked = append(asked, b)
			}
		}
	}
	if len(asked) == 0 {
		return func(candidate) bool { return false }
	}
	return func(c candidate) bool {
		found, open := numbersIn(c.text)
		above, wide := numbersIn(c.above)
		found = append(found, above...)
		for _, n := range asked {
			other, holds := false, false
			for _, f := range found {
				if same(f.of, n.of) {
					other = true
					holds = holds || slices.ContainsFunc(asked, func(a ordinal) bool { return same(f.of, a.of) && f.is == a.is })
				}
			}
			if other && !holds && !open[n.of] && !wide[n.of] {
				return true
			}
		}
		return false
	}
}
