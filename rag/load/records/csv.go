// Package records reads the records of CSV and JSON text, within bounds on their nesting and number of values. It must
// not know files, blocks or passages.
package records

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
)

// ErrLimit reports a text that would cost more memory than its letters.
var ErrLimit = errors.New("more than the limit")

// CSV reads records leniently. An unclosed quote consumes its own line, not the rest of the table.
type CSV struct {
	text  string
	comma rune
	r     *csv.Reader
	bad   int // lines with such quotes
	lost  int // bytes read in vain after such quotes
}

// maxBadQuotes bounds the lines with wrong quotes; beyond it quotes are plain characters.
const maxBadQuotes = 200

// maxLost bounds the bytes read in vain to look for closing quotes; beyond it too.
const maxLost = 64 << 20

// maxRow bounds the cells of a row, which the reader holds beside their text.
const maxRow = 100_000

// NewCSV returns a reader of text with the separator that its lines agree on. The error is [ErrLimit].
func NewCSV(text string) (*CSV, error) {
	comma := separator(text)
	if first, rest, ok := strings.Cut(text, "\n"); ok { // Excel's own hint
		if sep, is := strings.CutPrefix(strings.TrimSpace(first), "sep="); is && len(sep) == 1 {
			text, comma = rest, rune(sep[0])
		}
	}
	s := &CSV{comma: comma}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Count(line, string(comma)) > maxRow {
			return nil, fmt.Errorf("%w: more than %d cells in one row", ErrLimit, maxRow)
		}
	}
	s.from(marked(text, comma))
	return s, nil
}

// marked keeps the empty lines at the beginning of a text as records without content: they part titles from the table,
// and encoding/csv drops them.
func marked(text string, comma rune) string {
	var out strings.Builder
	n, quotes := 0, 0
	rest := text
	for ; n < Head && rest != ""; n++ {
		line, after, ok := strings.Cut(rest, "\n")
		if quotes += strings.Count(line, `"`); quotes%2 == 0 && strings.TrimSpace(line) == "" && ok {
			line = string(comma)
		}
		out.WriteString(line)
		if ok {
			out.WriteString("\n")
		}
		rest = after
	}
	return out.String() + rest
}

func (s *CSV) from(text string) {
	s.text, s.r = text, csv.NewReader(strings.NewReader(text))
	s.r.Comma, s.r.FieldsPerRecord, s.r.ReuseRecord = s.comma, -1, true
	s.r.LazyQuotes = s.bad >= maxBadQuotes || s.lost > maxLost
}

// Next returns the next record, valid until the call after it, or io.EOF at the end.
func (s *CSV) Next() ([]string, error) {
	at := int(s.r.InputOffset())
	rec, err := s.r.Read()
	if err == nil || !errors.Is(err, csv.ErrQuote) && !errors.Is(err, csv.ErrBareQuote) {
		return rec, err
	}
	s.bad++
	s.lost += int(s.r.InputOffset()) - at
	line, rest, _ := strings.Cut(strings.TrimLeft(s.text[min(at, len(s.text)):], "\n"), "\n")
	lone := csv.NewReader(strings.NewReader(line))
	lone.Comma, lone.FieldsPerRecord, lone.LazyQuotes = s.comma, -1, true
	rec, err = lone.Read()
	if open := strings.Count(line, `"`); open%2 == 1 { // an open one would swallow the cells after it
		rec, err = strings.Split(strings.ReplaceAll(line, `"`, ""), string(s.comma)), nil
	}
	s.from(rest)
	return rec, err
}

// separator returns the one of , ; | tab that the lines at the beginning agree on: which they have most
// often, outside of quotes.
func separator(text string) rune {
	best, most := ',', 0
	head := text
	if len(head) > 4096 {
		head = head[:4096]
	}
	for _, r := range []rune{',', '\t', ';', '|'} {
		n, quoted := 0, false
		for _, c := range head {
			if c == '"' {
				quoted = !quoted
			} else if c == r && !quoted {
				n++
			}
		}
		if n > most {
			best, most = r, n
		}
	}
	return best
}
