package planedit

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// remove deletes the steps of the numbers.
func (e edit) remove(m map[string]string) ([]Line, bool) {
	gone := e.chosen(either(m["some"], m["some2"]))
	for _, i := range slices.Backward(gone) {
		e.lines = slices.Delete(e.lines, i, i+1)
	}
	return e.lines, len(gone) > 0
}

// only keeps the steps of the numbers and deletes the others.
func (e edit) only(m map[string]string) ([]Line, bool) {
	var out []Line
	for _, i := range e.chosen(either(m["some"], m["some2"])) {
		out = append(out, e.lines[i])
	}
	return out, len(out) > 0
}

// upTo keeps the steps up to the number, as they were shown.
func (e edit) upTo(m map[string]string) ([]Line, bool) {
	if e.at(m["a"]) < 0 {
		return nil, false
	}
	return e.only(map[string]string{"some": "1-" + m["a"]})
}

// swap exchanges two steps.
func (e edit) swap(m map[string]string) ([]Line, bool) {
	i, j := e.at(m["a"]), e.at(m["b"])
	if i < 0 || j < 0 || i == j {
		return nil, false
	}
	e.lines[i], e.lines[j] = e.lines[j], e.lines[i]
	return e.lines, true
}

// reorder puts the steps in an order that names each of them once.
func (e edit) reorder(m map[string]string) ([]Line, bool) {
	marked := m["must"] != "" || m["must2"] != "" || strings.ContainsAny(m["order"], "→>")
	var out []Line
	for _, n := range digitsOnly.FindAllString(m["order"], -1) {
		i := e.at(n)
		if i < 0 || slices.Contains(out, e.lines[i]) {
			return nil, false
		}
		out = append(out, e.lines[i])
	}
	return out, marked && len(out) == len(e.lines)
}

var digitsOnly = pattern.New(`\d+`)

// replace gives a step another text. A single word for a step of several is not
// taken as one ("change 4 to Slack"): it says what to use, not what to do.
func (e edit) replace(m map[string]string) ([]Line, bool) {
	i, text := e.at(either(m["a"], m["a2"])), bare(m["text"])
	if e.titles {
		text = anArticle.ReplaceAllString(text, "")
	}
	if e.titles && ofStepKo.MatchString(text) {
		return nil, false // words of another title
	}
	word := !e.titles && len(strings.Fields(text)) == 1
	if i < 0 || text == "" || ofStep.MatchString(text) || word && len(strings.Fields(e.lines[i].Text)) > 1 {
		return nil, false
	}
	e.lines[i].Text = text
	return e.lines, true
}

var (
	// ofStep begins a text with a step's number: it changes that step and is not a step itself.
	ofStep = pattern.New(`(?i)^\d{1,3}\s*(?:번|단계)|\bstep\s+\d`)
	// placed names the place of a new step by the words of another one.
	placed = pattern.New(`(?i)(?:전|앞|다음|뒤|후|사이)에(?:\s|$)|\b(?:before|after|between)\s`)
)

// add inserts a step. A text that holds a place which no number names is refused.
func (e edit) add(m map[string]string) ([]Line, bool) {
	text, there := bare(either(m["text"], m["text2"])), m["side"] != "" || m["edge"] != ""
	if e.titles {
		text = alsoKo.ReplaceAllString(text, "")
	}
	if text == "" || ofStep.MatchString(text) || !there && (m["put"] != "" && !e.titles || placed.MatchString(text)) {
		return nil, false
	}
	if strings.HasSuffix(text, "는") { // the pattern took the noun that it describes
		text += " 단계"
	}
	return insert(Line{Text: text}, e.lines, e.place(m, "a"))
}

// ahead moves step a before step b.
func (e edit) ahead(m map[string]string) ([]Line, bool) {
	m["side"] = "before"
	return e.move(m)
}

// move puts step a elsewhere.
func (e edit) move(m map[string]string) ([]Line, bool) {
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

// place is the target of a step: beside the one at an index, if to is set, else the
// start or the end of the plan.
type place struct {
	front bool
	at    int
	to    bool
}

// place reads the target of a step; anchor is the group that holds the number of the
// step beside it.
func (e edit) place(m map[string]string, anchor string) place {
	if m["side"] != "" {
		return place{front: isFront(m["side"]), at: e.at(m[anchor]), to: true}
	}
	where := either(m["edge"], m["first"])
	return place{front: isFront(where) || where == "" && anchor == "b"}
}

// isFront tells words for before from words for after.
func isFront(side string) bool {
	return slices.Contains([]string{"앞", "전", "처음", "먼저", "before", "start", "beginning", "top", "first"}, strings.ToLower(side))
}

func insert(l Line, lines []Line, p place) ([]Line, bool) {
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
