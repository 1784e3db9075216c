package orchestrator

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxEdit bounds the text of an edit that is read, in bytes.
const maxEdit = 16 << 10

// line is one step of an edited plan: From is the number of the step that it
// was (1-based), 0 for a new one.
type line struct {
	Text string `json:"text"`
	From int    `json:"from"`
}

// linesOf numbers the steps as they are.
func linesOf(texts []string) []line {
	out := make([]line, len(texts))
	for i, t := range texts {
		out[i] = line{t, i + 1}
	}
	return out
}

// match finds for each written line the step that it was: the one with the same
// text, else the one in the same place if nobody else claims it.
func match(written, have []string) []line {
	out := make([]line, len(written))
	taken := make([]bool, len(have))
	for i, w := range written {
		out[i].Text = w
		for j, h := range have {
			if !taken[j] && sameText(w, h) {
				out[i].From, taken[j] = j+1, true
				break
			}
		}
	}
	if len(written) != len(have) {
		return out
	}
	for i := range out {
		if out[i].From == 0 && !taken[i] {
			out[i].From, taken[i] = i+1, true
		}
	}
	return out
}

func sameText(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// Parts of the patterns below.
const (
	one    = `(?:(?:step|no\.?|#)\s*)?(\d{1,3})\s*(?:번째|번|단계)?\s*(?:단계|스텝|step)?`
	some   = `((?:(?:and|&|,|과|와|이랑|랑|하고|및|steps?|no\.?|#|번째|번|단계|스텝|부터|\d{1,3}\s*(?:[-~–]|부터|to|through)\s*\d{1,3}|\d{1,3}|까지|\s)+))`
	goOn   = `(?:고|한\s*(?:뒤|다음|후)(?:에)?)?,?\s*(?:나머지(?:는|만|를)?\s*)?(?:그대로\s*)?(?:진행|승인|실행|계속)(?:해|하자|할게|할게요|합니다|해요)?`
	endKo  = `\s*(?:줘|줘요|주세요|주실래요|주라|줄래|줄래요|주시겠어요|자|요|고|라|버려|할래|할게|할게요|하자|합시다)?\s*[.!~]*$`
	please = `(?:,?\s*please)?\s*[.!]*$`
)

// The forms of edits in words that need no model.
var (
	removeKo  = regexp.MustCompile(`^` + some + `(?:은|는|을|를|도|만)?\s*(?:빼|삭제|제거|지우|지워|없애|생략|제외|스킵|패스|건너뛰어|건너뛰)(?:해|하)?(?:` + goOn + `)?` + endKo)
	removeAll = regexp.MustCompile(`(?i)^(?:전부|모두|다)\s*(?:빼|삭제|제거|지워|없애)(?:해|하)?` + endKo + `|^(?:please\s+)?(?:remove|delete|drop)\s+(?:all|everything|all steps)` + please)
	removeEn  = regexp.MustCompile(`(?i)^(?:please\s+)?(?:remove|delete|drop|skip|omit|leave out|take out|without|not|except(?:\s+for)?)\s+(?:the\s+)?` + some + please)
	swapKo    = regexp.MustCompile(`^` + one + `(?:이랑|랑|과|와|하고|,|\s)\s*` + one + `(?:을|를|의)?\s*(?:순서(?:를)?\s*)?(?:서로\s*)?(?:바꿔|바꾸|교환해|맞바꿔)` + endKo)
	swapEn    = regexp.MustCompile(`(?i)^(?:please\s+)?(?:swap|exchange|switch)\s+(?:steps?\s+)?` + one + `\s*(?:and|with|,|&)\s*` + one + please)
	replaceKo = regexp.MustCompile(`(?s)^` + one + `(?:은|는|을|를)\s*(.+?)\s*(?:으로|로)\s*(?:바꿔|변경해|수정해|고쳐|대체해)` + endKo)
	replaceEn = regexp.MustCompile(`(?is)^(?:please\s+)?(?:change|replace|edit|rewrite|make)\s+` + one + `\s*(?:to|with|into|as|by|:|→|->)\s*(.+?)` + please)
	moveKo    = regexp.MustCompile(`^` + one + `(?:을|를)?\s*(?:` + one + `\s*(앞|뒤|다음|전)|맨\s*(앞|뒤|처음|끝|마지막))(?:으로|로|에)?\s*(?:옮겨|이동해|보내|놓아|넣어)` + endKo)
	moveEn    = regexp.MustCompile(`(?i)^(?:please\s+)?move\s+` + one + `\s*(?:(before|after)\s+` + one + `|to\s+(?:the\s+)?(start|beginning|top|front|end|bottom))` + please)
	addKo     = regexp.MustCompile(`(?s)^(?:(?:` + one + `\s*(앞|뒤|다음|전)|맨?\s*(앞|뒤|처음|끝|마지막))(?:에)\s*)?(.+?)(?:을|를|도)?\s*(?:단계(?:를|로|도)?\s*)?(?:추가해|추가하|추가|덧붙여)` + endKo)
	addEn     = regexp.MustCompile(`(?is)^(?:please\s+)?(?:add|append|insert)\s+(?:a\s+(?:new\s+)?)?(?:step\s*)?(?::\s*|to\s+)?(.+?)(?:\s+(before|after)\s+` + one + `|\s+(?:at|to)\s+the\s+(start|beginning|top|front|end|bottom))?` + please)

	number = regexp.MustCompile(`(\d{1,3})(?:\s*(?:[-~–]|번?(?:째)?\s*(?:단계)?\s*부터|to|through)\s*(\d{1,3}))?`)

	// agreed is how people say yes before they say what to change.
	agreed = regexp.MustCompile(`(?i)^(?:네|넵|예|응|그래요?|좋아요?|좋은데|좋습니다|승인(?:해요|할게요|합니다|하는데|하되|하지만)?|진행(?:하되|하는데|해\s*주세요|해\s*줘|해요)?|ok(?:ay)?|yes|yep|sure|(?:i\s+)?approved?|accept|proceed|go ahead|lgtm|looks good)(?:[\s,.!]+(?:(?:근데|그런데|대신|다만|단|하지만|but|just|only|and|please)[\s,]+)*)`)
	quotes = regexp.MustCompile(`^["'“”‘’「『](.*)["'“”‘’」』]$`)
)

// ordinals are written out by people; patterns see digits.
var ordinals = []struct {
	re *regexp.Regexp
	n  int
}{
	{regexp.MustCompile(`첫\s*번째|첫째|(?i)\bthe first(?: step)?\b|\bfirst step\b`), 1},
	{regexp.MustCompile(`두\s*번째|둘째|(?i)\bthe second(?: step)?\b|\bsecond step\b`), 2},
	{regexp.MustCompile(`세\s*번째|셋째|(?i)\bthe third(?: step)?\b|\bthird step\b`), 3},
	{regexp.MustCompile(`네\s*번째|넷째|(?i)\bthe fourth(?: step)?\b|\bfourth step\b`), 4},
	{regexp.MustCompile(`다섯\s*번째|다섯째|(?i)\bthe fifth(?: step)?\b|\bfifth step\b`), 5},
	{regexp.MustCompile(`마지막\s*(?:단계|번째|거|것)|(?i)\b(?:the )?last step\b`), -1},
}

// editByWords changes a plan as simple words say: "2번 빼줘", "swap 1 and 3",
// "3번을 …로 바꿔줘". Several lines are carried out one after the other, all with
// the numbers that were shown. ok is false if the words are not simple or name
// a step that is not there.
func editByWords(text string, have []string) (out []line, ok bool) {
	text = strings.Map(plainDigits, strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), maxEdit)], "")))
	out = linesOf(have)
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		if part = strings.TrimSpace(agreed.ReplaceAllString(strings.TrimSpace(part), "")); part == "" {
			continue
		}
		if removeAll.MatchString(part) {
			return []line{}, true
		}
		for _, o := range ordinals {
			n := o.n
			if n < 0 {
				n = len(have)
			}
			part = o.re.ReplaceAllString(part, strconv.Itoa(n)+"번")
		}
		if out, ok = editOnce(part, out, len(have)); !ok {
			return nil, false
		}
	}
	return out, ok
}

