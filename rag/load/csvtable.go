package load

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// parseCSV makes every record a row with the column names. A lone cell on a line above them is a title.
func parseCSV(data []byte, _ limits, out *sink) error {
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	r := newRecords(text)
	var header, above []string
	rows := 0
	for n := 0; ; n++ {
		rec, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fault(Broken, "", err)
		}
		switch {
		case filled(rec) == 0:
		case header != nil:
			rows++
			if err := out.add(block{Kind: row, Text: rowText(header, rec)}); err != nil {
				return err
			}
		case filled(rec) == 1 && n < maxTitles:
			above = append(above, strings.TrimSpace(strings.Join(rec, "")))
		default:
			if err := titles(above, out); err != nil {
				return err
			}
			header, above = slices.Clone(rec), nil
		}
	}
	switch {
	case header == nil && len(above) > 1: // one column
		for _, v := range above[1:] {
			if err := out.add(block{Kind: row, Text: rowText(above[:1], []string{v})}); err != nil {
				return err
			}
		}
	case header == nil:
		return titles(above, out)
	case rows == 0: // one line: its cells are all there is
		return out.add(block{Kind: row, Text: rowText(nil, header)})
	}
	return nil
}

// maxTitles bounds the lines above the column names.
const maxTitles = 10

func titles(lines []string, out *sink) error {
	for _, l := range lines {
		if err := out.add(block{Kind: para, Text: l}); err != nil {
			return err
		}
	}
	return nil
}

// records parses records leniently. An unclosed quote consumes its own line, not the rest of the table.
type records struct {
	text  string
	comma rune
	r     *csv.Reader
	bad   int // lines with such quotes
}

// maxBadQuotes bounds the lines with wrong quotes; beyond it quotes are plain characters.
const maxBadQuotes = 200

func newRecords(text string) *records {
	comma := separator(text)
	if first, rest, ok := strings.Cut(text, "\n"); ok { // Excel's own hint
		if sep, is := strings.CutPrefix(strings.TrimSpace(first), "sep="); is && len(sep) == 1 {
			text, comma = rest, rune(sep[0])
		}
	}
	s := &records{comma: comma}
	s.from(text)
	return s
}

func (s *records) from(text string) {
	s.text, s.r = text, csv.NewReader(strings.NewReader(text))
	s.r.Comma, s.r.FieldsPerRecord, s.r.ReuseRecord = s.comma, -1, true
	s.r.LazyQuotes = s.bad >= maxBadQuotes
}

func (s *records) next() ([]string, error) {
	at := int(s.r.InputOffset())
	rec, err := s.r.Read()
	if err == nil || !errors.Is(err, csv.ErrQuote) && !errors.Is(err, csv.ErrBareQuote) {
		return rec, err
	}
	s.bad++
	line, rest, _ := strings.Cut(strings.TrimLeft(s.text[min(at, len(s.text)):], "\n"), "\n")
	lone := csv.NewReader(strings.NewReader(line))
	lone.Comma, lone.FieldsPerRecord, lone.LazyQuotes = s.comma, -1, true
	rec, err = lone.Read()
	if open := strings.Count(line, `"`); open%2 == 1 { // an open one would swallow the cells behind it
		rec, err = strings.Split(strings.ReplaceAll(line, `"`, ""), string(s.comma)), nil
	}
	s.from(rest)
	return rec, err
}

// separator is the one of , ; | tab that the lines at the beginning agree on: which they have most
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
