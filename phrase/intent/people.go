package intent

import (
	"strings"

	"maru/phrase/pattern"
)

// asksPeopleEn matches English questions to somebody about what they do or did, about what has happened, or for company, in any sentence.
var asksPeopleEn = pattern.New(`(?i)(?:^|[.!?…]\s+)(?:(?:did|was|were|has|had|have)(?:n['’]t)?\s|(?:how|where|when|what)\s+(?:was|were|did)\s|shall\s+we\b|who\s+wants\b|who(?:['’]s|\s+has|\s+is)?\s+(?:got|took|taken|taking|using|broke|left|coming|joining|bringing)\b|whose\s+(?:\w+\s+){1,2}(?:is|are|was|were)\s+(?:this|that|it|these|those|in|on|at|by|under|here|there|still|left)\b)|` +
	`\b(?:are|were|do|did|have|will|would|about|with|for|to)\s+you\b|['’](?:re|ve)\s+you\b|\byours?\b|\b(?:any|some)(?:one|body)\b`)

// Small talk, what points at something that people talk of, an answer to somebody, and the name of a person who is greeted.
var (
	smallTalk = pattern.New(`(?i)\b(?:what(?:['’]s|\s+is|\s+has|['’]s\s+been)|anything(?:\s+else)?)\s+(?:been\s+)?(?:(?:up|fun|exciting|going\s+on|happening)\b|(?:new|next)(?:\s+(?:with|for|in\s+your)\b|\s+(?:today|lately|there|guys|everyone))?(?:$|[.?!,]))|\bhow(?:['’](?:s|ve)|\s+(?:is|has))\b[^.?!]*\b(?:going|been|doing)\b|` +
		`\bhelp\s+you\b|\b(?:can|may)\s+(?:i|we)\s+help\b|\blong\s+time\s+no\b|\bbeen\s+up\s+to\b|\bcatch\s+up\b|\bhave\s+a\s+(?:great|good|nice|lovely)\b`)
	pointsEn = pattern.New(`(?i)\b(?:what|where|who|how|why|which|when|whose)\b[^.?!]*?(?:['’]s|\b(?:is|are|was|were|did|do|does|has|had))\s+(?:it|that|they|them|those|he|she|him)\b`)
	reacts   = pattern.New(`(?i)^(?:cool|wow|whoa|a+w+|oh|oof|yup|yeah|yep|nice|great|awesome|amazing|thanks|thank\s+you|glad|congrats|congratulations|way\s+to\s+go|sure|agreed|haha\w*|lol|sounds|no\s+way|sorry|ah)\b[^.?!]*[.!,]\s`)
	greetsEn = pattern.New(`^(?:(?i:hey|hi|hello|yo|good\s+morning|morning)),?\s+[A-Z][a-z]+\b`)
	usEn     = pattern.New(`(?i)^\S+,?\s+(?:maru|all|team|everyone|everybody|folks|guys|there|hr|it|people|quick|can|how|what|where|is|do|does|who|when|i|support|help\s?desk|service|payroll|finance|legal|security|admin|ops|office)\b`)
)

// Words that speak to a company or of what is written, not to a person, and a question for a rule after a greeting or thanks.
var (
	formalEn = pattern.New(`(?i)\byour\s+(?:\w+\s+){0,2}(?:policy|policies|company|rules?|(?:opening|business|office|support)\s+hours|pricing|prices?|terms|fees?|address|warranty|conditions)\b|\bdo\s+you\s+(?:offer|provide|ship|deliver|charge|issue)\b|\busing\s+(?:what|which)\b|\bwhose\s+(?:\w+\s+){1,2}(?:is|was)\s+(?:it|this|that)\s+to\b|` +
		`\bis\s+it\s+(?:documented|written|stated|described|explained|defined|listed|recorded|possible|allowed|required|mandatory|permitted)\b`)
	ruleEn = pattern.New(`(?i)^(?:how|what|who|when|where|which|can|may|must|do|does|is|are)\b[^.?!]*\b(?:i|we|my|our|the\s+(?:\w+\s+)?(?:company|office|policy|rules?|limit|deadline|process|allowance|leave|handbook))\b`)
)

