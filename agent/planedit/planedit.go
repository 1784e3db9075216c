// Package planedit applies people's edits to the steps of a plan without a model: a
// rewritten list, the lines of a form, requests that name steps by their numbers
// ("2번 빼줘", "swap 1 and 3"), and, where no model reads the rest, by their titles
// ("썸네일은 빼줘", "a blog instead of the video").
//
// It is conservative: a text is applied as a whole or not at all, and everything
// unclear is left to whoever asks. It is shared by the agents that show plans and knows
// nothing of them, of tools, effects and approvals.
package planedit

import (
	"slices"
	"strconv"
	"strings"

	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/pattern"
)

// maxEdit bounds the text of an edit that is read, in bytes.
const maxEdit = 16 << 10

// Line is one step of an edited plan. From is the 1-based number of the original step,
// 0 for a new one.
type Line struct {
	Text string `json:"text"`
	From int    `json:"from"`
}

// linesOf returns unchanged steps as lines.
func linesOf(texts []string) []Line {
	out := make([]Line, len(texts))
	for i, t := range texts {
		out[i] = Line{t, i + 1}
	}
	return out
}

// FromForm reads the field of a form in which each line is a step.
func FromForm(text string, have []string) []Line {
	items, _ := readItems(text, true)
	written := make([]string, len(items))
	for i, it := range items {
		written[i] = it.Text
	}
	return match(written, have)
}

// match finds the original step of each written line: the step with the same text, else
// the one in the same position if no other line claims it.
func match(written, have []string) []Line {
	out := make([]Line, len(written))
	taken := make([]bool, len(have))
	for i, w := range written {
		out[i].Text = w
		for j, h := range have {
			if !taken[j] && Same(w, h) {
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

// Same reports whether two texts are the same step, spacing and case aside.
func Same(a, b string) bool {
	return strings.EqualFold(fit.OneLine(a), fit.OneLine(b))
}

// FromWords applies simple edit requests without a model: "2번 빼줘", "swap 1 and 3",
// "3번을 …로 바꿔줘". Several lines, and several requests in one line, are applied in
// order, all with the numbers that were shown. ok is false if any part is not simple or
// names a missing step: all or nothing.
func FromWords(text string, have []string) (out []Line, ok bool) {
	return fromText(text, edit{have: have, lines: linesOf(have)})
}

// FromTitles is [FromWords] for a plan of short titles that no model edits: requests also
// name a step by words of its title that no other title has, a new text may be a single
// word, and to remove what the plan does not hold changes nothing.
func FromTitles(text string, have []string) (out []Line, ok bool) {
	return fromText(text, edit{have: have, lines: linesOf(have), titles: true})
}

func fromText(text string, e edit) (out []Line, ok bool) {
	text = strings.Map(plainDigits, strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), maxEdit)], "")))
	if out, ok = e.apply(text); ok {
		return out, true
	}
	if said := intent.Read(text); said.Wish { // "no, drop step 2"
		return e.apply(said.Rest)
	}
	return nil, false
}

