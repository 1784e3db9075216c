package orchestrator

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// form is one way to say what to change in a plan. Its pattern holds a whole wish;
// do carries it out, or says that it does not fit this plan.
type form struct {
	re *regexp.Regexp
	do func(e edit, m map[string]string) ([]line, bool)
}

// Parts of the patterns below.
const (
	stepKo = `(?:번째|번|단계)?\s*(?:단계|스텝|step|항목)?`
	stepEn = `(?:(?:the\s+)?(?:steps?|no\.?|number|item|#)\s*)?`
	digits = `\d{1,3}`
	oneRef = stepEn + `(?P<a>` + digits + `)\s*` + stepKo
	twoRef = stepEn + `(?P<b>` + digits + `)\s*` + stepKo
	refs   = `(?P<some>(?:and|or|&|,|과|와|이랑|랑|하고|및|그리고|the|steps?|no\.?|numbers?|#|번째|번|단계|스텝|항목|부터|` + digits + `\s*(?:[-~–]|부터|to|through|thru)\s*` + digits + `|` + digits + `|까지|\s)+)`
	aStep  = `(?P<ref>\S.{0,80}?)` // by its words
	topic  = `(?:은|는|을|를|도|만|이|가|까지)?`
	with   = `(?:이랑|랑|과|와|하고|,|\s)\s*`
	side   = `(?P<side>앞|뒤|다음|전|이후|이전)`
	edge   = `(?P<edge>맨\s*(?:앞|뒤|위|아래|처음|끝|마지막|나중)|제일\s*(?:앞|뒤|처음|먼저|마지막|나중)|가장\s*(?:앞|뒤|처음|먼저|마지막|나중)|처음|마지막|끝)`
	sideEn = `(?P<side>before|after|ahead\s+of|above|below|behind)`
	edgeEn = `(?:(?:up|down|back)\s+)?(?:to|at|in|on)\s+(?:the\s+)?(?P<edge>very\s+start|start|beginning|top|front|very\s+end|end|bottom|back)(?:\s+of\s+the\s+(?:plan|list))?`
	doKo   = `(?:하|해|진행하|진행해|실행하|실행해|처리하|처리해|시작하|시작해|부탁해|가|갈)`
	// endKo are the endings of a Korean wish.
	endKo = `\s*(?:버려|놔|놓아|두)?\s*(?:줘|줘요|주라|주세요|주십시오|주실래요|줄래|줄래요|주시겠어요|줄 수 있어|줄 수 있나요|주실 수 있나요|주실 수 있을까요|주시겠습니까|주면 (?:돼|돼요|좋겠어|좋겠어요|될 것 같아|될 것 같아요)|면 (?:돼|돼요|좋겠어|좋겠어요|될 것 같아|될 것 같아요)|는 게 (?:좋겠어|좋겠어요|나아|나아요|나을 것 같아|나을 것 같아요)|도록|자|요|고|고요|구요|라|죠|지|기|래|래요|할래|할래요|할게|할게요|ㄹ게요|하자|하죠|합시다)?$`
	end   = `$`
	why   = `(?:[^\s\d]+(?:\s[^\s\d]+){0,3}(?:니까|니|라서|해서|어서|므로|때문에|거라|거라서)\s+)?`
	off   = `(?:빼|뺴|뺄래|뺄게|뺍시다|삭제하|삭제해|삭제|제거하|제거해|제거|지우|지워|없애|생략하|생략해|생략|제외하|제외해|제외|스킵하|스킵해|스킵|패스하|패스해|패스|건너뛰어|건너뛰|날려|취소하|취소해|취소|없이(?:\s*` + doKo + `)?|빠져도\s*돼|빠져도\s*돼요)`
	noKo  = `(?:필요\s*(?:없어|없어요|없습니다|없네|없네요|없음|없을\s*것\s*같아|없을\s*것\s*같아요|없으니|없으니까)(?:\s*(?:빼|뺴|삭제해|제외해)` + endKo + `)?|안\s*(?:해도|하셔도)\s*(?:돼|돼요|되|됩니다|괜찮아|괜찮아요|될\s*것\s*같아|될\s*것\s*같아요)|안\s*할게|안\s*할게요|하지\s*(?:마|말자|마요|마세요|말아\s*줘|말아\s*주세요|않아도\s*돼|않아도\s*돼요|말고)|빼도\s*(?:돼|돼요|됩니다|괜찮아|괜찮아요|될\s*것\s*같아|될\s*것\s*같아요)|나중에\s*(?:해|하자|할게|할게요|하죠|해도\s*돼|해도\s*돼요)|다음에\s*(?:하자|할게|할게요|하죠)|됐어|됐어요)$`
	offEn = `(?:remove|delete|drop|skip|omit|cut|lose|no|cancel|scrap|exclude|leave\s+out|take\s+out|without|not|except(?:\s+for)?|minus|ignore|get\s+rid\s+of|no\s+need\s+(?:for|to\s+do)|(?:we|i)\s+(?:don'?t|do\s+not)\s+(?:need|want)|(?:please\s+)?(?:don'?t|do\s+not)\s+(?:do|run|execute)|forget\s+(?:about)?)`
)

