package rag

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Number writes passages the way a model is shown them: "[1] source, p. 3,
// heading > heading" and the text below. Numbers begin at 1 in the order of hits.
func Number(hits []Hit) string {
	var b strings.Builder
	for i, h := range hits {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "[%d] %s\n%s", i+1, Place(h), h.Chunk.Text)
	}
	return b.String()
}

// Place names where a passage stands: title or source, page, path of headings, as
// in "Leave, p. 3 › Carrying over".
func Place(h Hit) string {
	name := h.Document.Title
	if name == "" {
		name = h.Document.Source
	}
	path := h.Chunk.Heading
	if len(path) > 0 && path[0] == name {
		path = path[1:]
	}
	if h.Chunk.Page > 0 {
		name += ", p. " + strconv.Itoa(h.Chunk.Page)
	}
	return strings.Join(append([]string{name}, path...), " › ")
}

// citation matches [1], [1, 3], [1][2], [1-3] and the full-width 【1】 some
// models write. Four digits are a year.
var citation = regexp.MustCompile(`[ \t]?(?:\[|【)\s*(\d{1,3}(?:\s*[,，–-]\s*\d{1,3})*)\s*(?:\]|】)(\()?`)

// Cited returns the passage numbers an answer cites, each once in order of
// appearance, and how many citations name no passage of 1..passages.
func Cited(answer string, passages int) (numbers []int, invented int) {
	eachCitation(answer, func(_ string, nums []int) string {
		for _, n := range nums {
			if n < 1 || n > passages {
				invented++
			} else if !slices.Contains(numbers, n) {
				numbers = append(numbers, n)
			}
		}
		return ""
	})
	return numbers, invented
}

// DropInvented removes citations of passages that do not exist from an answer
// and says how many there were. A citation of several keeps those that do.
func DropInvented(answer string, passages int) (string, int) {
	dropped := 0
	out := eachCitation(answer, func(all string, nums []int) string {
		var kept []string
		for _, n := range nums {
			if n >= 1 && n <= passages {
				kept = append(kept, "["+strconv.Itoa(n)+"]")
			}
		}
		if len(kept) == len(nums) {
			return all
		}
		dropped += len(nums) - len(kept)
		if len(kept) == 0 {
			return ""
		}
		return all[:len(all)-len(strings.TrimLeft(all, " \t"))] + strings.Join(kept, "")
	})
	return out, dropped
}

// eachCitation replaces every citation outside code by what f says. A number in brackets
// followed by "(" is a link, and code is not prose: an index a[3] stays.
func eachCitation(text string, f func(all string, numbers []int) string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i > 0 {
			b.WriteByte('`')
		}
		if i%2 == 1 {
			b.WriteString(part)
			continue
		}
		at := 0
		for _, m := range citation.FindAllStringSubmatchIndex(part, -1) {
			b.WriteString(part[at:m[0]])
			at = m[1]
			all := part[m[0]:m[1]]
			nums := expand(part[m[2]:m[3]])
			if m[4] >= 0 || nums == nil {
				b.WriteString(all)
				continue
			}
			b.WriteString(f(all, nums))
		}
		b.WriteString(part[at:])
	}
	return b.String()
}

// expand reads "1, 3-5"; nil for a range that is no list of passages.
func expand(s string) []int {
	var out []int
	for _, p := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '，' }) {
		lo, hi, isRange := strings.Cut(strings.ReplaceAll(p, "–", "-"), "-")
		a, err := strconv.Atoi(strings.TrimSpace(lo))
		if err != nil {
			return nil
		}
		z := a
		if isRange {
			if z, err = strconv.Atoi(strings.TrimSpace(hi)); err != nil {
				return nil
			}
		}
		if z < a || z-a > 20 {
			return nil // no list of passages
		}
		for n := a; n <= z; n++ {
			out = append(out, n)
		}
	}
	return out
}
