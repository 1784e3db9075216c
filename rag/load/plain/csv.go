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
	var t outline.Table
	for _, rec := range head[at:] {
		if err := record(&t, rec, add); err != nil {
			return err
		}
	}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t.End(add)
		}
		if err == nil {
			err = record(&t, rec, add)
		}
		if err != nil {
			return err
		}
	}
}

func record(t *outline.Table, rec []string, add outline.Add) error {
	if records.Filled(rec) == 0 {
		return nil
	}
	return t.Row(outline.TableRow{Values: slices.Clone(rec)}, add)
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
