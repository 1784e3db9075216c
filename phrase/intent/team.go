package intent

import "maru/phrase/pattern"

// team matches how people speak of their own company or team, not of people in general.
var team = pattern.New(`(?i)(?:우리|저희)\s*(?:회사|팀|부서|사무실)|당사|사내|회사(?:는|에서|에는|의|가)|\bwe\s+(?:have|offer|provide|give|get|pay|require|allow)\b|\b(?:our|your|the)\s+(?:company|employer|team|office|workplace)\b|\bat\s+work\b`)

// unknowing matches words of somebody who does not know.
var unknowing = pattern.New(`(?i)모르|알지\s*못|알\s*수\s*없|\b(?:do|does|can)\s*(?:not|n['’]t)\s+(?:know|say|tell|have\s+(?:(?:any|enough|that|this|the|access|specific)\b.{0,30})?(?:information|context|details|data|access)|find)\b|\bnot\s+(?:sure|aware)\b`)

// Unknowing reports whether a sentence says that its speaker does not know.
func Unknowing(sentence string) bool { return unknowing.MatchString(sentence) }

// OfTeam reports whether a text speaks of the team or company of the one who says it.
func OfTeam(text string) bool { return team.MatchString(text) }

// Parts of questions for what the asker's workplace has, grants or wants done: 헬스장 있어?, where do I apply? Each needs a verb
// and a noun of workplaces; a place or a product that is named makes it a question about that one.
var (
	offerKo = pattern.New(`(?:있(?:어|나|니|습니까|을까)|지원(?:되|돼|해\s?주|받)|나오(?:나|니)|나와|나옴)\p{Hangul}*\s*[?？]*$|(?:어디(?:에다|다|에서|에|서|로)?|어떻게|누구(?:한테|에게))\s*(?:신청|제출|청구|예약|신고|반납|내[나야지면]|내\s*[?？]|받[나아을])`)
	workKo  = pattern.New(`연차|반차|휴가|휴직|병가|경조|경비|출장|법인\s?카드|복지|복리\s?후생|식대|식비|교통비|택시비|교육비|통신비|야근|초과\s?근무|수당|월급|급여|상여|보너스|성과급|퇴직금|연봉|명함|사원증|출입증|출입\s?카드|노트북|모니터|장비|비품|회의실|구내식당|헬스장|휴게실|수면실|탕비실|주차|셔틀|통근\s?버스|건강\s?검진|스톡\s?옵션|재택|유연\s?근무|워크숍|타운홀|동호회|품의|결재|증명서|영수증|정산|지출|어린이집|기숙사|자기\s?계발비`)
	atWork  = pattern.New(`(?i)(?:어디|회사|사무실|사내|본사|건물|지하|여기|팀|부서|\d층)(?:에서|에다|에)(?:는|도)?|\b(?:in|on|from|with|via|of|at|to|by)\s+(?:(?:our|my|hr|finance|work|advance)\b|the\s+(?:company|office|team|intranet|firm)\b)`)
	atName  = pattern.New(`(?i)\p{Hangul}{2,}(?:에서|에)(?:는|도)?\s|[\w.+#]+(?:에서|에)(?:는|도)?\s|\b(?:in|on|from|with|using|via|of|at|to|by)\s+\S`)
	doWe    = pattern.New(`(?i)^(?:\S+[,.!]\s+)?(?:do|does|did)\s+we\b|\b(?:do|does|did)\s+(?:our\s+(?:company|team|office)\b|we\s+(?:have|get|offer|provide|pay|allow|observe|accrue|receive)\b)|\bwho(?:['’]s|\s+(?:is|are))\s+our\b`)
	offerEn = pattern.New(`(?i)\b(?:how|where|when)\s+(?:do|can|should|must)\s+(?:i|we)\s+(?:(?:apply|request|claim|book|sign\s+up|enroll?|register|submit|file|order|return|hand\s+in|get\s+paid)(?:\s+(?:for\s+)?(?:it|this|that|one))?\s*[?.!]*$|` +
		`(?:apply|request|claim|book|sign\s+up|enroll?|register|submit|file|order|return|hand\s+in)\b[^?!]*\b(?:leave|vacation|holidays?|time\s+off|pto|days?\s+off|expenses?|expense\s+reports?|reimbursements?|receipts?|timesheets?|(?:meeting\s+)?rooms?|desks?|laptops?|badges?|business\s+cards?|benefits?|insurance|parking|training|equipment|monitors?|pension|overtime|allowances?|business\s+trips?|sick\s+notes?)\b\s*[?.!]*$)|` +
		`\b(?:who(?:['’]s|\s+is)?|whose|when|where|how|does|did|is)\s+(?:\w+\s+)?the\s+(?:ceo|cto|cfo|boss)\b|\bwhat\s+\w+\s+(?:does|did|is)\s+the\s+(?:ceo|cto|cfo|boss)\b`)
	knownWe = pattern.New(`(?i)^(?:\S+[,.!]\s+)?(?:do|did)\s+we\s+(?:know|think|understand|see|feel|dream|say|call|live|descend|evolve|breathe)\b|\bbetween\b`)
)

// AsksOffer reports whether a question asks for what its asker's workplace has, grants or wants done.
func AsksOffer(question string) bool {
	bare := atWork.ReplaceAllString(question, "")
	if knownWe.MatchString(question) || atName.MatchString(bare) {
		return false
	}
	return doWe.MatchString(question) || offerEn.MatchString(bare) || offerKo.MatchString(question) && (workKo.MatchString(question) || team.MatchString(question))
}
