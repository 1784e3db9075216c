package article

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// Head is a numbered heading.
type Head struct {
	Ref   Ref
	Label string // the number as written: "제10조의2", "Article 5"
	Title string // "연차 유급휴가" of "제10조의2(연차 유급휴가)"; may be empty
	Text  string // the whole heading
	Rest  string // words that follow the heading on its line
}

// longest bounds the runes of a heading without a marker.
const longest = 80

// Heading parses a line that starts a part: "제5조(목적) 이 규정은 …", "제2장 총칙", "Article 5. Term", "[별표 1]", "부칙". A
// sentence that mentions an article ("제5조에 따라 …") is not a heading.
func Heading(line string) (Head, bool) {
	line = strings.TrimSpace(narrow(line))
	if h, ok := marked(line); ok {
		return h, true
	}
	open := strings.HasPrefix(line, "[") || strings.HasPrefix(line, "<") || strings.HasPrefix(line, "【")
	body := strings.TrimLeft(line, "[<【 ")
	if body == "" {
		return Head{}, false
	}
	if m := addendaWord.FindString(body); m != "" {
		return addenda(line, m)
	}
	r, n := mention(body, 0)
	if word, size := koreanAnnexWord(body); n == 0 && size > 0 && (strings.TrimLeft(body[size:], "]>】 ") == "" || open && strings.IndexByte("]>", body[min(size, len(body)-1)]) >= 0) {
		r, n = annexOf(word, ""), size // the only one
	}
	if n == 0 || (r.Korean && ordinal(body) == 0 && r.Kind != Annex) || strings.HasPrefix(body, "§") && r.Kind != Section {
		return Head{}, false
	}
	h := Head{Ref: r, Label: body[:n]}
	rest := body[n:]
	if r.Korean && r.Kind == Annex {
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, " "), "서식") // 별지 제1호 서식
		if rest != "" && rest[0] != ' ' && body[n] == ' ' {
			rest = " " + rest
		}
	}
	if open {
		rest = " " + strings.TrimLeft(rest, "]>】 ")
	}
	if r.Korean && r.Kind == Article {
		return koreanArticle(h, rest)
	}
	return wholeLine(h, line, rest)
}

// bracket matches a title in brackets. Titles may nest brackets (허가(인가)의 취소), and some printed laws double them:
// ((목적)).
var bracket = pattern.New(`^\s*(?:\(((?:[^()]|\([^()]*\))*)\)|[(\[【〔〈「『]([^)\]】〕〉」』]*)[)\]】〕〉」』])`)

var twice = pattern.New(`^\(([^()]*)\)$`)

// narrow converts full-width letters and signs: 제６조（관리비）.
func narrow(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '！' && r <= '～':
			return r - '！' + '!'
		case r == '\u3000':
			return ' '
		}
		return r
	}, line)
}

// marked parses a Korean article after a bullet or list number: "□ 제16조(해지) …", "**제18조(비용)** …". It requires a
// title in brackets, which a sentence about an article lacks.
func marked(line string) (Head, bool) {
	body := listMark.ReplaceAllString(line, "")
	if body == line || ordinal(body) == 0 {
		return Head{}, false
	}
	r, n := At(body, 0)
	if n == 0 || r.Kind != Article || !bracket.MatchString(body[n:]) {
		return Head{}, false
	}
	h, ok := koreanArticle(Head{Ref: r, Label: body[:n]}, body[n:])
	h.Rest = strings.TrimLeft(h.Rest, "* ")
	return h, ok
}

var (
	listMark    = pattern.New(`^(?:[□■○●◯◆◇▶▷▪•※·#*]+|\d{1,3}[.)])\s*`)
	addendaWord = pattern.New(`^(?:부\s*칙|附\s*則)`)
)

