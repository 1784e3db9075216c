package extractive

import "maru/agent/llm"

// quit.go answers who wants to end a contract before its time: "계약을 중간에 그만두고 싶으면?", "Can we get out
// early?" Contracts tell of the end in many sentences, mostly of that for the other's breach; what is asked for is
// how one ends it by one's own will.

var (
	// quits asks for it, and quitWords are all that such a question says.
	quits = expression(`(?i)(?:중간|중도|도중|미리|일찍|먼저|기간\s*(?:중|전)|만료\s*전|끝나기\s*전)\p{Hangul}*\s.*(?:그만|해지|해약|끝내|끝낼|종료|깨|깰|파기|취소|빠지|빠질|나가|나갈|접)|(?:그만두|그만둘|해지하|해약하|해지할|끝내|끝낼|파기하|관두)\p{Hangul}*\s*(?:싶|려면|려고|되나|돼|될까|있)|(?:그만두|해지하|해약하|끝내|파기하|관두)(?:려면|려고|고\s*싶)|` +
		`\b(?:quit|end|ending|terminate|terminating|cancel|leave|exit|get\s+out|back\s+out|walk\s+away|pull\s+out)\b`)
	early       = expression(`(?i)중간|중도|도중|미리|일찍|기간\s*(?:중|전)|만료\s*전|끝나기\s*전|싶|려면|려고|\b(?:early|earlier|midway|halfway|mid-term|before|want|wish|like|any\s*time|get\s+out|back\s+out|walk\s+away|pull\s+out)\b`)
	quitWordsKo = expression(`^(?:이|본|그|저희|우리|제|내|만약|만일|혹시|그럼|근데|계약|계약서|협약|약정|중간|중도|도중|미리|일찍|먼저|기간|만료|전|중|끝나기|전에|중에|` +
		`(?:그만|해지|해약|끝내|끝낼|종료|깨|깰|파기|취소|관두|관둘)\p{Hangul}*|(?:싶|어떻|어떡|어찌|되|돼|될|됩|하|해|할|합|있|가능|수|방법|절차|뭘|뭐|무엇|알려|궁금)\p{Hangul}*)$`)
	quitWordsEn = expression(`(?i)^(?:the|this|our|my|a|an|it|its|we|i|us|do|does|did|to|what|how|when|if|can|could|may|are|is|there|any|way|of|out|off|from|on|in|for|and|or|so|but|have|has|need|needs|must|should|want|wants|wish|like|would|d|quit|end|ending|terminate|terminating|termination|cancel|cancelling|leave|leaving|exit|get|getting|back|walk|away|pull|early|earlier|midway|halfway|mid|term|time|anytime|before|expires|ends|over|contract|agreement|lease|deal|licence|license|tenancy|subscription|possible|allowed|happens|please)$`)

	// endsIt is a sentence about ending it, byWill that this takes no reason of the other's, and breach that it does.
	endsIt = expression(`(?i)해지|해약|끝낼|끝내|종료할|그만두|사직|사임|\b(?:end|ends|terminate[sd]?|cancel|leave)\b`)
	byWill = expression(`(?i)(?:일|주|개월|달)\s*(?:이상\s*)?(?:전|앞서)|언제든|(?:까닭|이유|사유)\s*없이|중도\s*해지|기간\s*중이라도|(?:그만두|해지하|끝내|사직하|종료하)려면|\bat\s+any\s+time\b|\bfor\s+convenience\b|\bwithout\s+(?:cause|(?:giving\s+)?(?:a\s+|any\s+)?reasons?)\b|\b(?:days?|weeks?|months?)['’]?\s+(?:prior\s+|written\s+)*notice\b|\bafter\s+the\s+first\b`)
	breach = expression(`(?i)어기|어긴|위반|바로잡지|고치지|고쳐지지|시정|파산|연체|지체|불가항력|최고|갱신|\b(?:breach\w*|breaks?|broken|fails?|insolven\w*|bankrupt\w*|overdue|default\w*|cure|material\w*|renew\w*)\b`)
	// goesOn is a sentence that says what such an end costs.
	goesOn = expression(`(?i)^\s*(?:이때|이\s*경우|그\s*경우|그때|다만|단,)|^\s*(?:in\s+(?:that|this|such)\s+case|however|it\s+then|the\s+\w+\s+then)\b`)
)

const (
	quitSearchKo = "해지 중도 해지 사전 통지 종료 그만두려면"
	quitSearchEn = "terminate termination end notice early termination"
)

// asksToQuit reports whether a question asks how to end the contract before its time, and nothing else: who ends
// it, for what breach or with what penalty is told by other sentences.
func asksToQuit(question string) bool {
	if !quits.MatchString(question) || !early.MatchString(question) {
		return false
	}
	known := quitWordsEn
	if hangul(question) {
		known = quitWordsKo
	}
	for _, w := range words(question) {
		if !known.MatchString(w) && !known.MatchString(stem(w)) {
			return false
		}
	}
	return true
}

// quitting are the sentences that say how one ends the contract by one's own will, with what that costs
// right behind them; none if it is not asked for or no sentence says it.
func (a *ask) quitting() []candidate {
	if !asksToQuit(a.question) {
		return nil
	}
	var out []candidate
	for _, c := range a.candidates() {
		last := len(out) - 1
		if last >= 0 && out[last].n == c.n && out[last].order == c.order-1 && goesOn.MatchString(c.text) && len(out) < maxQuotes {
			out = append(out, c)
			continue
		}
		own := endsIt.MatchString(c.text) || endsIt.MatchString(c.from) && byWill.MatchString(c.text)
		if own && byWill.MatchString(c.text) && !breach.MatchString(c.text) && len(out) < maxQuotes && !repeats(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// quitToo is a second search where it is asked for.
func (a *ask) quitToo(w wish) []llm.ToolCall {
	if w.kind != wantsDocuments || !asksToQuit(a.question) {
		return nil
	}
	return a.searchToo(w, quitSearchKo, quitSearchEn)
}
