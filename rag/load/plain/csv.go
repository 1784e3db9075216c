package plain

import (
	"errors"
	"io"
	"slices"
	"strings"

	"maru/rag/load/outline"
	"maru/rag/load/records"
)

// CSV makes every record a row with the column names. Lines above them, as reports have them, are paragraphs.
func CSV(text string, add outline.Add) error {
	r, err := records.NewCSV(text)
	if err != nil {
		return err
	}
	var head [][]string
	for len(head) < records.Head {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		head = append(head, slices.Clone(rec))
	}
	at := records.HeaderOf(head)
	if err := above(head[:at], add); err != nil {
		return err
	}
	t := csvRows{add: add}
	for _, rec := range head[at:] {
		if err := t.record(rec); err != nil {
			return err
		}
	}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t.end()
		}
		if err != nil {
			return err
		}
		if err := t.record(rec); err != nil {
			return err
		}
	}
}

// csvRows emits records below the names of their columns.
type csvRows struct {
	add    outline.Add
	header []string
	filled outline.Columns
}

func (t *csvRows) record(rec []string) error {
	switch {
	case records.Filled(rec) == 0:
		return nil
	case t.header == nil:
		t.header = slices.Clone(rec)
		return nil
	}
	t.filled.See(rec)
	return t.add(outline.Block{Kind: outline.Row, Text: outline.RowText(t.header, rec)})
}

// end emits the names of columns without values, also of a table without rows.
func (t *csvRows) end() error {
	return t.add(outline.Block{Kind: outline.Row, Text: t.filled.Empty(t.header)})
}

// above emits the lines above the column names: a name with its value, or a title.
func above(lines [][]string, add outline.Add) error {
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
		if err := add(outline.Block{Text: strings.Join(cells, between)}); err != nil {
			return err
		}
	}
	return nil
}
