package orchestrator

import (
	"regexp"
	"slices"
	"strings"

	"maru/rag"
)

// remove takes out the steps of the numbers.
func (e edit) remove(m map[string]string) ([]line, bool) {
	gone := e.chosen(either(m["some"], m["some2"]))
	for _, i := range slices.Backward(gone) {
		e.lines = slices.Delete(e.lines, i, i+1)
	}
	return e.lines, len(gone) > 0
}

// only leaves the steps of the numbers.
func (e edit) only(m map[string]string) ([]line, bool) {
	var out []line
	for _, i := range e.chosen(either(m["some"], m["some2"])) {
		out = append(out, e.lines[i])
	}
	return out, len(out) > 0
}

// upTo leaves the steps up to the number, as they were shown.
func (e edit) upTo(m map[string]string) ([]line, bool) {
	last := either(m["a"], m["a2"])
	if e.at(last) < 0 {
		return nil, false
	}
	return e.only(map[string]string{"some": "1-" + last})
}

// removeNamed takes out the one step that holds all the words.
func (e edit) removeNamed(m map[string]string) ([]line, bool) {
	i := e.called(m["ref"])
	if i < 0 {
		return nil, false
	}
	return slices.Delete(e.lines, i, i+1), true
}

// startNamed moves the one step that holds all the words to the start.
func (e edit) startNamed(m map[string]string) ([]line, bool) {
	i := e.called(either(m["ref"], m["ref2"]))
	if i < 0 {
		return nil, false
	}
	l := e.lines[i]
	return slices.Insert(slices.Delete(e.lines, i, i+1), 0, l), true
}

