package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Settled returns how much of a text that still grows will read the same
// whatever is written after it, as far as that can be told: whole blocks, the
// complete lines of a code block, and of the block that is being written the
// words outside of any emphasis, link or code span. What turns out otherwise is
// found when the next part is compared with what was sent.
func Settled(src string) int {
	start, fence := lastBlock(src)
	rest := src[start:]
	if fence != "" {
		if n := strings.LastIndexByte(rest, '\n'); n > strings.IndexByte(rest, '\n') {
			return start + n + 1
		}
		return start // no line of the code is complete
	}
	if strings.ContainsRune(rest, '|') || strings.Contains(rest, "```") || strings.Contains(rest, "~~~") ||
		strings.HasPrefix(rest, "    ") || strings.HasPrefix(rest, "\t") {
		return start // a table, or code inside a list: only whole
	}
	n := neutral(rest)
	line := strings.LastIndexByte(rest[:n], '\n') + 1
	if strings.Trim(rest[line:n], " \t>#*+-=_0123456789.)") == "" {
		n = line // a marker without its words may yet underline what stands above it
	}
	return start + n
}

// lastBlock returns where the last block begins and the fence it is inside of,
// "" for none.
func lastBlock(src string) (start int, fence string) {
	at := 0
	for l := range strings.Lines(src) {
		body := strings.TrimRight(l, "\n")
		indent := len(body) - len(strings.TrimLeft(body, " "))
		mark := fenceMark(body[indent:])
		switch {
		case fence == "" && mark != "" && indent <= 3:
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

// fenceMark returns the run of three or more backticks or tildes that s begins
// with.
func fenceMark(s string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(s) - len(strings.TrimLeft(s, c)); n >= 3 {
			return s[:n]
		}
	}
	return ""
}

// neutral returns the end of the last white space of s at which nothing is
// open.
func neutral(s string) int {
	var open []string // runs of * _ ~ and ` that wait for their end
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

// toggle opens or closes a run of marks at s[i:]. A run between letters and one
// that stands alone, as a list's bullet does, are only words.
func toggle(open []string, s string, i, run int) []string {
	mark := s[i : i+run]
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+run:])
	closes := len(open) > 0 && open[len(open)-1] == mark
	switch {
	case closes:
		return open[:len(open)-1]
	case mark[0] != '`' && (i+run == len(s) || unicode.IsSpace(after)):
		return open // nothing begins before a space
	case mark[0] == '_' && i > 0 && isWord(before) && isWord(after), mark == "~":
		return open
	}
	return append(open, mark)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Growing returns the text of a message that shows lines, without the end of a
// code block behind which more code may come.
func Growing(md string, lines []Line) string {
	if len(lines) == 0 {
		return md
	}
	if f := lines[len(lines)-1].Frame; f == nil || f.Close == "" {
		return md
	}
	return md[:max(0, strings.LastIndexByte(md, '\n'))]
}

// WholeWords returns s up to its last word, which may still grow. It ends before
// a letter and after white space, because Slack loses the white space with which
// an appended part begins.
func WholeWords(s string) string {
	end := strings.LastIndexFunc(s, unicode.IsSpace)
	if end < 0 {
		return ""
	}
	_, size := utf8.DecodeRuneInString(s[end:])
	return s[:end+size]
}
