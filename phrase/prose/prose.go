// Package prose splits written text into quotable sentences: sentences of paragraphs, list
// items, table rows with their headers, lines of code.
//
// It knows neither documents nor questions.
package prose

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"maru/phrase/fit"
)

var (
	bullet    = expression(`^\s*(?:[-*+•]|\d{1,3}[.)]|[가-하][.)])\s+`)
	paragraph = expression(`^\s*(?:[①-⑳㉑-㉟]|\(\d{1,2}\)\s|\d{1,2}(?:\.\d{1,2})+\.?\s+["“]?\p{Lu})`) // a numbered paragraph of a contract or law: the number belongs to it
	heading   = expression(`^\s*#{1,6}\s+`)
	// labelled is a table row with headers: "근속: 1년 이상 | 연차: 15일".
	labelled = expression(`^[^|:\n]{1,60}: [^|\n]+(?: \| [^|:\n]{1,60}: [^|\n]+)+$`)
	// note is one in angle brackets with a date, or before a new sentence. Other brackets hold a part of their sentence: "<name> is …".
	note     = expression(`^(?:(\s*<\pL[^<>]*\d{4}[^<>]*>)(?:$|\s+[^\s\p{Ll}])|(\s*<\pL[^<>]*>)(?:$|\s+\p{Lu}))`)
	rule     = expression(`^[\s|:=*_-]+$`)
	emphasis = expression("(\\*\\*|__|`)")
	mdLink   = expression(`!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)`)
	// sentenceKo ends a line with a Korean verb that ends a sentence.
	sentenceKo = expression(`(?:니다|[^필수중주소]요|[한된인]다|[있없않이]다|는다|[함됨임])$`)
	abbrevEnd  = expression(`(?i)(?:\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|no|fig|st|inc|ltd|co|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|approx)|\b[a-z])\.$`)
)

// maxNote bounds a note after a sentence, in runes.
const maxNote = 120

// expression compiles expr at first use: a process that parses one file uses none.
func expression(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// IsHeading reports whether a line is a Markdown heading.
func IsHeading(line string) bool { return heading().MatchString(line) }

// Sentences splits Markdown or plain text into sentences that can be read alone: list items, table rows
// with their headers, lines of code and sentences of paragraphs. It returns headings only if
// there is nothing else.
func Sentences(text string) []string {
	var out, heads, para []string
	flush := func() {
		for _, p := range unwrapped(para) {
			out = append(out, split(p)...)
		}
		para = para[:0]
	}
	var header []string
	code := false
	for _, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if fence := strings.HasPrefix(trimmed, "```"); fence || code {
			if flush(); !fence && trimmed != "" {
				out = append(out, codeLine(trimmed)) // its # begins a comment
			}
			code, header = code != fence, nil
			continue
		}
		isRow := strings.HasPrefix(trimmed, "|") && strings.Count(trimmed, "|") >= 2
		if !isRow {
			header = nil
		}
		switch {
		case trimmed == "" || rule().MatchString(trimmed):
			flush()
		case isRow:
			flush()
			if header == nil {
				header = cells(trimmed)
			} else {
				out = append(out, row(header, cells(trimmed)))
			}
		case labelled().MatchString(trimmed):
			flush()
			out = append(out, strings.ReplaceAll(Plain(trimmed), " | ", ", "))
		case heading().MatchString(trimmed):
			flush()
			heads = append(heads, Plain(heading().ReplaceAllString(trimmed, "")))
		case bullet().MatchString(line):
			flush()
			para = append(para, strings.TrimSpace(bullet().ReplaceAllString(line, "")))
		default:
			if paragraph().MatchString(line) {
				flush()
			}
			para = append(para, strings.TrimPrefix(trimmed, "> "))
		}
	}
	flush()
	if len(out) == 0 {
		return heads
	}
	return out
}

// widestWrap is the widest line, in half-width characters, at which people and programs wrap text.
const widestWrap = 160

// unwrapped joins the lines of a wrapped paragraph. A line is one of its own if it ends a Korean sentence or if the next one's first
// word had room on it, with a fifth to spare for letters of different widths: list items of a file come without their marks. Lines
// of a text with wider ones than [widestWrap] end where their writer liked, within sentences too.
func unwrapped(lines []string) []string {
	widest := 0
	for _, l := range lines {
		widest = max(widest, fit.Width(l))
	}
	var out []string
	for i, l := range lines {
		if i > 0 && !endsLine(lines[i-1], l, widest) {
			out[len(out)-1] += " " + l
			continue
		}
		out = append(out, l)
	}
	return out
}

// endsLine reports whether a line ends before the next one for another reason than the width of the text.
func endsLine(line, next string, widest int) bool {
	first, _, _ := strings.Cut(next, " ")
	last, _ := utf8.DecodeLastRuneInString(line)
	begin, _ := utf8.DecodeRuneInString(next)
	switch {
	case strings.HasSuffix(line, ":"), strings.HasSuffix(line, ","), unicode.IsLower(begin) && !unicode.Is(unicode.Hangul, last):
		return false
	case widest <= widestWrap && fit.Width(line)+1+fit.Width(first) <= widest*4/5:
		return true
	}
	return sentenceKo().MatchString(line)
}

// codeLine returns a line of code, without parsing Markdown in it.
func codeLine(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// split splits a paragraph after sentence-ending . ! ? 。 A [note] after a sentence belongs to it: "<개정 2020.5.26>".
func split(p string) []string {
	p = Plain(p)
	var out []string
	start := 0
	rs := []rune(p)
	for i, r := range rs {
		if i < start || !strings.ContainsRune(".!?。！？", r) {
			continue
		}
		atEnd := i+1 == len(rs)
		wide := strings.ContainsRune("。！？", r)
		if !atEnd && !wide && !unicode.IsSpace(rs[i+1]) {
			continue
		}
		if r == '.' && !atEnd && (abbrevEnd().MatchString(string(rs[max(start, i-8):i+1])) || i > start && unicode.IsDigit(rs[i-1]) && i-start <= 3) {
			continue
		}
		end := i + 1
		if m := note().FindStringSubmatch(string(rs[end:min(len(rs), end+maxNote)])); m != nil {
			end += len([]rune(m[1] + m[2]))
		}
		if s := strings.TrimSpace(string(rs[start:end])); s != "" {
			out = append(out, s)
		}
		start = end
	}
	if s := strings.TrimSpace(string(rs[start:])); s != "" {
		out = append(out, s)
	}
	return out
}

// Plain removes Markdown's marks and keeps the text.
func Plain(s string) string {
	s = mdLink().ReplaceAllString(s, "$1")
	return fit.OneLine(emphasis().ReplaceAllString(s, ""))
}

func cells(line string) []string {
	line = strings.Trim(strings.TrimSpace(line), "|")
	parts := strings.Split(line, "|")
	for i, p := range parts {
		parts[i] = Plain(p)
	}
	return parts
}

// row renders a table row as a sentence: "근속: 1년 이상, 연차: 15일".
func row(header, cols []string) string {
	var out []string
	for i, c := range cols {
		if c == "" {
			continue
		}
		if i < len(header) && header[i] != "" && header[i] != c {
			c = header[i] + ": " + c
		}
		out = append(out, c)
	}
	return strings.Join(out, ", ")
}
