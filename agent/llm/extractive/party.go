package extractive

// party.go tells the duties of one from those of another: who asks what happens when the
// supplier is late is not answered by what the buyer owes who pays late.

var (
	// partyKo is who does something in a condition: "공급사가 물품을 늦게 넘기면".
	partyKo = expression(`(갑|을|병|\p{Hangul}+?(?:자|사|인|측|점|원|팀|회사|고객|법인))(?:이|가)\s(?:[^,.?!]*?[\s\p{Hangul}])?\p{Hangul}*면(?:[\s,?.]|$)`)
	partyEn = expression(`(?i)\b(?:(?:if|when|where|unless|should)\s+(?:the|an?|any|either|my|our|your)\s+(` + parties + `)\b|(?:the|an?|any)\s+(` + parties + `)\s+(?:who|that|which)\b)`)
	// thingsLikeKo end as parties do, and are none.
	thingsLikeKo = set(`이자 공사 행사 검사 심사 투자 의자 숫자 글자 문자 상자 과자 기사 역사 의사 부사 병원 자원 지원 공원 확인 승인 원인 할인 시점 장점 단점 관점 회원권`)
)

// asksParties asks between whom a contract is; introduces tells of who is called how in it.
var (
	asksParties = expression(`(?i)당사자(?:는|가|들\p{Hangul}?|이)?\s*(?:누구|어디|알려|뭐|이름)|누구(?:와|랑|하고)\s*누구|누구누구|(?:^|\s)[갑을](?:은|이)\s*누구|` +
		`\bwho\b.{0,30}\bpart(?:y|ies)\b|\bparties\s+(?:to|of|in)\b|\bbetween\s+(?:whom|which)\b|\bwho\s+signed\b`)
	introduces = expression(`이하\s*(?:["“'‘「]|[갑을])|\(\s*(?i:hereinafter\s+|hereafter\s+|referred\s+to\s+as\s+)*["“'‘](?i:the\s+)?[A-Z]`)
)

// contracting are the sentences that introduce the parties of a contract, if a question asks for them.
func (a *ask) contracting() []candidate {
	if !asksParties.MatchString(a.question) {
		return nil
	}
	var out []candidate
	for _, c := range a.candidates() {
		if introduces.MatchString(c.text) && len(out) < maxQuotes && !repeats(out, c) {
			out = append(out, c)
		}
	}
	return out
}

const parties = `buyer|seller|supplier|vendor|customer|client|contractor|subcontractor|consultant|provider|landlord|tenant|lessor|lessee|employer|employee|licensor|licensee|owner|borrower|lender|insurer|bank|carrier|company|party|agency|guarantor|partner`

// partiesIn returns the stems of who does something in the conditions of a text.
func partiesIn(text string) []string {
	var out []string
	for _, m := range partyKo.FindAllStringSubmatch(text, -1) {
		if !thingsLikeKo[m[1]] {
			out = append(out, stem(m[1]))
		}
	}
	for _, m := range partyEn.FindAllStringSubmatch(text, -1) {
		out = append(out, stems(m[1]+m[2])...)
	}
	return out
}

// otherParty returns what tells of a sentence whether its condition is about another party
// than the question's.
func otherParty(question string) func(text string) bool {
	asked := partiesIn(question)
	if len(asked) == 0 {
		return func(string) bool { return false }
	}
	named := stems(question)
	return func(text string) bool {
		theirs := partiesIn(text)
		for _, p := range theirs {
			if has(named, p) {
				return false
			}
		}
		return len(theirs) > 0
	}
}