// called is where the one step stands that holds all words of a name, -1 if there
// is none or more than one.
func (e edit) called(name string) int {
	var a rag.Analyzer
	var words []string
	for _, w := range a.Query(name) {
		if w.Weight > 0 && len(w.Terms) > 0 && !stepWord[w.Text] {
			words = append(words, w.Terms[0])
		}
	}
	if len(words) == 0 {
		return -1
	}
	found := -1
	for i, l := range e.lines {
		held := map[string]bool{}
		a.Document(l.Text, func(term []byte) { held[string(term)] = true })
		if slices.ContainsFunc(words, func(w string) bool { return !held[w] }) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// stepWord are words for a step of any plan.
var stepWord = map[string]bool{"step": true, "steps": true, "part": true, "단계": true, "부분": true, "것": true, "거": true, "항목": true}

// alike reports whether two texts share a word.
func alike(a, b string) bool {
	var an rag.Analyzer
	words := map[string]bool{}
	for _, w := range an.Query(a) {
		if w.Weight > 0 && len(w.Terms) > 0 {
			words[w.Terms[0]] = true
		}
	}
	shared := false
	an.Document(b, func(term []byte) { shared = shared || words[string(term)] })
	return shared
}

// swap lets two steps change places.
func (e edit) swap(m map[string]string) ([]line, bool) {
	i, j := e.at(m["a"]), e.at(m["b"])
	if i < 0 || j < 0 || i == j {
		return nil, false
	}
	e.lines[i], e.lines[j] = e.lines[j], e.lines[i]
	return e.lines, true
}

// reorder puts the steps in an order in which each stands once.
func (e edit) reorder(m map[string]string) ([]line, bool) {
	marked := m["must"] != "" || m["must2"] != "" || strings.ContainsAny(m["order"], "→>")
	var out []line
	for _, n := range digitsOnly.FindAllString(m["order"], -1) {
		i := e.at(n)
		if i < 0 || slices.Contains(out, e.lines[i]) {
			return nil, false
		}
		out = append(out, e.lines[i])
	}
	return out, marked && len(out) == len(e.lines)
}

var digitsOnly = regexp.MustCompile(`\d+`)

// replace gives a step another text. One word in place of a sentence is what to
// put into it, and no step; so is, where a person only says "do it as", what has
// no word of it.
func (e edit) replace(m map[string]string) ([]line, bool) {
	i, text := e.at(either(m["a"], m["a2"])), bare(m["text"])
	if i < 0 || text == "" {
		return nil, false
	}
	short := len(strings.Fields(text)) == 1 && len(strings.Fields(e.lines[i].Text)) > 1
	if (short || m["vague"] != "") && !alike(text, e.lines[i].Text) {
		return nil, false
	}
	e.lines[i].Text = text
	return e.lines, true
}

// replaceAlike is replace for a step that looks like an item of a list: without a
// word of the step that it was it could be a whole plan.
func (e edit) replaceAlike(m map[string]string) ([]line, bool) {
	m["vague"] = "yes"
	return e.replace(m)
}

// instead puts other words into the one step that holds these, once.
func (e edit) instead(m map[string]string) ([]line, bool) {
	old := strings.TrimPrefix(strings.ToLower(m["old"]), "the ")
	find, err := regexp.Compile(`(?i)(?:^|[\s"'(])(` + regexp.QuoteMeta(old) + `(으로|로|을|를|은|는|이|가|에)?)(?:[\s"').,]|$)`)
	if err != nil {
		return nil, false
	}
	at, from := -1, []int(nil)
	for i, l := range e.lines {
		found := find.FindAllStringSubmatchIndex(l.Text, 2)
		switch {
		case len(found) == 0 || m["a"] != "" && e.at(m["a"]) != i:
		case at >= 0 || len(found) > 1:
			return nil, false // which one?
		default:
			at, from = i, found[0]
		}
	}
	if at < 0 {
		return nil, false
	}
	text, other := e.lines[at].Text, m["new"]
	if !anyDeed.MatchString(m["verb"]) && !strings.Contains(text, m["verb"]) {
		return nil, false // another deed, not another means
	}
	if m["by"] == "" && from[4] >= 0 {
		other += text[from[4]:from[5]] // the particle stays
	}
	e.lines[at].Text = text[:from[2]] + other + text[from[3]:]
	return e.lines, true
}

// anyDeed is a verb that says nothing of what is done.
var anyDeed = regexp.MustCompile(`^(?:|하|해|바꾸|바꿔|변경해|쓰|써|사용해|이용해|진행해|처리해|부탁해)$`)

// ofStep finds a step's number in a text that should be a step.
var ofStep = regexp.MustCompile(`(?i)^\d{1,3}\s*(?:번|단계)|\bstep\s+\d`)

// beside finds in the text of a new step the step, by its words, before or after
// which it goes: "보내기 전에 검토하기", "a review after the summary".
var beside = regexp.MustCompile(`(?is)^(?P<ref>.{1,60}?)\s*(?P<side>전|앞|다음|뒤|후|이후)에\s+(?P<text>.+)$|^(?P<text2>.+?)\s+(?P<side2>before|after)\s+(?P<ref2>.{1,60})$`)

// add puts a step in. A text that begins with a step's number, or names a place
// that nobody can tell, is no step.
func (e edit) add(m map[string]string) ([]line, bool) {
	text := bare(either(m["text"], m["text2"]))
	if text == "" || ofStep.MatchString(text) || (m["put"] != "" && m["side"] == "" && m["edge"] == "") {
		return nil, false
	}
	if b := beside.FindStringSubmatch(text); b != nil && m["side"] == "" && m["edge"] == "" {
		i := e.called(b[1] + b[6])
		return insert(line{Text: whole(bare(b[3] + b[4]))}, e.lines, place{front: isFront(b[2] + b[5]), at: i, to: true})
	}
	return insert(line{Text: whole(text)}, e.lines, e.place(m, "a"))
}

// whole gives words that say of which kind a step is their noun back: the
// patterns take it for the form's.
func whole(text string) string {
	if strings.HasSuffix(text, "는") {
		return text + " 단계"
	}
	return text
}

// between puts a step in between two that stand side by side.
func (e edit) between(m map[string]string) ([]line, bool) {
	i, j, text := e.at(m["a"]), e.at(m["b"]), bare(m["text"])
	if i < 0 || j < 0 || i-j != 1 && j-i != 1 || text == "" {
		return nil, false
	}
	return slices.Insert(e.lines, max(i, j), line{Text: text}), true
}

// ahead moves step a before step b.
func (e edit) ahead(m map[string]string) ([]line, bool) {
	m["side"] = "before"
	return e.move(m)
}

// move puts step a elsewhere.
func (e edit) move(m map[string]string) ([]line, bool) {
	from, p := e.at(either(m["a"], m["a2"])), e.place(m, "b")
	if from < 0 || (p.to && (p.at < 0 || p.at == from)) {
		return nil, false
	}
	l := e.lines[from]
	lines := slices.Delete(e.lines, from, from+1)
	if p.to && p.at > from {
		p.at--
	}
	return insert(l, lines, p)
}

// place is where a step goes: before or after the one at an index, if to says
// so, else to the start or the end.
type place struct {
	front bool
	at    int
	to    bool
}

// place reads where a step goes; anchor names the step beside which it goes.
func (e edit) place(m map[string]string, anchor string) place {
	if where := either(m["side"], m["side2"]); where != "" || m["then"] != "" {
		return place{front: isFront(where), at: e.at(either(m[anchor], m[anchor+"2"])), to: true}
	}
	where := either(m["edge"], m["first"])
	return place{front: isFront(where) || where == "" && anchor == "b"}
}

// isFront tells words for before from words for after.
func isFront(side string) bool {
	for _, w := range []string{"앞", "전", "처음", "위", "먼저", "우선", "보다", "before", "ahead", "above", "earlier", "start", "beginning", "top", "front", "first"} {
		if strings.Contains(strings.ToLower(side), w) {
			return true
		}
	}
	return false
}

func insert(l line, lines []line, p place) ([]line, bool) {
	i := len(lines)
	switch {
	case p.to && p.at < 0:
		return nil, false
	case p.to && p.front:
		i = p.at
	case p.to:
		i = p.at + 1
	case p.front:
		i = 0
	}
	return slices.Insert(lines, i, l), true
}