var removeAll = regexp.MustCompile(`(?i)^(?:전부|모두|다)\s*(?:빼|삭제|제거|지워|없애)(?:해|하)?` + endKo + `|^(?:remove|delete|drop)\s+(?:all|everything|all steps)$`)

// forms are all ways, the special before the general. They are compiled when the
// first plan is changed: it takes as long as half a start of the program.
var forms = sync.OnceValue(func() []form {
	return []form{
		{regexp.MustCompile(`^(?P<must>순서(?:를|는)?\s*)?(?P<order>` + digits + `\s*번?(?:\s*(?:,|-|–|→|->|>|/|·|\s|다음|그리고)\s*` + digits + `\s*번?)+)\s*(?P<must2>의?\s*순서(?:대로|로)?|순(?:으로)?)?(?:으로|로)?\s*(?:바꿔|바꾸|변경해|변경하|정렬해|` + doKo + `)?` + endKo), edit.reorder},
		{regexp.MustCompile(`(?i)^(?:(?P<must>(?:the\s+)?(?:new\s+)?order(?:\s+should\s+be|\s+is)?\s*:?|reorder(?:\s+(?:to|as|it\s+to))?\s*:?|(?:do|run)\s+(?:it|them)?\s*in\s+(?:the\s+|this\s+)?order\s*:?)\s*)?(?P<order>` + digits + `(?:\s*(?:,\s*then|,\s*and|,|-|→|->|>|/|then|\s)\s*` + digits + `)+)\s*(?P<must2>in\s+that\s+order)?` + end), edit.reorder},
		{regexp.MustCompile(`^` + oneRef + with + twoRef + `(?:을|를|의|은|는)?\s*(?:순서|위치|자리)?(?:를)?\s*(?:서로\s*)?(?:바꿔|바꾸|교환해|교체해|맞바꿔|뒤바꿔)` + endKo), edit.swap},
		{regexp.MustCompile(`(?i)^(?:swap|exchange|switch|reverse|flip|invert|interchange)\s+(?:the\s+order\s+of\s+)?` + oneRef + `\s*(?:and|with|,|&)\s*` + twoRef + `(?:\s+around)?` + end), edit.swap},
		{regexp.MustCompile(`^` + oneRef + with + twoRef + `\s*(?:의\s*)?사이에\s*(?P<text>.+?)(?:을|를|도)?\s*(?:단계(?:를|로|도)?\s*)?(?:추가해|추가하|추가|넣어|넣|끼워|삽입해|덧붙여)` + endKo), edit.between},
		{regexp.MustCompile(`(?i)^between\s+` + oneRef + `\s*(?:and|&)\s*` + twoRef + `\s*,?\s*(?:add|insert|put)\s+(?:a\s+(?:new\s+)?|an\s+)?(?:step\s*)?(?::\s*|to\s+)?(?P<text>.+?)` + end), edit.between},
		{regexp.MustCompile(`(?i)^(?:add|insert|put)\s+(?:a\s+(?:new\s+)?|an\s+)?(?:step\s*)?(?::\s*|to\s+)?(?P<text>.+?)\s+between\s+` + oneRef + `\s*(?:and|&)\s*` + twoRef + end), edit.between},
		{regexp.MustCompile(`^` + stepEn + `(?P<a>` + digits + `)\s*` + stepKo + `까지만?(?:$|\s*` + doKo + endKo + `)`), edit.upTo},
		{regexp.MustCompile(`(?i)^(?:stop|end|finish)\s+(?:after|with|at)\s+` + oneRef + end + `|^(?:only\s+|just\s+)?(?:(?:do|run|go)\s+)?(?:up\s+to|until|till)\s+(?:and\s+including\s+)?` + stepEn + `(?P<a2>` + digits + `)(?:\s+only)?` + end), edit.upTo},
		{regexp.MustCompile(`^` + refs + `만(?:$|\s*(?:(?:남기고|하고|해\s*주고|진행하고|두고)\s*(?:나머지(?:는)?\s*)?(?:다|전부|모두)?\s*(?:빼|삭제해|지워|제거해)|남겨|남기|하면\s*돼|하면\s*돼요|있으면\s*돼|있으면\s*돼요|` + doKo + `)` + endKo + `)`), edit.only},
		{regexp.MustCompile(`(?i)^(?:(?:do|run|keep|execute)\s+)?(?:only|just)\s+(?:(?:do|run|keep|execute|need)\s+)?` + refs + end + `|^(?:(?:do|run|keep|execute|we\s+need|i\s+need)\s+)?(?P<some2>(?:steps?)?[\s\d,&-]+(?:(?:and|to|through)[\s\d,]+)*)only` + end), edit.only},
		{regexp.MustCompile(`(?i)^(?:do\s+|run\s+|keep\s+)?(?:everything|all(?:\s+steps)?|all\s+of\s+(?:it|them))\s+(?:except|but|without|minus|other\s+than)(?:\s+for)?\s+` + refs + end), edit.remove},
		{regexp.MustCompile(`^` + refs + topic + `\s*(?:빼고|제외하고|말고|빼면)\s*(?:나머지(?:는|만)?\s*)?(?:는\s*)?(?:(?:다|전부|모두|나머지|그대로)\s*)?(?:` + doKo + `)?` + endKo), edit.remove},
		{regexp.MustCompile(`^` + refs + topic + `\s*` + why + `(?:그냥\s*)?(?:` + off + endKo + `|` + noKo + `)`), edit.remove},
		{regexp.MustCompile(`(?i)^` + offEn + `\s+(?:the\s+)?` + refs + end + `|^(?P<some2>(?:steps?\s+)?[\d\s,]+(?:and\s+\d+)?)\s+(?:is|are)(?:n'?t|\s+not)\s+(?:needed|necessary|required)` + end), edit.remove},
		{regexp.MustCompile(`^` + twoRef + `(?:을|를)?\s*(?:하기\s*전에|보다|전에)\s*` + oneRef + topic + `\s*(?:먼저|부터)\s*` + doKo + `?` + endKo), edit.ahead},
		{regexp.MustCompile(`^` + oneRef + topic + `\s*` + twoRef + `(?:의)?\s*(?:하기\s*)?(?:(?:보다\s*)?(?P<side>앞|뒤|다음|전|이후|이전|먼저|나중)(?:에|으로|로)?\s*(?:먼저|나중에)?|(?P<then>하고\s*나서|끝나고|한\s*(?:뒤|다음|후)(?:에)?))\s*(?:` + doKo + `|옮겨|옮기|이동해|보내|놓아|넣어|두|미뤄|당겨|$)` + endKo), edit.move},
		{regexp.MustCompile(`^` + oneRef + topic + `\s*` + edge + `(?:으로|로|에)?\s*(?:옮겨|옮기|이동해|보내|놓아|넣어|두|올려|내려|미뤄|미루|당겨|` + doKo + `)` + endKo), edit.move},
		{regexp.MustCompile(`^` + oneRef + `(?:` + topic + `\s*(?:제일|가장|맨)?\s*(?P<first>먼저|우선|나중에|마지막에|마지막으로)|부터(?:\s*먼저)?)\s*` + doKo + `?` + endKo), edit.move},
		{regexp.MustCompile(`(?i)^(?:move|put|do|run|place|make|bring|push|shift)\s+` + oneRef + `\s*(?:to\s+)?(?:(?:come|go|right|just)\s+)?(?:` + sideEn + `\s+` + twoRef + `|` + edgeEn + `|(?P<first>(?:the\s+)?(?:first|last))|(?P<side2>earlier|later)\s+than\s+(?P<b2>` + digits + `))` + end), edit.move},
		{regexp.MustCompile(`(?i)^(?:start|begin|open)\s+(?:with|from|by\s+doing)\s+` + oneRef + end + `|^` + stepEn + `(?P<a2>` + digits + `)\s*(?:should\s+(?:be|come|go)\s+|goes\s+|comes\s+)?(?P<first>first|last)` + end), edit.move},
		{regexp.MustCompile(`^(?:` + oneRef + `(?:은|는|을|를|에서|의)?\s+)?(?P<old>[^\d\s]\S{0,30})\s*(?:대신(?:에)?|말고)\s*(?P<new>\S{1,30}(?:\s\S{1,30})?(?P<by>으로|로|을|를))\s*(?P<verb>[가-힣]{1,6}?)?` + endKo), edit.instead},
		{regexp.MustCompile(`(?i)^(?:use|send|do|try|make\s+it|with|via|on|through|by|in)?\s*(?P<new>\S{1,30}(?:\s\S{1,30})?)\s+(?:instead\s+of|rather\s+than|not)\s+(?P<old>\S{1,30}(?:\s\S{1,30})?)(?:\s+(?:in|for|at)\s+` + oneRef + `)?` + end), edit.instead},
		{regexp.MustCompile(`(?s)^` + oneRef + `(?:\s*(?:의\s*)?(?:내용|텍스트|문구))?(?:은|는|을|를)\s*(?P<text>.+?)\s*(?:으로|로)\s*(?:바꿔|바꾸|변경해|변경하|변경|수정해|수정하|수정|교체|고쳐|대체해|교체해|(?P<vague>해|하))` + endKo), edit.replace},
		{regexp.MustCompile(`(?is)^(?:change|replace|edit|rewrite|update|make|turn)\s+` + oneRef + `\s*(?:to\s+(?:be\s+|say\s+|read\s+)?|with\s+|into\s+|as\s+|by\s+|say\s+|:|→|->)\s*(?P<text>.+?)` + end), edit.replace},
		{regexp.MustCompile(`(?is)^(?:(?:the\s+)?(?:step|no\.?|number|item|#)\s*(?P<a>` + digits + `)|(?P<a2>` + digits + `)\s*(?:번째|번|단계)?)\s*(?:단계|스텝)?\s*(?:should\s+(?:be|say|read)\s*(?::|\s)|(?:은|는)?\s*(?::|→|->|=>|=))\s*(?P<text>.+?)` + end), edit.replace},
		{regexp.MustCompile(`(?s)^[(\[]?(?P<a>` + digits + `)\s*[.)\]]\s*(?P<text>\D.*?)` + end), edit.replaceAlike},
		{regexp.MustCompile(`(?is)^(?P<side>before|after)\s+` + oneRef + `\s*,?\s*(?:add|insert|put|include)\s+(?:a\s+(?:new\s+)?|an\s+)?(?:step\s*)?(?::\s*|to\s+)?(?P<text>.+?)` + end), edit.add},
		{regexp.MustCompile(`(?s)^(?:(?:` + oneRef + `\s*(?:하고\s*)?(?:` + side + `)(?:에)?\s*|` + edge + `(?:에|으로)?\s*)(?P<text>.+?)|(?P<text2>.+?))(?:을|를|도)?\s*(?:단계(?:를|로|도)?\s*)?(?:하나\s*)?(?:추가해|추가하|추가|덧붙여|(?P<put>넣어|넣|끼워|삽입해))` + endKo), edit.add},
		{regexp.MustCompile(`(?is)^(?:add|append|insert)\s+(?:a\s+(?:new\s+)?|an\s+)?(?:step\s*)?(?::\s*|to\s+)?(?P<text>.+?)(?:\s+` + sideEn + `\s+` + oneRef + `|\s+(?:as\s+(?:the\s+)?(?P<first>first|last)\s+step|` + edgeEn + `))?` + end), edit.add},
		{regexp.MustCompile(`(?i)^(?:(?:in|for|at)\s+` + oneRef + `\s*,?\s*)?(?:replace|change|swap|substitute)\s+(?P<old>[^\d\s]\S{0,30})\s+(?:with|to|for|by)\s+(?P<new>\S{1,30})` + end), edit.instead},
		{regexp.MustCompile(`^` + aStep + `(?:는\s*(?:것|거|건|걸))?` + topic + `\s*(?:그냥\s*)?(?:` + off + endKo + `|` + noKo + `)`), edit.removeNamed},
		{regexp.MustCompile(`(?i)^` + offEn + `\s+(?:the\s+)?(?P<ref>\S.{0,80}?)(?:\s+(?:steps?|part))?` + end), edit.removeNamed},
		{regexp.MustCompile(`^` + aStep + `(?:부터(?:\s*먼저)?|(?:을|를|은|는)?\s*(?:제일|가장|맨)?\s*먼저)\s*` + doKo + endKo), edit.startNamed},
		{regexp.MustCompile(`(?i)^(?:start|begin)\s+(?:with|from)\s+(?P<ref>\S.{0,80}?)` + end + `|^do\s+(?P<ref2>\S.{0,80}?)\s+first` + end), edit.startNamed},
	}
})

