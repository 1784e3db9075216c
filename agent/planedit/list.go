package planedit

import (
	"slices"
	"strconv"
	"strings"

	"maru/phrase/pattern"
)

// marker matches the mark before a step of a list: "1." "1)" "(1)" "1/" "①" "1단계:"
// "Step 1:" "첫째," "a." "-" "*" "•", and a box to tick after it.
var marker = pattern.New(`^\s*(?:[(\[]?(\d{1,3})\s*(?:[.)\]:、．/]|단계\s*[:.)]|번\s*[:.)])\s*|(?i:step)\s*(\d{1,3})\s*[:.)\-]\s*|([①-⑳])\s*|(?:첫째|둘째|셋째|넷째|다섯째)\s*[,:.]\s*|[(]?[a-hA-H가나다라마바사][.)]\s+|[-*•·–]\s+)(?:\[[ xX]?\]\s*)?(.*)$`)

// inline is a number within a line that may begin the next step.
var inline = pattern.New(`(?:^|\s)[(]?(\d{1,3})[.)]\s`)

// plainDigits writes full-width letters and digits as keyboards of others do.
var plainDigits = func(r rune) rune {
	if r >= '！' && r <= '～' {
		return r - '！' + '!'
	}
	return r
}

// item is one step of a written list; N is the number it was given, 0 without.
type item struct {
	N    int
	Text string
}

// readItems reads a plan that was written as a list: numbered in any common
// form, or with dashes. A line without a marker belongs to the one before it, unless
// every says that each line is a step, as in a form's field. ok is false if this is no
// list.
func readItems(text string, every bool) (out []item, ok bool) {
	text = strings.Map(plainDigits, strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), maxEdit)], "\r\n", "\n"), ""))
	var plain []item
	for _, l := range strings.Split(oneALine(text), "\n") {
		m := marker.FindStringSubmatch(l)
		l = strings.TrimSpace(l)
		switch {
		case m != nil:
			out = append(out, item{numberOf(m), strings.TrimSpace(m[4])})
		case l == "":
		case every:
			out = append(out, item{0, l})
		case len(out) > 0:
			last := &out[len(out)-1]
			last.Text = strings.TrimSpace(last.Text + " " + l)
		default:
			plain = append(plain, item{0, l})
		}
	}
	if len(out) == 0 || len(plain) > 1 {
		return nil, false
	}
	out = slices.DeleteFunc(out, func(i item) bool { return i.Text == "" })
	return out, len(out) > 0
}

// numberOf returns the number of a marker that was found, 0 for letters and dashes.
func numberOf(m []string) int {
	if r := []rune(m[3]); len(r) == 1 {
		return int(r[0]-'①') + 1
	}
	n, err := strconv.Atoi(m[1] + m[2])
	if err != nil {
		return 0
	}
	return n
}

// FromList reads a reply that is a list: a whole plan, or, if its numbers do not
// run from 1, the steps of these numbers again. A single numbered line could be
// either and is left to the words. ok is false if the text is not a list, or does not fit the plan.
func FromList(text string, have []string) ([]Line, bool) {
	items, ok := readItems(text, false)
	if !ok {
		return nil, false
	}
	written, known, running, single := make([]string, len(items)), true, true, len(items) == 1 && len(have) > 1
	for i, it := range items {
		written[i] = it.Text
		known = known && slices.ContainsFunc(have, func(h string) bool { return Same(h, it.Text) })
		running = running && (it.N == 0 || it.N == i+1)
	}
	switch {
	case known, running && !(single && items[0].N > 0):
		return match(written, have), true
	case single:
		return nil, false
	}
	out, seen := linesOf(have), map[int]bool{}
	for _, it := range items {
		if it.N < 1 || it.N > len(have) || seen[it.N] {
			return nil, false
		}
		seen[it.N], out[it.N-1].Text = true, it.Text
	}
	return out, true
}

// oneALine breaks a single line in which steps are numbered one after the other
// ("1. find 2. write"); every other text stays as it is.
func oneALine(text string) string {
	text = strings.TrimSpace(text)
	at := inline.FindAllStringSubmatchIndex(text, -1)
	if strings.Contains(text, "\n") || len(at) < 2 || at[0][0] != 0 {
		return text
	}
	var b strings.Builder
	for i, m := range at {
		if n, err := strconv.Atoi(text[m[2]:m[3]]); err != nil || n != i+1 {
			return text
		}
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		b.WriteString(strings.TrimSpace(text[m[0]:end]) + "\n")
	}
	return b.String()
}
