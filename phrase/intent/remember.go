package intent

import (
	"strings"

	"maru/phrase/pattern"
)

// The fact to remember follows the request in English and precedes it in Korean, sometimes
// follows it there too ("기억해 줘: 회의는 3시").
var (
	rememberEn = pattern.New(`(?i)^(?:please\s+|can\s+you\s+)?(?:remember|note|keep in mind|don['’]?t forget)(?:\s+that\b[:,]?\s*|[:,]\s*|\s+(?:my|our|the|i|we|i['’]m|he|she|they|it|this|a|an)\b)`)
	leadingEn  = pattern.New(`(?i)^(?:please\s+|can\s+you\s+)?(?:remember|note|keep in mind|don['’]?t forget)(?:\s+that\b)?[:,]?\s*`)
	rememberKo = pattern.New(`^(.{2,400}?)(?:(이라|라|다)고|(?:다)?는\s(?:것을|것|걸|거))?[,.]?\s*(?:(?:꼭|좀|잘)\s*)?(?:기억\s?해|외워|잊지\s?마)\s*(?:줘|줘요|주세요|주라|줄래|둬|둬요|두세요|라|요)?[.!~ ]*$`)
	leadingKo  = pattern.New(`^(?:기억\s?해|외워|잊지\s?마)\s*(?:줘|줘요|주세요|주라|둬|둬요|두세요)?\s*[:,.]\s*(.{2,400})$`)
)

// Remember returns the fact that a sentence asks to remember, as a sentence of its own: "내
// 부서는 인사팀이라고 기억해 줘" yields 내 부서는 인사팀이야. Questions whether something is remembered do not
// match.
func Remember(text string) (body string, ok bool) {
	text = strings.TrimSpace(text)
	if marked(text) {
		return "", false
	}
	if rememberEn.MatchString(text) {
		body = strings.TrimSpace(text[len(leadingEn.FindString(text)):])
		return body, body != ""
	}
	if m := leadingKo.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1]), true
	}
	m := rememberKo.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return stated(m[1], m[2], text), true
}

// stated converts a quoted clause to a statement: 선호한다고 to 선호한다, 인사팀이라고 to 인사팀이야.
func stated(body, quoted, text string) string {
	switch rest := strings.TrimPrefix(text, body); {
	case quoted == "라" && strings.HasSuffix(body, "달"): // 답해 달라고
		return body + "라"
	case quoted != "":
		return body + strings.Replace(quoted, "라", "야", 1)
	case strings.HasPrefix(rest, "는 ") || strings.HasPrefix(rest, "다는 "):
		return body + "다"
	}
	return strings.TrimSpace(strings.TrimRight(body, ",."))
}
