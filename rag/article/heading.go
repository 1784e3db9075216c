package article

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Head is a heading that numbers its part.
type Head struct {
	Ref   Ref
	Label string // the number as written: "제10조의2", "Article 5"
	Title string // "연차 유급휴가" of "제10조의2(연차 유급휴가)"; may be empty
	Text  string // the whole heading
	Rest  string // words that follow the heading on its line
}

// longest is the most runes of a line that is all heading.
const longest = 80

// Heading reads a line that begins a part: "제5조(목적) 이 규정은 …",
// "제2장 총칙", "Article 5. Term", "[별표 1]", "부칙". A sentence that only names
// an article ("제5조에 따라 …") is no heading.
func Heading(line string) (Head, bool) {
	line = strings.TrimSpace(line)
	open := strings.HasPrefix(line, "[") || strings.HasPrefix(line, "<") || strings.HasPrefix(line, "【")
	body := strings.TrimLeft(line, "[<【 ")
	if body == "" {
		return Head{}, false
	}
	if strings.HasPrefix(body, "부칙") || strings.HasPrefix(body, "부 칙") {
		return addenda(line)
	}
	r, n := At(body, 0)
	if n == 0 || (r.Korean && !strings.HasPrefix(body, "제") && r.Kind != Annex) || strings.HasPrefix(body, "§") && r.Kind != Section {
		return Head{}, false
	}
	h := Head{Ref: r, Label: body[:n]}
	rest := body[n:]
	if open {
		rest = " " + strings.TrimLeft(rest, "]>】 ")
	}
	if r.Korean && r.Kind == Article {
		return koreanArticle(h, rest)
	}
	return wholeLine(h, line, rest)
}

// bracket is a title in brackets. Titles have brackets of their own: 허가(인가)의
// 취소, and some printed laws write them twice: ((목적)).
var bracket = regexp.MustCompile(`^\s*(?:\(((?:[^()]|\([^()]*\))*)\)|[(\[【]([^)\]】]*)[)\]】])`)

var twice = regexp.MustCompile(`^\(([^()]*)\)$`)

// koreanArticle reads what follows 제5조: a title in brackets and then the text,
// or a short title that ends the line.
func koreanArticle(h Head, rest string) (Head, bool) {
	if m := bracket.FindStringSubmatch(rest); m != nil {
		h.Title, h.Rest = strings.TrimSpace(twice.ReplaceAllString(strings.TrimSpace(m[1]+m[2]), "$1")), strings.TrimSpace(rest[len(m[0]):])
		h.Text = strings.TrimSpace(h.Label + strings.TrimRight(rest[:len(m[0])], " "))
		return h, true
	}
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '.' && rest[0] != ':' {
		return Head{}, false // 제5조에 따라 …
	}
	tail := strings.TrimSpace(strings.TrimLeft(rest, ".: "))
	if refersOn(tail) {
		return Head{}, false // 제5조 제2항에 따라 …
	}
	if utf8.RuneCountInString(tail) < 60 && !strings.HasSuffix(tail, ".") {
		h.Title, h.Text = tail, strings.TrimSpace(h.Label+" "+tail)
		return h, true
	}
	h.Text, h.Rest = h.Label, tail
	return h, true
}

var continues = regexp.MustCompile(`^제\s?\d+\s?[항호]|^및 |^또는 |^내지 `)

func refersOn(tail string) bool { return continues.MatchString(tail) }

func addenda(line string) (Head, bool) {
	title := strings.TrimSpace(strings.Trim(strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(line, "[<【 "), "부칙"), "부 칙"), "]>】 "))
	if utf8.RuneCountInString(line) > longest || strings.HasSuffix(line, ".") || (title != "" && !strings.ContainsAny(title[:1], "<([제") && !isDigit(title[0])) {
		return Head{}, false
	}
	return Head{Ref: Ref{Kind: Addenda, Korean: true}, Label: "부칙", Title: strings.Trim(title, "<>()[] "), Text: line}, true
}

// wholeLine reads headings that have their line to themselves.
func wholeLine(h Head, line, rest string) (Head, bool) {
	if h, ok := inBrackets(h, rest); ok {
		return h, true
	}
	title := strings.TrimRight(strings.TrimLeft(rest, " .:-–—|)"), " .:-–—|")
	if ran, ok := longLine(h, rest); ok && ran.Title != "" {
		return ran, true
	}
	switch {
	case rest != "" && strings.IndexByte(" \t.:)-]>(", rest[0]) < 0 && !strings.HasPrefix(rest, "–") && !strings.HasPrefix(rest, "—") && !strings.HasPrefix(rest, "】"):
		return Head{}, false
	case utf8.RuneCountInString(line) > longest:
		return longLine(h, rest)
	case strings.HasSuffix(line, ",") || strings.HasSuffix(line, ";") || (strings.HasSuffix(line, ".") && title != "" && sentence(title)):
		return longLine(h, rest)
	case !h.Ref.Korean && rest != "" && rest[0] == ' ' && title != "" && startsLower(title):
		return Head{}, false // Section 3 applies to …
	}
	h.Title, h.Text = title, line
	return h, true
}

