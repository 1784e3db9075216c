package extractive

import "strings"

// cell.go reads the row of a table by its header: the cell under "대체 주차장" says where the 대체 주차장 is,
// whatever it looks like.

var (
	askedOfKo = expression(`^(.*?)(?:은|는|이|가|을|를)?\s*(?:어디|누구|누가|언제|얼마|몇|뭐|무엇|며칠|어떻게)`)
	askedOfEn = expression(`(?i)\b(?:where|who|when|what|how\s+(?:much|long|old|big))(?:'s|\s+is|\s+are|\s+was|\s+were)\s+(?:the\s+|our\s+|my\s+)?(.+)$`)
)

// heads reports whether a row has a cell under the very header that the question asks for.
func heads(text, question string) bool {
	cells := strings.Split(text, ", ")
	if len(cells) < 2 {
		return false
	}
	asked := ""
	if m := askedOfKo.FindStringSubmatch(question); m != nil {
		asked = m[1]
	}
	of := ""
	if m := askedOfEn.FindStringSubmatch(question); m != nil {
		of = m[1]
	}
	if asked, of = squash(asked), squash(of); asked == "" && of == "" {
		return false
	}
	whole := squash(question)
	for _, c := range cells {
		head, value, ok := strings.Cut(c, ": ")
		head, value = squash(head), squash(value)
		if !ok || len([]rune(head)) < 2 || value == "" || strings.Contains(whole, value) {
			continue
		}
		if strings.HasSuffix(asked, head) || strings.HasPrefix(of, head) {
			return true
		}
	}
	return false
}
