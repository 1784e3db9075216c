package orchestrator

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// marker is what stands before a step in a list: "1." "1)" "(1)" "1/" "①" "1단계:"
// "Step 1:" "첫째," "a." "-" "*" "•", and a box to tick after it.
var marker = regexp.MustCompile(`^\s*(?:[(\[]?(\d{1,3})\s*(?:[.)\]:、．/]|단계\s*[:.)]|번\s*[:.)])\s*|(?i:step)\s*(\d{1,3})\s*[:.)\-]\s*|([①-⑳])\s*|(?:첫째|둘째|셋째|넷째|다섯째)\s*[,:.]\s*|[(]?[a-hA-H가나다라마바사][.)]\s+|[-*•·–]\s+)(?:\[[ xX]?\]\s*)?(.*)$`)

// inline is a number within a line that may begin the next step.
var inline = regexp.MustCompile(`(?:^|\s)[(]?(\d{1,3})[.)]\s`)

// plainDigits writes full-width letters and digits as keyboards of others do.
var plainDigits = func(r rune) rune {
	if r >= '！' && r <= '～' {
		return r - '！' + '!'
	}
	return r
}

// readLines reads a plan that was written as a list: numbered in any common
// form, or with dashes. A line without a marker belongs to the one before it.
// every says that each line is a step even without any marker, as in a form's
// field. ok is false if this is no list.
func readLines(text string, every bool) (out []string, ok bool) {
	text = strings.Map(plainDigits, strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), maxEdit)], "\r\n", "\n"), ""))
	marked := 0
	var plain []string
	for _, l := range strings.Split(oneALine(text), "\n") {
		m := marker.FindStringSubmatch(l)
		l = strings.TrimSpace(l)
		switch {
		case m != nil:
			marked++
			out = append(out, strings.TrimSpace(m[4]))
		case l == "":
		case len(out) > 0:
			out[len(out)-1] = strings.TrimSpace(out[len(out)-1] + " " + l)
		default:
			plain = append(plain, l)
		}
	}
	switch {
	case marked == 0 && every:
		out = plain
	case marked == 0, !every && len(plain) > 1:
		return nil, false
	}
	out = slices.DeleteFunc(out, func(s string) bool { return s == "" })
	return out, len(out) > 0
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
