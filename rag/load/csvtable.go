package load

import (
	"errors"
	"io"
	"slices"
	"strings"

	"maru/rag/load/records"
)

// parseCSV makes every record a row with the column names. A lone cell on a line above them is a title.
func parseCSV(data []byte, _ limits, out *sink) error {
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	r, err := records.NewCSV(text)
	if err != nil {
		return fault(TooComplex, "", err)
	}
	var header, above []string
	rows := 0
	for n := 0; ; n++ {
		rec, err := r.Next()
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