// number is a number in words that name steps, or a range of them.
var number = regexp.MustCompile(`(\d{1,3})(?:\s*(?:[-~–]|번?(?:째)?\s*(?:단계)?\s*부터|to|through|thru)\s*(\d{1,3}))?`)

// numbersIn are the numbers that words name, ranges written out.
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

// at is where the step of a number stands by now, -1 if nowhere.
func (e edit) at(number string) int {
	k, err := strconv.Atoi(number)
	if err != nil || k < 1 || k > len(e.have) {
		return -1
	}
	return slices.IndexFunc(e.lines, func(l line) bool { return l.From == k })
}

// chosen are the places of the steps that words name, nil if one is not there.
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

// stepNumber is a number that is said to be a step's.
var stepNumber = regexp.MustCompile(`(?i)(?:\bsteps?|\bno\.|\bnumber|\bitem|#)\s*(\d{1,3})\b|(\d{1,3})\s*(?:번|단계)`)

// beyond is the first number of a step in words that a plan of n steps has not, 0 if
// there is none.
func beyond(words string, n int) int {
	for _, m := range stepNumber.FindAllStringSubmatch(strings.Map(plainDigits, words[:min(len(words), maxWishes)]), -1) {
		if k, err := strconv.Atoi(either(m[1], m[2])); err == nil && k > n {
			return k
		}
	}
	return 0
}

// either is the first that says something.
func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// bare is a step's text without quotes around it.
func bare(s string) string {
	s = strings.TrimSpace(s)
	if m := quotes.FindStringSubmatch(s); m != nil {
		s = strings.TrimSpace(m[1])
	}
	return s
}

var quotes = regexp.MustCompile(`^["'“”‘’「『](.*)["'“”‘’」』]$`)
