package rag

import (
	"regexp"
	"strings"
)

var (
	// chattyEnd is how people write the polite 요 in chats: 있나여, 이에용, 인가염. Nouns
	// end so, too (급여, 내용), but not behind these syllables.
	chattyEnd = regexp.MustCompile(`((?:에|예|해|가|나|까|세|어|아|줘)여|(?:에|예|해|나|까|세|인가)용|(?:에|예|까|인가)염)(\P{L}|$)`)
	// misspelt is how many write 며칠, and 이에요 behind a consonant.
	misspelt = strings.NewReplacer("몇일", "며칠", "이예요", "이에요")
)

// Unchatty gives a question's Korean the spelling that word lists know: 몇일이에여
// becomes 며칠이에요. It is for questions; documents are taken as they are.
func Unchatty(question string) string {
	if !strings.ContainsAny(question, "여용염") {
		return misspelt.Replace(question)
	}
	question = chattyEnd.ReplaceAllStringFunc(question, func(end string) string {
		last := strings.LastIndexAny(end, "여용염")
		return end[:last] + "요" + end[last+len("여"):]
	})
	return misspelt.Replace(question)
}
