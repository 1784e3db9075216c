package intent

import "maru/phrase/pattern"

// team matches how people speak of their own company or team, not of people in general.
var team = pattern.New(`(?i)(?:우리|저희)\s*(?:회사|팀|부서|사무실)|당사|사내|회사(?:는|에서|에는|의|가)|\bwe\s+(?:have|offer|provide|give|get|pay|require|allow)\b|\b(?:our|your|the)\s+(?:company|employer|team|office|workplace)\b|\bat\s+work\b`)

// unknowing matches words of somebody who does not know.
var unknowing = pattern.New(`(?i)모르|알지\s*못|알\s*수\s*없|\b(?:do|does|can)\s*(?:not|n['’]t)\s+(?:know|say|tell)\b|\bnot\s+(?:sure|aware)\b`)

// Unknowing reports whether a sentence says that its speaker does not know.
func Unknowing(sentence string) bool { return unknowing.MatchString(sentence) }

// OfTeam reports whether a text speaks of the team or company of the one who says it.
func OfTeam(text string) bool { return team.MatchString(text) }
