package load

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// parseText reads paragraphs between empty lines. Lines that begin a chapter
// or an article are found by the splitter.
func parseText(data []byte, _ limits, out *sink) error {
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	for _, p := range strings.Split(strings.ReplaceAll(text, "\f", "\n\n"), "\n\n") {
		if err := out.add(block{Kind: para, Text: p}); err != nil {
			return err
		}
	}
	return nil
}

// parseCSV makes every record a row with the names of the first.
func parseCSV(data []byte, _ limits, out *sink) error {
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = separator(text)
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	var header []string
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fault(Broken, "", err)
		}
		if header == nil {
			header = append([]string(nil), rec...)
			continue
		}
		if err := out.add(block{Kind: row, Text: rowText(header, rec)}); err != nil {
			return err
		}
	}
	if len(out.Blocks) == 0 && header != nil { // one line: its cells are all there is
		return out.add(block{Kind: row, Text: rowText(nil, header)})
	}
	return nil
}

// separator is the one of , ; tab that the first line has most of.
func separator(text string) rune {
	first, _, _ := strings.Cut(text, "\n")
	best, most := ',', strings.Count(first, ",")
	for _, r := range []rune{'\t', ';'} {
		if n := strings.Count(first, string(r)); n > most {
			best, most = r, n
		}
	}
	return best
}