// apply carries out all requests of a text.
func (e edit) apply(text string) (out []Line, ok bool) {
	have := e.have
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		part, asked := bareWish(part)
		if part == "" {
			continue
		}
		if removeAll.MatchString(part) {
			return []Line{}, true
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

// ordinals are numbers written as words; patterns expect digits. -1 is the last step.
var ordinals = []struct {
	re *pattern.Pattern
	n  int
}{
	{ordinal(`첫\s*번째|첫째`, `1st|first`), 1}, {ordinal(`두\s*번째|둘째`, `2nd|second`), 2}, {ordinal(`세\s*번째|셋째`, `3rd|third`), 3},
	{ordinal(`네\s*번째|넷째`, `4th|fourth`), 4}, {ordinal(`다섯\s*번째|다섯째`, `5th|fifth`), 5}, {ordinal(`마지막\s*(?:단계|번째|거|것)`, `last`), -1},
}

func ordinal(ko, en string) *pattern.Pattern {
	return pattern.New(`(?i)` + ko + `|\b(?:the )(?:` + en + `)\b(?: steps?| one)?|\b(?:` + en + `) (?:steps?|one)\b`)
}

// Words around a request that do not change it.
var (
	lead   = pattern.New(`(?i)^(?:근데|그런데|그리고|대신|하지만|일단|그냥|but|and|then|also|please|so|let'?s)[\s,]+`)
	filler = pattern.New(`(?i)^(?:이번에는|이번엔|지금은|for now,?|this time,?)\s+|,?\s+(?:for now|this time)$`)
	// plea and pleaKo are requests in the form of a question.
	plea   = pattern.New(`(?i)^(?:(?:can|could|would)\s+you\s+(?:please\s+)?|i(?:'d|\s+would)\s+(?:like\s+(?:you\s+)?to|rather)\s+|i\s+want\s+(?:you\s+)?to\s+)`)
	pleaKo = pattern.New(`(줄래요?|주시겠어요|줄 수 있(?:어|나요)|주실 수 있나요)\?+$`)
	// onward asks to carry out the rest as it is.
	onward = pattern.New(`(?i)(?:[\s,.]+|한\s*(?:뒤|다음|후)에?\s*)(?:나머지(?:는|만|를)?\s*)?(?:그대로|계속|이어서)?\s*(?:진행|승인|실행)(?:해|하자|할게요?)?(?:\s*(?:줘|주세요))?$|` +
		`[\s,.]+나머지(?:는|만)?\s*그대로(?:\s*(?:해|둬))?(?:\s*(?:줘|주세요))?$|[\s,.;]+(?:and\s+)?(?:(?:the\s+)?rest\s+is\s+(?:fine|good|ok(?:ay)?)|keep\s+the\s+rest|go\s+ahead|proceed|continue)$`)
)

// bareWish removes the words around a request: a yes before it, courtesy, the wish that
// the rest continue. asked reports that a question mark is left: the text asks
// whether to change the plan and requests nothing.
func bareWish(text string) (wish string, asked bool) {
	wish = strings.TrimSpace(text)
	for before := ""; before != wish; {
		before = wish
		wish = pleaKo.ReplaceAllString(intent.BeforeThanks(wish), "$1")
		if begun := plea.FindString(wish); begun != "" {
			wish = strings.TrimRight(wish[len(begun):], "?")
		}
		wish = intent.AfterYes(filler.ReplaceAllString(wish, ""))
		wish = wish[len(lead.FindString(wish)):]
		wish = strings.TrimSpace(onward.ReplaceAllString(wish, ""))
	}
	return wish, strings.HasSuffix(wish, "?")
}

// edit is a plan while requests are applied to it.
type edit struct {
	have   []string // as shown: numbers mean these
	lines  []Line   // with the requests applied so far
	titles bool     // steps are named by their titles too
}

// joint separates two requests in a sentence: "2번은 빼고 3번을 먼저 해줘".
var joint = pattern.New(`(?i)(고|해서)[,\s]+|\s*,\s*(?:and\s+|then\s+|그리고\s+|또\s+)?|\.\s+|\s+(?:and\s+then|and|then|그리고)\s+`)

// Bounds of splitting a sentence: depth, candidate positions at each depth, and its
// length in bytes. Longer sentences are left to the model.
const (
	maxJoints = 4
	maxPlaces = 5
	maxWishes = 600
)

// wishes applies one request, or several in a row; each must match a form as a whole.
func (e edit) wishes(text string, asked bool, depth int) (edit, bool) {
	if asked {
		return edit{}, false
	}
	if text = strings.TrimSpace(text); depth > 0 {
		text, _ = bareWish(text)
	}
	if !e.titles { // a title may hold a joint, and a form would take the request before it for a part of the title
		if out, ok := e.once(text); ok {
			return out, true
		}
	}
	if out, ok := e.several(text, depth); ok || !e.titles {
		return out, ok
	}
	return e.once(text)
}

// several applies two requests or more.
func (e edit) several(text string, depth int) (edit, bool) {
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

// once applies one request.
func (e edit) once(text string) (edit, bool) {
	if out, ok := e.first(forms(), text); ok || !e.titles {
		return out, ok
	}
	for _, numbered := range e.numbered(text) {
		if out, ok := e.first(forms(), numbered); ok {
			return out, true
		}
		if out, ok := e.first(titleForms(), numbered); ok {
			return out, true
		}
	}
	return e.first(titleForms(), text)
}

// first applies the first of the forms that fits.
func (e edit) first(list []form, text string) (edit, bool) {
	for _, f := range list {
		m := f.re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		got := make(map[string]string, len(m))
		for i, name := range f.re.Regexp().SubexpNames() {
			if name != "" && got[name] == "" {
				got[name] = m[i]
			}
		}
		e.lines = slices.Clone(e.lines)
		if lines, ok := f.do(e, got); ok {
			return edit{e.have, lines, e.titles}, true
		}
	}
	return edit{}, false
}
