package rag

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// Number formats passages for a model: "[1] source, p. 3, heading > heading" and the text below. Numbers start at 1
// in the order of hits.
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

// Place formats a passage's location: title or source, page, path of headings, as in "Leave, p. 3 › Carrying over".
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
var citation = pattern.New(`[ \t]?(?:\[|【)\s*(\d{1,3}(?:\s*[,，–-]\s*\d{1,3})*)\s*(?:\]|】)(\()?`)

// Cited returns the cited passage numbers, each once in order of appearance, and the number of citations outside
// 1..passages.
func Cited(answer string, passages int) (numbers []int, invented int) {
	eachCitation(answer, func(c mark) string {
		for _, n := range c.numbers {
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

// DropInvented removes citations of passages that do not exist and returns their number. A citation of several keeps
// the valid ones. Without passages, bracketed numbers may be a list or an index rather than citations, and those
// stay.
func DropInvented(answer string, passages int) (string, int) {
	dropped := 0
	own := ownList(answer, passages)
	out := eachCitation(answer, func(c mark) string {
		if passages == 0 && !c.asserts(own) {
			return c.all
		}
		var kept []string
		for _, n := range c.numbers {
			if n >= 1 && n <= passages {
				kept = append(kept, "["+strconv.Itoa(n)+"]")
			}
		}
		if len(kept) == len(c.numbers) {
			return c.all
		}
		dropped += len(c.numbers) - len(kept)
		if len(kept) == 0 {
			return ""
		}
		return c.space() + strings.Join(kept, "")
	})
	return out, dropped
}

// Renumber numbers the cited passages from 1 in order of first citation, as readers expect of a list of sources. It
// returns the answer with new numbers and the old numbers in that order. Citations of passages that do not exist
// stay: see [DropInvented].
func Renumber(answer string, passages int) (text string, old []int) {
	text = eachCitation(answer, func(c mark) string {
		now := make([]string, len(c.numbers))
		same := true
		for i, n := range c.numbers {
			if n < 1 || n > passages {
				return c.all
			}
			at := slices.Index(old, n)
			if at < 0 {
				at, old = len(old), append(old, n)
			}
			same = same && at+1 == n
			now[i] = "[" + strconv.Itoa(at+1) + "]"
		}
		if same {
			return c.all
		}
		return c.space() + strings.Join(now, "")
	})
	return text, old
}

// mark is a citation with its position.
type mark struct {
	all           string // with the space before it
	before, after string // the prose around it
	numbers       []int
}

// space matches the space between the prose and the citation.
func (m mark) space() string { return m.all[:len(m.all)-len(strings.TrimLeft(m.all, " \t"))] }

// indexes reports whether the brackets index a program's name, as in a[3].
func (m mark) indexes() bool {
	if m.space() != "" {
		return false
	}
	name := m.before[len(strings.TrimRightFunc(m.before, inIdentifier)):]
	return len(name) == 1 || strings.ContainsRune(name, '_')
}

func inIdentifier(r rune) bool {
	return r == '_' || (r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)))
}

const mostOfNone = 20 // bound of invented citations without passages

// announces matches prose that introduces a value in brackets.
var announces = pattern.New(`(?i)(?:^|[:=(\[{,<>+*/-]|[은는을를의]|\b(?:is|are|be|of|to|and|or|than|returns?|gives?|yields?|prints?|list|array|index|element|배열|리스트|목록|인덱스))\s*$`)

// announced bounds the bytes before a mark that are matched against [announces]: longer than any of its words.
const announced = 64

// asserts reports whether a mark in an answer without passages reads as a citation: it follows a statement, and own
// does not define it.
func (m mark) asserts(own map[int]bool) bool {
	behind := strings.TrimRight(m.before, " \t")
	last, _ := utf8.DecodeLastRuneInString(behind)
	next, _ := utf8.DecodeRuneInString(m.after)
	switch {
	case slices.ContainsFunc(m.numbers, func(n int) bool { return n < 1 || n > mostOfNone || own[n] }),
		len(m.numbers) > 1 && !strings.ContainsRune(".!?。", last),
		unicode.IsLetter(next), unicode.IsDigit(next),
		m.space() == "" && inIdentifier(last):
		return false
	}
	line := behind[max(0, len(behind)-announced):] // a long line is not read for each of its marks
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return strings.HasSuffix(line, "]") || !announces.MatchString(line)
}

// listed matches a line that defines a number.
var listed = pattern.New(`(?m)^\s*(?:[-*]\s+)?\[(\d{1,3})\]:?\s+\S`)

// ownList returns the numbers that an answer without passages defines itself.
func ownList(answer string, passages int) map[int]bool {
	if passages > 0 {
		return nil
	}
	own := map[int]bool{}
	for _, m := range listed.FindAllStringSubmatch(answer, -1) {
		n, _ := strconv.Atoi(m[1]) // three digits at most
		own[n] = true
	}
	return own
}

// eachCitation replaces every citation outside code by the result of f. A bracketed number before "(" is a link, and
// code is skipped: an index a[3] stays.
func eachCitation(text string, f func(mark) string) string {
	var b strings.Builder
	from := 0
	prose := func(part string) {
		at := 0
		for _, m := range citation.FindAllStringSubmatchIndex(part, -1) {
			b.WriteString(part[at:m[0]])
			at = m[1]
			c := mark{all: part[m[0]:m[1]], before: part[:m[0]], after: part[m[1]:], numbers: expand(part[m[2]:m[3]])}
			if m[4] >= 0 || c.numbers == nil || c.indexes() {
				b.WriteString(c.all)
				continue
			}
			b.WriteString(f(c))
		}
		b.WriteString(part[at:])
	}
	for _, c := range codeIn(text) {
		prose(text[from:c.from])
		b.WriteString(text[c.from:c.to])
		from = c.to
	}
	prose(text[from:])
	return b.String()
}

// expand expands "1, 3-5"; nil if the range cannot be a list of passages.
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
