package contract

import (
	"strings"

	"maru/phrase/pattern"
	"maru/rag/article"
)

var (
	numberOnly = pattern.New(`(?i)제?\s*\d+\s*조(?:의\s*\d+)?|제?\s*\d+\s*[항호]|\b(?:articles?|sections?|clauses?|paragraphs?)\s*\(?\d+[\d.()-]*|부칙|(?:별표|별지|붙임)\s*\d*호?|\b(?:annex|appendix|schedule|exhibit)\s+(?:\d+|[a-z]\b|[ivx]+\b)`)
	// plainAsk matches the filler words of a question about the text of articles.
	plainAsk = pattern.New(`(?i)^(?:\d+|[은는이가을를의와과도랑]|의[은는이가을를]|두|각각?|비교\S*|차이\S*|달라\S*|다른|다르\S*|에|에서|에는|부터|까지|내지|그|그럼|그러면|그리고|이|우리|내|좀|다시|아까|방금|말한|조항\S*|계약서?\S*|내용\S*|전문\S*|알려\S*|보여\S*|읽어\S*|말해\S*|설명\S*|요약\S*|정리\S*|뭐\S*|뭔\S*|무엇\S*|무슨|어떤|어떻게|돼\S*|되\S*|있\S*|하\S*|해\S*|줘\S*|주세요|what|does|do|is|are|in|of|the|a|an|and|or|to|through|about|say|says|state|states|show|read|tell|give|explain|summari[sz]e|me|us|please|again|that|this|it|how|compare|between|both|with|differ\S*|our|my|contract|agreement|can|you|text|full)$`)
)

// beyondNumber returns the part of a question that is not about numbered articles ("위반 시 어떻게 돼?")
// as a search query, or "" if the question only asks for the articles it numbers. Contract names
// are removed.
func beyondNumber(question string, contracts []Contract) string {
	_, rest := article.Named(withoutNames(question, contracts))
	for _, re := range []*pattern.Pattern{numberOnly, asksNext, asksBefore} {
		rest = re.ReplaceAllString(rest, " ")
	}
	rest = strings.Join(strings.Fields(rest), " ")
	for word := range strings.FieldsSeq(rest) {
		word = strings.Trim(word, "?.,!~'\"()[]-–·:;")
		if word != "" && !plainAsk.MatchString(word) {
			return rest
		}
	}
	return ""
}
