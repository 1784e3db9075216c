package tool

import (
	"strings"
	"sync"

	"maru/rag"
)

// requestWeight is the weight of a request word ("provides", "new") relative to a word of the
// subject. Fitted with the other constants, see README.md.
const requestWeight = 0.5

// requestWords are words in which people ask for anything at all, beyond those
// that package rag leaves out of every question.
const requestWords = `find finding look looking help helping assist assistance provide providing give recommend
recommendation suggest suggestion specific particular certain detail detailed information current latest recent new
available various different relevant related regarding comprehensive interested interest need like use using used include
including option way able possible best good great top popular most more some offer quickly easily create make
추천 추천해 제안 제안해 도움 필요 필요해 정보 최신 최근 새로운 다양한 자세한 구체적인 관련된 좋은 인기 가장 만들어 만들기 이용해 사용해 원해`

// asksOnly are the terms of the words of requests.
var asksOnly = sync.OnceValue(func() map[string]bool {
	terms := map[string]bool{}
	var a rag.Analyzer
	for w := range strings.FieldsSeq(requestWords) {
		for _, word := range a.Query(w) {
			if len(word.Terms) > 0 {
				terms[word.Terms[0]] = true
			}
		}
	}
	return terms
})
