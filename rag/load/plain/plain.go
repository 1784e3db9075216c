// Package plain reads text files that are no prose: Markdown, reStructuredText, notebooks, calendars, XML, CSV, programs, settings and
// logs. It must not know passages.
package plain

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/pattern"
	"maru/rag/load/charset"
	"maru/rag/load/outline"
	"maru/rag/load/records"
)

// Is reports whether a file is text of people or programs: its beginning can be decoded and has hardly any controls.
func Is(data []byte) bool {
	head := data[:min(len(data), 64<<10)]
	for len(head) < len(data) && len(head) > 0 && head[len(head)-1] >= utf8.RuneSelf { // no letter is cut
		head = head[:len(head)-1]
	}
	text, err := charset.Decode(head)
	if err != nil {
		return false
	}
	odd, all := 0, 0
	for _, r := range text {
		all++
		if r == utf8.RuneError || unicode.IsControl(r) && !strings.ContainsRune("\n\r\t\f\b\x1b", r) {
			odd++
		}
	}
	return odd*100 <= all
}

var (
	// terminal matches the sequences (ECMA-48) that color text in a terminal and open links there.
	terminal = pattern.New(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\))`)
	// ends are controls that end a line, a page or a field: Word's line break within a paragraph is a vertical tab.
	ends = strings.NewReplacer("\v", "\n", "\f", "\n", "\x1c", "\n", "\x1d", "\n", "\x1e", "\n", "\x1f", "\n")
)

// Shown returns text without what colors it in a terminal, and with line feeds for other controls that part words.
func Shown(s string) string {
	if strings.Contains(s, "\x1b") {
		s = terminal.ReplaceAllString(s, "")
	}
	return ends.Replace(s)
}

// IsHTML reports whether a file begins as a page does.
func IsHTML(data []byte) bool {
	head := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(string(data[:min(len(data), 512)]), "\uFEFF")))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}

// blockLines bounds the lines of a block of a program; from half of it an empty line ends it.
const blockLines = 40

// Source reads a text as it is, in blocks that end at empty lines.
func Source(text string, add outline.Add) error {
	var lines []string
	flush := func() error {
		s := strings.Join(lines, "\n")
		lines = nil
		return add(outline.Block{Kind: outline.Code, Text: s})
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t")
		if lines = append(lines, line); len(lines) >= blockLines || line == "" && len(lines) > blockLines/2 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// RST reads reStructuredText as the Markdown that it resembles: a line that is underlined with one sign is a heading, whose level
// follows from the order of the signs.
func RST(text string, add outline.Add) (title string, err error) {
	return Markdown(markdownOf(text), add)
}

func markdownOf(rst string) string {
	lines := strings.Split(rst, "\n")
	var signs []byte
	var out strings.Builder
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " ")
		if i+2 < len(lines) && ruler(line) && strings.TrimRight(lines[i+2], " ") == line { // a heading between two lines
			continue
		}
		if i+1 == len(lines) || line == "" || ruler(line) || !underlines(lines[i+1], line) {
			out.WriteString(line + "\n")
			continue
		}
		i++
		sign := strings.TrimSpace(lines[i])[0]
		if !slices.Contains(signs, sign) {
			signs = append(signs, sign)
		}
		out.WriteString("\n" + strings.Repeat("#", min(6, slices.Index(signs, sign)+1)) + " " + strings.TrimSpace(line) + "\n\n")
	}
	return out.String()
}

func underlines(rule, line string) bool {
	return ruler(rule) && len(strings.TrimSpace(rule)) >= min(4, utf8.RuneCountInString(strings.TrimSpace(line)))
}

// ruler reports whether a line is one sign, repeated.
func ruler(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && strings.IndexByte("=-~^\"'*+#:.`_<>", line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}

// XML makes the elements below the outermost one rows of their values. What has no such records, as prose with marks in
// it and broken XML, is read as it is. The error is one of add, or wraps [records.ErrLimit].
func XML(text string, add outline.Add) error {
	var rows []string
	if err := records.XML(text, func(record string) error {
		rows = append(rows, record)
		return nil
	}); err != nil || len(rows) == 0 {
		return Source(text, add)
	}
	for _, r := range rows {
		if err := add(outline.Block{Kind: outline.Row, Text: r}); err != nil {
			return err
		}
	}
	return nil
}
