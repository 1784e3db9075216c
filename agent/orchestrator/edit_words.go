package orchestrator

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"maru/phrase/fit"
	"maru/phrase/intent"
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
	return strings.EqualFold(fit.OneLine(a), fit.OneLine(b))
}

// editByWords changes a plan as simple words say: "2번 빼줘", "swap 1 and 3",
// "3번을 …로 바꿔줘". Several lines, and several wishes in one, are carried out one
// after the other, all with the numbers that were shown. ok is false if any of
// the words are not simple or name a step that is not there.
func editByWords(text string, have []string) (out []line, ok bool) {
	text = strings.Map(plainDigits, strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), maxEdit)], "")))
	e := edit{have: have, lines: linesOf(have)}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		part, asked := bareWish(part)
		if part == "" {
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
		if e, ok = e.wishes(part, asked, 0); !ok {
			return nil, false
		}
	}
	return e.lines, ok
}

// ordinals are written out by people; patterns see digits.
var ordinals = []struct {
	re *regexp.Regexp
	n  int
}{
	{regexp.MustCompile(`첫\s*번째|첫째|(?i)\b(?:the )?1st\b(?: step| one)?|\bthe first(?: step| one)?\b|\bfirst step\b|\bstep one\b`), 1},
	{regexp.MustCompile(`두\s*번째|둘째|(?i)\b(?:the )?2nd\b(?: step| one)?|\bthe second(?: step| one)?\b|\bsecond step\b|\bstep two\b`), 2},
	{regexp.MustCompile(`세\s*번째|셋째|(?i)\b(?:the )?3rd\b(?: step| one)?|\b(?:the )third(?: steps?| one)?\b|\bthird steps?\b|\bstep three\b`), 3},
	{regexp.MustCompile(`네\s*번째|넷째|(?i)\b(?:the )?4th\b(?: step| one)?|\b(?:the )fourth(?: steps?| one)?\b|\bfourth steps?\b|\bstep four\b`), 4},
	{regexp.MustCompile(`다섯\s*번째|다섯째|(?i)\b(?:the )?5th\b(?: step| one)?|\b(?:the )fifth(?: steps?| one)?\b|\bfifth steps?\b|\bstep five\b`), 5},
	{regexp.MustCompile(`마지막\s*(?:단계|번째|거|것)|(?i)\b(?:the )?last (?:step|one)\b`), -1},
}

// Words around a wish that change nothing in it.
var (
	// lead is what people begin a wish with.
	lead = regexp.MustCompile(`(?i)^(?:근데|그런데|그리고|대신|다만|단|하지만|일단|우선은|그냥|음|혹시|but|and|then|also|please|so|hmm|well|maybe|let'?s|just(?:\s+please)?\s+(?:drop|skip|remove|delete|swap|move|add|change|replace)\b)[\s,]+`)
	// plea is a wish in the form of a question.
	plea = regexp.MustCompile(`(?i)^(?:(?:can|could|would|will)\s+(?:you|we)\s+(?:please\s+)?|i(?:'d|\s+would)\s+(?:like|prefer)\s+(?:you\s+)?to\s+|i\s+want\s+(?:you\s+)?to\s+|i(?:'d|\s+would)\s+rather\s+)`)
	// filler says when or why and nothing of the plan.
	filler = regexp.MustCompile(`(?i)^(?:이번에는|이번엔|이번만|지금은|for now,?|this time,?)\s+|(?:\s*,)?\s+(?:for now|this time|(?:because|since)\s+[^;?]+)$`)
	// pleaKo is the end of a Korean one.
	pleaKo = regexp.MustCompile(`((?:줄래|줄래요|주실래요|주시겠어요|줄 수 있어|줄 수 있나요|주실 수 있나요|주실 수 있을까요|주시겠습니까))\?+$`)
	// onward says after a wish that the rest shall go on.
	onward = regexp.MustCompile(`(?i)(?:[\s,.]+|한\s*(?:뒤|다음|후)(?:에)?\s*)(?:나머지(?:는|만|를|대로|들은)?\s*)?(?:그대로|계속|나머지|이어서)?\s*(?:진행|승인|실행|계속|진행하면|그대로|가자|갑시다|가요)(?:해|하자|할게|할게요|합니다|해요|하면\s*돼요?|해도\s*돼요?)?(?:\s*(?:줘|줘요|주세요|주십시오))?$|[\s,.]+나머지(?:는|만|를)?\s*(?:그대로\s*)?(?:해|하자|둬|두고|유지해|좋아요?|괜찮아요?|그대로요?)(?:\s*(?:줘|줘요|주세요))?$|[\s,.;]+(?:and\s+)?(?:(?:the\s+)?(?:rest|others?)\s+(?:is|are|looks?)\s+(?:fine|good|ok(?:ay)?|great)|keep\s+(?:the\s+)?(?:rest|others)(?:\s+as\s+(?:is|it is|they are))?|(?:then\s+)?(?:go\s+ahead|go\s+on|proceed|continue|run\s+it|go))(?:\s+with\s+(?:the\s+)?rest)?$`)
)

