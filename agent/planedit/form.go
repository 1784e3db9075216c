package planedit

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"maru/phrase/pattern"
)

// form is one pattern of edit requests that name steps by their numbers. The pattern
// covers a whole request; do applies it, or reports that it does not fit this plan.
// Requests that name steps by their words are left to the model.
type form struct {
	re *pattern.Pattern
	do func(e edit, m map[string]string) ([]Line, bool)
}

// Parts of the patterns below.
const (
	digits = `\d{1,3}`
	stepKo = `(?:번째|번|단계)?\s*(?:단계)?`
	stepEn = `(?:(?:the\s+)?(?:steps?|number|item|#)\s*)?`
	oneRef = stepEn + `(?P<a>` + digits + `)\s*` + stepKo
	twoRef = stepEn + `(?P<b>` + digits + `)\s*` + stepKo
	refs   = `(?P<some>(?:and|&|,|과|와|이랑|랑|하고|the|steps?|numbers?|#|번|단계|부터|까지|to|through|[-~–]|` + digits + `|\s)+)`
	topic  = `(?:은|는|을|를|도|만|까지)?\s*`
	side   = `(?P<side>앞|전|뒤|다음)`
	edge   = `(?:맨|제일|가장)?\s*(?P<edge>앞|처음|먼저|뒤|끝|마지막|나중)(?:으로|로|에)?\s*`
	sideEn = `(?P<side>before|after)`
	edgeEn = `(?:up\s+)?(?:to|at)\s+(?:the\s+)?(?P<edge>start|beginning|top|end|bottom)`
	doKo   = `(?:(?:진행|실행|처리)?(?:하|해))`
	moveKo = `(?:옮기|옮겨|보내|미뤄|` + doKo + `)`
	endKo  = `\s*(?:주|줘|줄|자|요|고|고요|시다|죠|기|할게|하자)?(?:요|세요|십시오|래|래요|시겠어요| 수 있어| 수 있나요|실 수 있나요)?$`
	off    = `(?:빼|뺄게|뺍|지우|지워|없애|날려|건너뛰어|건너뛰|(?:삭제|제거|생략|제외|스킵|취소)(?:하|해|합)?|없이\s*` + doKo + `?)`
	noKo   = `(?:필요\s*없(?:어|어요|습니다)|안\s*해도\s*(?:돼|돼요|됩니다)|나중에\s*(?:하자|할게|할게요))$`
	offEn  = `(?:just\s+)?(?:remove|delete|drop|skip|omit|lose|no|cancel|leave\s+out|take\s+out|without|not(?:\s+do)?|(?:(?:we|i)\s+)?don'?t\s+(?:need|do|run))`
	newEn  = `(?:a\s+(?:new\s+)?|an\s+)?(?:step\s*)?(?::\s*|to\s+)?(?P<text>.+?)`
)

var removeAll = pattern.New(`(?i)^(?:전부|모두|다)\s*` + off + endKo + `|^(?:remove|delete|drop)\s+(?:all|everything|all steps)$`)