// inBrackets reads an English heading with its title in brackets, as Korean contracts in English
// write it: "Article 4 (Fees) The fee is …". "Section 3 (a) …" names an item, and "Article 4
// (Fees) applies …" is a sentence.
func inBrackets(h Head, rest string) (Head, bool) {
	m := bracket.FindStringSubmatch(rest)
	if h.Ref.Korean || m == nil || h.Ref.Kind != Article && h.Ref.Kind != Section && h.Ref.Kind != Chapter {
		return Head{}, false
	}
	title, tail := strings.TrimSpace(m[1]+m[2]), strings.TrimSpace(strings.TrimLeft(rest[len(m[0]):], ".:"))
	if !titleInBrackets.MatchString(title) || tail != "" && !opensText.MatchString(tail) {
		return Head{}, false
	}
	h.Title, h.Text, h.Rest = title, strings.TrimSpace(h.Label+strings.TrimRight(rest[:len(m[0])], " ")), tail
	return h, true
}

var (
	titleInBrackets = regexp.MustCompile(`^[A-Z][^()]{2,58}$`)
	opensText       = regexp.MustCompile(`^(?:[A-Z"“'‘(①-⑳]|\d)`)
)

// runIn is a heading with its text on the same line: "Section 3.2 Fees. The
// Client pays …", "Article 5. Term. The term is …".
var runIn = regexp.MustCompile(`^[.:)]?\s+([A-Z][^.;:]{1,58})[.:]\s+(\S.*)$`)

func longLine(h Head, rest string) (Head, bool) {
	m := runIn.FindStringSubmatch(rest)
	if m == nil || h.Ref.Korean || sentence(m[1]) {
		if !h.Ref.Korean && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ": ")) {
			h.Text, h.Rest = h.Label, strings.TrimSpace(rest[2:])
			return h, true
		}
		return Head{}, false
	}
	h.Title, h.Text, h.Rest = m[1], h.Label+" "+m[1], m[2]
	return h, true
}

var verb = regexp.MustCompile(`(?i)\b(?:shall|is|are|may|will|must|has|have|applies|apply|was|were|does)\b`)

func sentence(title string) bool { return verb.MatchString(title) }

func startsLower(s string) bool { return s[0] >= 'a' && s[0] <= 'z' }

var numberedLine = regexp.MustCompile(`^(\d{1,2}(?:\.\d{1,2}){0,2})\.?\s+([A-Z가-힣][^\n]*)$`)

// Numbered reads "3. Fees" and "3.2 Late payment": a heading by its number
// alone. Whether it is one and not an item of a list only its neighbours tell; see [Follows].
func Numbered(line string) (Head, bool) {
	m := numberedLine.FindStringSubmatch(strings.TrimSpace(line))
	if m == nil || utf8.RuneCountInString(line) > 60 || strings.ContainsAny(m[2][len(m[2])-1:], ".,;:?!") || sentence(m[2]) {
		return Head{}, false
	}
	number := strings.ReplaceAll(m[1], ".", "-")
	return Head{Ref: Ref{Kind: Section, Number: number}, Label: m[1], Title: strings.TrimSpace(m[2]), Text: strings.TrimSpace(line)}, true
}

// Follows reports that number b ("4", "3-1") comes right after a ("3") in a
// document numbered in order.
func Follows(a, b string) bool {
	x, y := strings.Split(a, "-"), strings.Split(b, "-")
	if len(y) == len(x)+1 {
		return strings.Join(y[:len(x)], "-") == a && y[len(x)] == "1"
	}
	if len(y) > len(x) {
		return false
	}
	for i := range y[:len(y)-1] {
		if x[i] != y[i] {
			return false
		}
	}
	before, err := strconv.Atoi(x[len(y)-1])
	after, err2 := strconv.Atoi(y[len(y)-1])
	return err == nil && err2 == nil && after == before+1
}

// Level is how deep the part stands: 7 to 12, below Markdown's six.
func (r Ref) Level() int {
	switch r.Kind {
	case Part:
		return 7
	case Chapter, Annex, Addenda:
		return 8
	case Division:
		return 9
	case Article:
		return 10
	case Section:
		return 11 + min(strings.Count(r.Number, "-"), 1)
	}
	return 0
}
