package load

import (
	"errors"
	"io"
	"slices"
	"strings"

	"maru/rag/load/outline"
	"maru/rag/load/records"
)

// parseCSV makes every record a row with the column names. Lines above them, as reports have them, are paragraphs.
func parseCSV(data []byte, _ limits, out *sink) error {
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	r, err := records.NewCSV(text)
	if err != nil {
		return fault(TooComplex, "", err)
	}
	var head [][]string
	for len(head) < records.Head {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fault(Broken, "", err)
		}
		head = append(head, slices.Clone(rec))
	}
	at := records.HeaderOf(head)
	if err := above(head[:at], out); err != nil {
		return err
	}
	t := csvRows{out: out}
	for _, rec := range head[at:] {
		if err := t.add(rec); err != nil {
			return err
		}
	}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t.end()
		}
		if err != nil {
			return fault(Broken, "", err)
		}
		if err := t.add(rec); err != nil {
			return err
		}
	}
}

// csvRows emits records below the names of their columns.
type csvRows struct {
	out    *sink
	header []string
	rows   int
}

func (t *csvRows) add(rec []string) error {
	switch {
	case records.Filled(rec) == 0:
		return nil
	case t.header == nil:
		t.header = slices.Clone(rec)
		return nil
	}
	t.rows++
	return t.out.add(block{Kind: row, Text: outline.RowText(t.header, rec)})
}

// end emits the column names of a table without rows.
func (t *csvRows) end() error {
	if t.rows > 0 || t.header == nil {
		return nil
	}
	return t.out.add(block{Kind: row, Text: outline.RowText(nil, t.header)})
}

// above emits the lines above the column names: a name with its value, or a title.
func above(lines [][]string, out *sink) error {
	for _, rec := range lines {
		var cells []string
		for _, c := range rec {
			if c = strings.TrimSpace(c); c != "" {
				cells = append(cells, c)
			}
		}
		between := " | "
		if len(cells) == 2 {
			between = ": "
		}
		if err := out.add(block{Kind: para, Text: strings.Join(cells, between)}); err != nil {
			return err
		}
	}
	return nil
}
