package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Settled returns the length of the prefix of a growing text that reads the same whatever
// follows, as far as can be told: complete blocks, complete lines of a code block, and words
// of the last block outside any emphasis, link or code span. Mispredictions are found when
// the next part is compared with the sent text.
func Settled(src string) int {
	start, fence := lastBlock(src)
	rest := src[start:]
	if fence != "" {
		if n := strings.LastIndexByte(rest, '\n'); n > strings.IndexByte(rest, '\n') {
			return start + n + 1
		}
		return start // no complete line of code yet
	}
	if strings.ContainsRune(rest, '|') || strings.Contains(rest, "```") || strings.Contains(rest, "~~~") ||
		strings.HasPrefix(rest, "    ") || strings.HasPrefix(rest, "\t") {
		return start // tables, and code inside lists, are settled as a whole
	}
	n := neutral(rest)
	line := strings.LastIndexByte(rest[:n], '\n') + 1
	if strings.Trim(rest[line:n], " \t>#*+-=_0123456789.)") == "" {
		n = line // a marker without text may still become a heading underline
	}
	return start + n
}

// lastBlock returns the start of the last block and its open fence, "" for none.
func lastBlock(src string) (start int, fence string) {
	at := 0
	for l := range strings.Lines(src) {
		body := strings.TrimRight(l, "\n")
		indent := len(body) - len(strings.TrimLeft(body, " "))
		mark := fenceMark(body[indent:])
		switch {
		case fence == "" && mark != "" && indent <= 3 && (mark[0] != '`' || !strings.Contains(body[indent+len(mark):], "`")):
			fence, start = mark, at
		case fence != "" && indent <= 3 && strings.HasPrefix(mark, fence) && strings.Trim(body[indent:], mark[:1]+" \t") == "":
			fence, start = "", at+len(l)
		case fence == "" && strings.TrimSpace(body) == "" && strings.HasSuffix(l, "\n"):
			start = at + len(l)
		}
		at += len(l)
	}
	return start, fence
}

// fenceMark returns the run of three or more backticks or tildes at the start of s.
func fenceMark(s string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(s) - len(strings.TrimLeft(s, c)); n >= 3 {
			return s[:n]
		}
	}
	return ""
}

// neutral returns the end of the last white space of s without open markup.
func neutral(s string) int {
	var open []string // unclosed runs of * _ ~ and `
	depth, angle, last := 0, false, 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		run := 0
		if strings.ContainsRune("*_~`", r) {
			run = len(s[i:]) - len(strings.TrimLeft(s[i:], string(r)))
		}
		inCode := len(open) > 0 && open[len(open)-1][0] == '`'
		switch {
		case run > 0 && (!inCode || r == '`'):
			open = toggle(open, s, i, run)
			i += run
			continue
		case inCode:
		case r == '\\':
			i += size
			if i < len(s) {
				_, next := utf8.DecodeRuneInString(s[i:])
				i += next
			}
			continue
		case r == '[':
			depth++
		case r == ']' && depth > 0:
			depth--
			if strings.HasPrefix(s[i+1:], "(") {
				end := strings.IndexByte(s[i:], ')')
				if end < 0 {
					return last
				}
				i += end
				continue
			}
		case r == '<':
			angle = true
		case r == '>':
			angle = false
		case unicode.IsSpace(r) && len(open) == 0 && depth == 0 && !angle:
			last = i + size
		}
		i += size
	}
	return last
}

// toggle opens or closes a run of marks at s[i:]. A run within a word, and a lone one such as
// a bullet, is text.
func toggle(open []string, s string, i, run int) []string {
	mark := s[i : i+run]
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+run:])
	closes := len(open) > 0 && open[len(open)-1] == mark
	switch {
	case closes:
		return open[:len(open)-1]
	case mark[0] != '`' && (i+run == len(s) || unicode.IsSpace(after)):
		return open // a space after it: it opens nothing
	case mark[0] == '_' && i > 0 && isWord(before) && isWord(after), mark == "~":
		return open
	}
	return append(open, mark)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Growing returns the text of a message with lines, without the closing fence of a code block
// that may still grow.
func Growing(md string, lines []Line) string {
	if len(lines) == 0 {
		return md
	}
	if f := lines[len(lines)-1].Frame; f == nil || f.Close == "" {
		return md
	}
	return md[:max(0, strings.LastIndexByte(md, '\n'))]
}

// WholeWords returns s without its last word, which may still grow. It ends before a letter
// and after white space, because Slack drops leading white space of an appended part.
func WholeWords(s string) string {
	end := strings.LastIndexFunc(s, unicode.IsSpace)
	if end < 0 {
		return ""
	}
	_, size := utf8.DecodeRuneInString(s[end:])
	return s[:end+size]
}