// forms are all patterns, the special before the general. They are compiled when the
// first plan is changed: compiling takes as long as half a start of the program.
var forms = sync.OnceValue(func() []form {
	list := []request{
		{`^(?P<must>순서(?:를|는)?|(?:new\s+)?order:?|reorder:?)?\s*(?P<order>` + digits + `(?:\s*번?\s*(?:,\s*then|,|-|→|>|\s)\s*` + digits + `)+)\s*번?\s*(?P<must2>순서(?:대로|로)|순으로|in\s+that\s+order)?로?\s*(?:바꿔|` + doKo + `)?` + endKo, edit.reorder},
		{`^` + oneRef + `(?:이랑|랑|과|와|하고|,|\s)\s*` + twoRef + `(?:을|를|의)?\s*(?:순서|위치|자리)?를?\s*(?:서로\s*)?(?:바꾸|바꿔|교환해)` + endKo, edit.swap},
		{`^(?:swap|exchange|switch|reverse)\s+(?:the\s+order\s+of\s+)?` + oneRef + `(?:and|with|&)\s*` + twoRef + `$`, edit.swap},
		{`^` + oneRef + `까지만?\s*` + doKo + `?` + endKo, edit.upTo},
		{`^(?:stop\s+after|(?:only\s+)?up\s+to)\s+` + oneRef + `$`, edit.upTo},
		{`^` + refs + `만\s*(?:(?:남기고|하고|해\s*주고)\s*나머지는?\s*(?:다|전부|모두)?\s*` + off + `|남겨|남기|` + doKo + `)?` + endKo, edit.only},
		{`^(?:(?:do|run|keep)\s+)?(?:only|just)\s+(?:(?:do|run|keep)\s+)?` + refs + `$|^(?:(?:do|run|keep)\s+)?(?P<some2>(?:steps?)?[\s\d,&-]+(?:(?:and|to|through)[\s\d,]+)*)only$`, edit.only},
		{`^(?:do\s+|run\s+)?(?:everything|all(?:\s+steps)?)\s+(?:except|but|without)\s+` + refs + `$`, edit.remove},
		{`^` + refs + topic + `(?:빼고|제외하고|말고)\s*(?:나머지(?:는|만)?\s*)?(?:(?:다|전부|모두|그대로)\s*)?` + doKo + `?` + endKo, edit.remove},
		{`^` + refs + topic + `(?:그냥\s*|이미\s*했으니까\s*)?(?:` + off + `(?:\s*부탁드립니다)?` + endKo + `|` + noKo + `)`, edit.remove},
		{`^` + offEn + `\s+(?:the\s+)?` + refs + `$|^(?P<some2>(?:steps?\s+)?[\d\s,]+(?:and\s+\d+)?)\s+(?:is|are)(?:n'?t|\s+not)\s+(?:needed|necessary)$`, edit.remove},
		{`^` + twoRef + `(?:하기\s*전에|보다|전에)\s*` + oneRef + topic + `(?:먼저|부터)\s*` + doKo + `?` + endKo, edit.ahead},
		{`^` + oneRef + topic + twoRef + `의?\s*(?:보다\s*)?(?P<side>앞|전|먼저|뒤|다음|나중)(?:에|으로|로)?\s*(?:` + moveKo + `|$)` + endKo, edit.move},
		{`^` + oneRef + topic + edge + moveKo + `?` + endKo, edit.move},
		{`^` + oneRef + `부터(?:\s*먼저)?\s*` + doKo + `?` + endKo, edit.move},
		{`^(?:move|put|do|run)\s+` + oneRef + `(?:` + sideEn + `\s+` + twoRef + `|` + edgeEn + `|(?P<first>first|last))$`, edit.move},
		{`^start\s+with\s+` + oneRef + `$|^` + stepEn + `(?P<a2>` + digits + `)\s*(?:should\s+(?:be|come|go)\s+)?(?P<first>first|last)$`, edit.move},
		{`(?s)^` + oneRef + `(?:\s*내용)?(?:은|는|을|를)\s*(?P<text>.+?)\s*(?:으로|로)\s*(?:바꾸|바꿔|고쳐|(?:변경|수정|교체)(?:하|해)?)` + endKo, edit.replace},
		{`(?s)^(?:change|replace|rewrite)\s+` + oneRef + `(?:to\s+|with\s+|:|→|->)\s*(?P<text>.+?)$`, edit.replace},
		{`(?s)^(?:(?:the\s+)?(?:step|number|#)\s*(?P<a>` + digits + `)|(?P<a2>` + digits + `)\s*(?:번|단계)?)\s*(?:should\s+be\s*(?::|\s)|(?:은|는)?\s*(?::|→|->|=))\s*(?P<text>.+?)$`, edit.replace},
		{`(?s)^(?:(?:` + oneRef + side + `에?\s*|` + edge + `)(?P<text>.+?)|(?P<text2>.+?))(?:을|를)?\s*(?:단계(?:를|로)?\s*)?(?:추가(?:하|해)?|(?P<put>넣어|끼워))` + endKo, edit.add},
		{`(?s)^(?:add|append|insert)\s+` + newEn + `(?:\s+` + sideEn + `\s+` + oneRef + `|\s+` + edgeEn + `)?$`, edit.add},
	}
	return compiled(list)
})

// request is a form that is not compiled.
type request struct {
	pattern string
	do      func(e edit, m map[string]string) ([]Line, bool)
}

func compiled(list []request) []form {
	out := make([]form, len(list))
	for i, f := range list {
		out[i] = form{pattern.New(`(?i)` + f.pattern), f.do}
	}
	return out
}

// number is a step's number in a request, or a range of them.
var number = pattern.New(`(\d{1,3})(?:\s*(?:[-~–]|번?(?:째)?\s*(?:단계)?\s*부터|to|through|thru)\s*(\d{1,3}))?`)

// numbersIn returns the numbers in words, with ranges expanded.
func numbersIn(words string) []string {
	var out []string
	for _, m := range number.FindAllStringSubmatch(words, -1) {
		from, err := strconv.Atoi(m[1])
		to, err2 := strconv.Atoi(m[2])
		if err != nil || err2 != nil || to <= from {
			out = append(out, m[1])
			if m[2] != "" {
				out = append(out, m[2])
			}
			continue
		}
		for n := from; n <= to && len(out) <= maxRange; n++ {
			out = append(out, strconv.Itoa(n))
		}
	}
	return out
}

// maxRange bounds the steps that one range of numbers names.
const maxRange = 200

// at returns the present index of the step with a number, -1 if it is gone.
func (e edit) at(number string) int {
	k, err := strconv.Atoi(number)
	if err != nil || k < 1 || k > len(e.have) {
		return -1
	}
	return slices.IndexFunc(e.lines, func(l Line) bool { return l.From == k })
}

// chosen returns the indices of the steps that words name, nil if one is missing.
func (e edit) chosen(words string) []int {
	var out []int
	for _, s := range numbersIn(words) {
		i := e.at(s)
		if i < 0 {
			return nil
		}
		out = append(out, i)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// stepNumber is a number marked as a step's.
var stepNumber = pattern.New(`(?i)(?:\bsteps?|\bno\.|\bnumber|\bitem|#)\s*(\d{1,3})\b|(\d{1,3})\s*(?:번|단계)`)

// MissingStep returns the first step number in words that exceeds the n steps of the plan,
// 0 if none does.
func MissingStep(words string, n int) int {
	for _, m := range stepNumber.FindAllStringSubmatch(strings.Map(plainDigits, words[:min(len(words), maxWishes)]), -1) {
		if k, err := strconv.Atoi(either(m[1], m[2])); err == nil && k > n {
			return k
		}
	}
	return 0
}

// either returns a, or b if a is empty.
func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// bare returns a step's text without the quotes around it.
func bare(s string) string {
	s = strings.TrimSpace(s)
	if m := quotes.FindStringSubmatch(s); m != nil {
		s = strings.TrimSpace(m[1])
	}
	return s
}

var quotes = pattern.New(`^["'“”‘’「『](.*)["'“”‘’」』]$`)
