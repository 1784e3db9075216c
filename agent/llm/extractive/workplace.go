package extractive

import (
	"maru/agent/llm"
	"maru/rag/lexicon"
)

// workplace.go answers where somebody works: "어디로 출근해요?" A contract says it as the place of work, in
// none of the question's words.

var (
	workWhereKo = expression(`어디\p{Hangul}*\s*(?:\p{Hangul}+\s+)?(?:출근|일하|일해|일할|일합|근무하|근무해|근무할|나가서\s*일)|(?:출근|일하는|일할|근무하는|근무할)\s*(?:곳|데|장소)|일터|직장이?\s*어디`)
	workWhereEn = expression(`(?i)\bwhere\b.*\b(?:works?|working|based|report(?:ing)?\s+to\s+work)\b|\bwhich\s+(?:office|site|location)\b.*\bwork`)
	// worksAt are the words of such a question that the place stands for.
	worksAt = set(`출근 출근하 출근해 일 일하 일해 일할 일합 일터 직장 근무 근무하 근무해 근무할 work works working based report`)
)

// workplaces are how documents call it.
var workplaces = []other{
	{[]string{"근무", "장소"}, lexicon.SameMatch}, {[]string{"근무지"}, lexicon.SameMatch},
	{[]string{"place", "work"}, lexicon.SameMatch}, {[]string{"workplace"}, lexicon.SameMatch},
}

const (
	workSearchKo = "근무 장소 근무지"
	workSearchEn = "place of work workplace"
)

func asksWorkplace(question string) bool {
	return workWhereKo.MatchString(question) || workWhereEn.MatchString(question)
}

// workToo lets the place of work stand for the work.
func workToo(question string, want []wanted) {
	if !asksWorkplace(question) {
		return
	}
	for i, w := range want {
		if worksAt[w.stem] {
			want[i].same = append(want[i].same, workplaces...)
		}
	}
}

// workplaceToo is a second search where the place of work is asked for.
func (a *ask) workplaceToo(w wish) []llm.ToolCall {
	if w.kind != wantsDocuments || !asksWorkplace(a.question) {
		return nil
	}
	return a.searchToo(w, workSearchKo, workSearchEn)
}