// editOnce carries out one instruction. Steps are named by the number that they
// were shown with, up to n.
func editOnce(text string, lines []line, n int) ([]line, bool) {
	at := func(s string) int {
		k, err := strconv.Atoi(s)
		if err != nil || k < 1 || k > n {
			return -1
		}
		return slices.IndexFunc(lines, func(l line) bool { return l.From == k })
	}
	if m := first(text, swapKo, swapEn); m != nil {
		i, j := at(m[1]), at(m[2])
		if i < 0 || j < 0 || i == j {
			return nil, false
		}
		lines[i], lines[j] = lines[j], lines[i]
		return lines, true
	}
	if m := first(text, removeKo, removeEn); m != nil {
		return remove(numbersIn(m[1]), lines, at)
	}
	if m := first(text, replaceKo, replaceEn); m != nil {
		if i := at(m[1]); i >= 0 && bare(m[2]) != "" {
			lines[i].Text = bare(m[2])
			return lines, true
		}
		return nil, false
	}
	if m := moveKo.FindStringSubmatch(text); m != nil {
		return move(at(m[1]), lines, place{side: m[3] + m[4], at: at(m[2]), to: m[4] == ""})
	}
	if m := moveEn.FindStringSubmatch(text); m != nil {
		return move(at(m[1]), lines, place{side: strings.ToLower(m[2] + m[4]), at: at(m[3]), to: m[4] == ""})
	}
	if m := addKo.FindStringSubmatch(text); m != nil && bare(m[4]) != "" {
		return insert(line{Text: bare(m[4])}, lines, place{side: m[2] + m[3], at: at(m[1]), to: m[1] != ""})
	}
	if m := addEn.FindStringSubmatch(text); m != nil && bare(m[1]) != "" {
		return insert(line{Text: bare(m[1])}, lines, place{side: strings.ToLower(m[2] + m[4]), at: at(m[3]), to: m[3] != ""})
	}
	return nil, false
}

