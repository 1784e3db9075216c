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

// offerKo and offerEn match questions for what the asker's workplace has, grants or wants done: 헬스장 있어?, where do I apply?
var (
	offerKo = pattern.New(`(?:^|\s)(?:\p{Hangul}+\s+){0,2}\p{Hangul}+\s?(?:있(?:어|나|니|습니까|을까)|지원(?:되|돼|해\s?주|받)|나오(?:나|니)|나와|나옴)\p{Hangul}*\s*[?？]*$|(?:어디(?:에다|다|에서|에|서|로)?|어떻게|누구(?:한테|에게))\s*(?:신청|제출|청구|예약|신고|반납|내[나야지면]|내\s*[?？]|받[나아을])`)
	offerEn = pattern.New(`(?i)\b(?:do|does|did) (?:we|our (?:company|team|office))\b|\b(?:how|where|when) (?:do|can|should|must) (?:i|we) (?:apply|request|claim|book|sign up|enroll?|register|submit|file|order|return|hand in|get paid)\b|\bwho (?:is|are) (?:our|the (?:ceo|cto|cfo|boss))\b|\bthe (?:ceo|cto|cfo)\b`)
)

// AsksOffer reports whether a question asks for what its asker's workplace has, grants or wants done.
func AsksOffer(question string) bool {
	return offerKo.MatchString(question) || offerEn.MatchString(question)
}