// musesKo and wondersJi match Korean questions that people ask themselves, or each other about what to do: 뭐 먹지, 뭐였더라,
// 내가 이상한 건가. rulesKo matches such endings of questions for what holds: 며칠까지 가능하지, 청구할 수 있을까, 지원해 주는 건가.
var (
	musesKo   = pattern.New(`(?:[었았였했]더라고?|(?:은|는|한|던)\s?건가요?|(?:하면|는|건|면)\s?어때요?|냐)$`)
	wondersJi = pattern.New(`(?:하|내|먹|살|가|사|입|쓰|보|아니|아니겠|이)지$`)
	properJi  = pattern.New(`(?:어떻게\s?(?:하|되)|(?:며칠|언제|얼마|어디|누구|무엇|뭐|몇\s?\p{Hangul}+)(?:이|까지|부터)?\p{Hangul}{0,2})지$`)
	rulesKo   = pattern.New(`(?:(?:수|줄)\s?있을|될|돼도\s?될|가능할|괜찮을|필요할)까$|(?:가능|필요)하지$|` +
		`(?:며칠|언제|얼마|어디|누구|몇\s?\p{Hangul}+|어느\s?\p{Hangul}+)(?:까지|부터|한테|에게|에다|에|로)\s\p{Hangul}*(?:\s?\p{Hangul}+)?지$|(?:어디|누구|언제|며칠|얼마|어떻게).*(?:신청|제출|청구|보고|요청|예약|반납|승인)\p{Hangul}{0,2}지$|` +
		`(?:지원|제공|지급|청구|신청|가능|포함|적용|해당|필요|승인|정산|처리|인정|차감|이월)(?:해|되|하|이|받)?(?:\s?주)?(?:는|은|한|던|시는)?\s?건가요?$|[해내써아어]야\s?(?:하|되)는\s?건가요?$`)
	selfKo = pattern.New(`(?:^|\s)(?:나|내가|난|너|넌|네가|니가|걔|우리)(?:\s|$)`)
)

// namesKo matches a person who is spoken to or about: "민수님", "김민수 씨는".
var namesKo = pattern.New(`(?:^|\s)[가-힣]{2,4}\s?(?:님|씨)(?:$|[,\s은는이가도])`)

// AsksPeople reports whether a question is about what the people in a conversation do, did or want, or about what has
// happened, rather than about what holds: "did you change your password?", "수습 끝났어?", "점심 뭐 먹을래?". It errs towards
// people: a question about the past of a rule is taken for one.
func AsksPeople(text string) bool {
	text = bare(text)
	if !hangul(text) {
		return asksSomebodyEn(text)
	}
	switch {
	case namesKo.MatchString(text):
		return true
	case rulesKo.MatchString(text) && !selfKo.MatchString(text):
		return false
	case musesKo.MatchString(text), wondersJi.MatchString(text) && !properJi.MatchString(text):
		return true
	}
	if before, ok := strings.CutSuffix(text, "까"); ok && final(before) == 8 { // 할까, 있을까; a rule is asked for with 될까요
		return true
	}
	for _, end := range []string{"어", "지", "죠", "나", "니", "냐", "습니까", "는지", "래"} {
		before, ok := strings.CutSuffix(strings.TrimSuffix(text, "요"), end)
		switch final(before) {
		case 20: // ㅆ, of the past: not of 있 and 겠
			ok = ok && !strings.HasSuffix(before, "있") && !strings.HasSuffix(before, "겠")
		case 8: // ㄹ, of a wish: 먹을래, 갈래
			ok = ok && end == "래"
		default:
			ok = false
		}
		if ok {
			return true
		}
	}
	return false
}

func asksSomebodyEn(text string) bool {
	text = formalEn.ReplaceAllString(text, "the rule")
	if asksPeopleEn.MatchString(text[len(opening.FindString(text)):]) || smallTalk.MatchString(text) || pointsEn.MatchString(text) {
		return true
	}
	met := reacts.FindString(text)
	if met == "" && !usEn.MatchString(text) {
		met = greetsEn.FindString(text)
	}
	return met != "" && !ruleEn.MatchString(strings.TrimLeft(text[len(met):], " ,.!–-"))
}