// koreanArticle parses the text after 제5조: a title in brackets and then the text, or a short title that ends the
// line.
func koreanArticle(h Head, rest string) (Head, bool) {
	if m := bracket.FindStringSubmatch(rest); m != nil {
		if spokenOf.MatchString(rest[len(m[0]):]) {
			return Head{}, false // 제5조(휴가)에 따라 …
		}
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

// spokenOf matches the continuation of a sentence that mentions an article with its title.
var spokenOf = pattern.New(`^(?:(?:에|에서|에게|의|을|를|과|와|은|는|이|가|로|으로|부터|까지|도|만)(?:\s|$)|에도|에는|에서|에 |에도|\s?[제第]\s?(?:` + anyNumber + `)\s?[항項호號](?:[제第]\s?(?:` + anyNumber + `)\s?[호號])?\s?(?:에|의|을|를|과|와|및|또는|,|은|는))`)

var continues = pattern.New(`^[제第]\s?(?:` + anyNumber + `)\s?[항項호號]|^및 |^또는 |^내지 `)

func refersOn(tail string) bool { return continues.MatchString(tail) }

func addenda(line, word string) (Head, bool) {
	title := strings.TrimSpace(strings.Trim(strings.TrimPrefix(strings.TrimLeft(line, "[<【 "), word), "]>】 "))
	if utf8.RuneCountInString(line) > longest || strings.HasSuffix(line, ".") || (title != "" && !strings.ContainsAny(title[:1], "<([제") && !isDigit(title[0])) {
		return Head{}, false
	}
	return Head{Ref: Ref{Kind: Addenda, Korean: true}, Label: "부칙", Title: strings.Trim(title, "<>()[] "), Text: line}, true
}

// wholeLine parses headings that take the whole line.
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

// inBrackets parses an English heading with its title in brackets, as in English contracts from Korea: "Article 4
// (Fees) The fee is …". "Section 3 (a) …" names an item, and "Article 4 (Fees) applies …" is a sentence.
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
	titleInBrackets = pattern.New(`^[A-Z][^()]{2,58}$`)
	opensText       = pattern.New(`^(?:[A-Z"“'‘(①-⑳]|\d)`)
)

// runIn matches a heading with its text on the same line: "Section 3.2 Fees. The Client pays …", "Article 5. Term.
// The term is …".
var runIn = pattern.New(`^[.:)]?\s+([A-Z][^.;:]{1,58})[.:]\s+(\S.*)$`)

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

var verb = pattern.New(`(?i)\b(?:shall|is|are|may|will|must|has|have|applies|apply|was|were|does)\b`)

func sentence(title string) bool { return verb.MatchString(title) }

func startsLower(s string) bool { return s[0] >= 'a' && s[0] <= 'z' }

var numberedLine = pattern.New(`^(\d{1,2}(?:\.\d{1,2}){0,2})\.?\s+([A-Z가-힣][^\n]*)$`)

// Numbered parses "3. Fees" and "3.2 Late payment", headings by their number alone. Only the neighbours tell them
// from list items; see [Follows].
func Numbered(line string) (Head, bool) {
	m := numberedLine.FindStringSubmatch(strings.TrimSpace(line))
	if m == nil || utf8.RuneCountInString(line) > 60 || strings.ContainsAny(m[2][len(m[2])-1:], ".,;:?!") || sentence(m[2]) {
		return Head{}, false
	}
	number := strings.ReplaceAll(m[1], ".", "-")
	return Head{Ref: Ref{Kind: Section, Number: number}, Label: m[1], Title: strings.TrimSpace(m[2]), Text: strings.TrimSpace(line)}, true
}

// Follows reports whether number b ("4", "3-1") comes right after a ("3") in a document numbered in order.
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

// Titled joins a heading that is a number alone with its title on the next line: "ARTICLE V" above "TERMINATION",
// 제12조 above (통지).
func (h Head) Titled(next string) (Head, bool) {
	next = strings.TrimSpace(narrow(next))
	if h.Title != "" || h.Rest != "" || next == "" || utf8.RuneCountInString(next) > 60 {
		return Head{}, false
	}
	if h.Ref.Korean {
		m := bracket.FindString(next)
		if h.Ref.Kind != Article || m != next {
			return Head{}, false
		}
		return Heading(h.Label + next)
	}
	if _, other := Heading(next); other || h.Ref.Kind == Annex || !namesPart(next) {
		return Head{}, false
	}
	return Heading(strings.TrimRight(h.Text, " .:-–—") + ". " + next)
}

// namesPart tells an English title from a sentence: its long words are capitalised, and it lacks a full stop.
func namesPart(line string) bool {
	if strings.ContainsAny(line[len(line)-1:], ".,;:?!") || sentence(line) && line != strings.ToUpper(line) {
		return false
	}
	long := false
	for w := range strings.FieldsSeq(line) {
		if !isUpper(w[0]) && (len(w) > 4 || !long) {
			return false
		}
		long = true
	}
	return long
}

// Level returns the depth of the part: 7 to 13, below Markdown's six.
func (r Ref) Level() int {
	switch r.Kind {
	case Part:
		return 7
	case Chapter, Annex, Addenda:
		return 8
	case Division:
		return 9
	case Subdivision:
		return 10
	case Article:
		return 11
	case Section:
		return 12 + min(strings.Count(r.Number, "-"), 1)
	}
	return 0
}