func first(text string, patterns ...*regexp.Regexp) []string {
	for _, p := range patterns {
		if m := p.FindStringSubmatch(text); m != nil {
			return m
		}
	}
	return nil
}

// bare is a step's text without quotes around it.
func bare(s string) string {
	s = strings.TrimSpace(s)
	if m := quotes.FindStringSubmatch(s); m != nil {
		s = strings.TrimSpace(m[1])
	}
	return s
}

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

func remove(numbers []string, lines []line, at func(string) int) ([]line, bool) {
	if len(numbers) == 0 {
		return nil, false
	}
	for _, s := range numbers {
		i := at(s)
		if i < 0 {
			return nil, false
		}
		lines = slices.Delete(lines, i, i+1)
	}
	return lines, true
}

// place is where a step goes: before or after the one at an index, if to says
// so, else to the start or the end.
type place struct {
	side string
	at   int
	to   bool
}

func (p place) front() bool {
	switch p.side {
	case "앞", "전", "처음", "before", "start", "beginning", "top", "front":
		return true
	}
	return false
}

func insert(l line, lines []line, p place) ([]line, bool) {
	i := len(lines)
	switch {
	case p.to && p.at < 0:
		return nil, false
	case p.to && p.front():
		i = p.at
	case p.to:
		i = p.at + 1
	case p.front():
		i = 0
	}
	return slices.Insert(lines, i, l), true
}

func move(from int, lines []line, p place) ([]line, bool) {
	if from < 0 || (p.to && (p.at < 0 || p.at == from)) {
		return nil, false
	}
	l := lines[from]
	lines = slices.Delete(lines, from, from+1)
	if p.to && p.at > from {
		p.at--
	}
	return insert(l, lines, p)
}

// The short words with which people answer instead of pressing a button.
var (
	yesWords  = regexp.MustCompile(`(?i)^(?:네+|넵|예|응+|ㅇㅇ|ㅇㅋ|그래요?|좋아요?|좋습니다|승인(?:해요?|합니다|할게요)?|진행(?:해|해요|해줘|해 줘|해주세요|해 주세요|하자|할게요)?|그대로(?: 진행)?(?:해|해줘|해 줘|해주세요|해 주세요)?|오케이|ok(?:ay)?|yes|yep|y|sure|go(?: ahead)?|approved?|accept|proceed|lgtm|👍|✅)[\s.!~]*$`)
	noWords   = regexp.MustCompile(`(?i)^(?:아니요?|아뇨|노노?|싫어요?|안 ?돼요?|취소(?:해|해요|해줘|해 줘|해주세요|할게요)?|거절(?:해|할게요|합니다)?|그만(?:해|둬|할게요)?|(?:아니,? ?)?(?:이건 ?|이거 ?)?(?:실행 ?)?하지 ?(?:마(?:요|세요)?|말아(?: ?줘요?| ?주세요)?)|no|nope|reject(?:ed)?|cancel|stop|don'?t|👎|❌)[\s.!~]*$`)
	skipWords = regexp.MustCompile(`(?i)^(?:건너뛰(?:어|어요|어줘|자|기|고)?|건너뛰어 ?(?:줘|주세요)|스킵(?:해|해줘)?|넘어가(?:자|요|줘)?|생략(?:해|해줘)?|패스|skip(?: it| this)?|pass)[\s.!~]*$`)
)