// bareWish takes off the words around a wish: a yes before it, courtesy, that the
// rest shall go on. asked reports that a question mark is left: then it is asked
// whether something should be, and nothing is wished.
func bareWish(text string) (wish string, asked bool) {
	wish = strings.TrimSpace(text)
	for before := ""; before != wish; {
		before = wish
		wish = intent.BeforeThanks(wish)
		wish = pleaKo.ReplaceAllString(wish, "$1")
		if begun := plea.FindString(wish); begun != "" {
			wish = strings.TrimRight(wish[len(begun):], "?")
		}
		wish = filler.ReplaceAllString(wish, "")
		wish = intent.AfterYes(wish)
		if l := lead.FindString(wish); l != "" {
			wish = wish[len(leadWord(l)):]
		}
		wish = strings.TrimSpace(onward.ReplaceAllString(wish, ""))
	}
	return wish, strings.HasSuffix(wish, "?")
}

// leadWord is as much of a lead as is no part of the wish: "just" before a verb.
func leadWord(l string) string {
	if strings.HasPrefix(strings.ToLower(l), "just") {
		return l[:len("just")]
	}
	return l
}

// edit is a plan on its way from what was shown to what is wished.
type edit struct {
	have  []string // as shown: numbers mean these
	lines []line   // as it is by now
}

// joint is where one wish may end and the next begin: "2번은 빼고 3번을 먼저 해줘".
var joint = regexp.MustCompile(`(?i)(고|해서)[,\s]+|\s*,\s*(?:and\s+|then\s+|그리고\s+|또\s+)?|\.\s+|\s+(?:and\s+then|and|then|그리고)\s+`)

// Bounds of taking a sentence apart: how often, at how many places each time, and
// how long it may be, in bytes. What is longer is told, not wished.
const (
	maxJoints = 4
	maxPlaces = 5
	maxWishes = 600
)

// wishes carries out one wish, or several in a row, each of which must be
// understood as a whole.
func (e edit) wishes(text string, asked bool, depth int) (edit, bool) {
	if asked {
		return edit{}, false
	}
	if text = strings.TrimSpace(text); depth > 0 {
		text, _ = bareWish(text)
	}
	if out, ok := e.once(text); ok {
		return out, true
	}
	if depth == maxJoints || len(text) > maxWishes {
		return edit{}, false
	}
	for _, m := range joint.FindAllStringSubmatchIndex(text, maxPlaces) {
		end := m[0]
		if m[2] >= 0 {
			end = m[3] // the verb keeps its ending
		}
		if begun, ok := e.once(strings.TrimSpace(text[:end])); ok {
			if out, ok := begun.wishes(text[m[1]:], false, depth+1); ok {
				return out, true
			}
		}
	}
	return edit{}, false
}

// once carries out one wish.
func (e edit) once(text string) (edit, bool) {
	for _, f := range forms() {
		m := f.re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		got := make(map[string]string, len(m))
		for i, name := range f.re.SubexpNames() {
			if name != "" && got[name] == "" {
				got[name] = m[i]
			}
		}
		e.lines = slices.Clone(e.lines)
		if lines, ok := f.do(e, got); ok {
			return edit{e.have, lines}, true
		}
	}
	return edit{}, false
}
