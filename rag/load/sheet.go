package load

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/rag/load/numfmt"
	"maru/rag/load/outline"
	"maru/rag/load/pack"
	"maru/rag/load/records"
	"maru/rag/load/remark"
)

// parseXLSX reads sheets, each under its name; rows carry the names of the first row. Charts follow their sheet.
func parseXLSX(data []byte, _ limits, out *sink) error {
	o, err := pack.Open(data)
	if err != nil {
		return err
	}
	main, book, err := o.Main("workbook", "xl/workbook.xml")
	if err != nil {
		return err
	}
	if book == nil {
		return fault(WrongType, "", nil)
	}
	shared, err := sharedStrings(o, main)
	if err != nil {
		return err
	}
	styles, err := cellStyles(o, main)
	if err != nil {
		return err
	}
	paths, err := o.ByID(main)
	if err != nil {
		return err
	}
	type sheet struct{ name, path string }
	var sheets []sheet
	shown := map[string]bool{}
	first := firstDay
	err = pack.Walk(book, func(e xml.StartElement) error {
		if e.Name.Local == "workbookPr" && pack.On(pack.Attr(e, "date1904")) {
			first = firstDay1904
		}
		if e.Name.Local == "sheet" && pack.Attr(e, "state") != "hidden" && pack.Attr(e, "state") != "veryHidden" {
			sheets = append(sheets, sheet{pack.Attr(e, "name"), paths[pack.Attr(e, "id")]})
			shown[pack.Attr(e, "name")] = true
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
	if err != nil {
		return err
	}
	for _, s := range sheets {
		b, err := o.Part(s.path)
		if err != nil {
			return err
		}
		before := len(out.Blocks)
		if err := out.add(block{Kind: heading, Level: 1, Text: s.name}); err != nil {
			return err
		}
		r := &sheetReader{shared: shared, styles: styles, first: first, out: out}
		if err := r.read(b); err != nil {
			return err
		}
		remarks, err := remark.Sheet(o, main, s.path)
		if err != nil {
			return err
		}
		boxes, err := remark.Boxes(o, s.path)
		if err != nil {
			return err
		}
		if err := emitBlocks(append(boxes, remark.Blocks(remarks)...), out.add); err != nil {
			return err
		}
		if err := sheetCharts(o, s.path, shown, out); err != nil {
			return err
		}
		if len(out.Blocks) == before+1 { // an empty sheet
			out.Blocks = out.Blocks[:before]
		}
	}
	return nil
}

// sheetCharts reads the charts on a sheet, skipping values of shown sheets.
func sheetCharts(o *pack.Package, sheet string, shown map[string]bool, out *sink) error {
	drawings, err := o.Related(sheet, "drawing")
	if err != nil {
		return err
	}
	for _, d := range drawings {
		charts, err := o.Related(d, "chart")
		if err != nil {
			return err
		}
		if err := readCharts(o, charts, func(s string) bool { return shown[s] }, out.add); err != nil {
			return err
		}
	}
	return nil
}

func sharedStrings(o *pack.Package, main string) ([]string, error) {
	b, err := o.One(main, "sharedStrings", "xl/sharedStrings.xml")
	if err != nil {
		return nil, err
	}
	var out []string
	var cur strings.Builder
	in, phonetic := false, false
	return out, pack.Walk(b, func(e xml.StartElement) error {
		in = e.Name.Local == "t"
		phonetic = phonetic || e.Name.Local == "rPh"
		return nil
	}, func(name string) error {
		in = false
		switch name {
		case "rPh":
			phonetic = false
		case "si":
			out = append(out, cur.String())
			cur.Reset()
		}
		return nil
	}, func(s string) {
		if in && !phonetic {
			cur.WriteString(s)
		}
	})
}

const maxColumns = 1000

// sheetReader reads the rows of one sheet.
type sheetReader struct {
	shared []string
	styles map[string]numfmt.Format
	first  time.Time // day 0 of its dates
	out    *sink

	spans []span // pending or still open, ordered by first row
	table outline.Table
	wide  int // columns of the first row; 0: no row yet
	deep  int // last row of the names of columns

	number, column int
	values         []string
	kind           string
	style          numfmt.Format
	cell           strings.Builder
	in             bool
	formula        strings.Builder
	inFormula      bool
	known          bool // the cell has a value
}

func (r *sheetReader) read(b []byte) error {
	var err error
	if r.spans, err = mergedCells(b); err != nil {
		return err
	}
	if err := pack.Walk(b, r.start, r.end, func(s string) {
		if r.in {
			r.cell.WriteString(s)
		} else if r.inFormula {
			r.formula.WriteString(s)
		}
	}); err != nil {
		return err
	}
	return r.table.End(r.out.add)
}

func (r *sheetReader) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "row":
		r.values = nil
		if n, err := strconv.Atoi(pack.Attr(e, "r")); err == nil && n > r.number {
			r.number = n
		} else {
			r.number++
		}
	case "c":
		r.column, r.kind = columnOf(pack.Attr(e, "r"), len(r.values)), pack.Attr(e, "t")
		r.style = r.styles[pack.Attr(e, "s")]
		r.cell.Reset()
		r.formula.Reset()
		r.known = false
	case "v", "t":
		r.in, r.known = true, true
	case "f":
		r.inFormula = true
	}
	return nil
}

func (r *sheetReader) end(name string) error {
	switch name {
	case "v", "t":
		r.in = false
	case "f":
		r.inFormula = false
	case "c":
		if r.column >= maxColumns {
			return nil
		}
		for len(r.values) <= r.column {
			r.values = append(r.values, "")
		}
		text := cellText(r.cell.String(), r.kind, r.shared)
		if r.kind == "" || r.kind == "n" {
			text = r.style.Text(text, r.first)
		}
		r.values[r.column] = text
		if f := strings.TrimSpace(r.formula.String()); !r.known && f != "" {
			r.values[r.column] = "=" + f // not computed yet
		}
	case "row":
		return r.endRow()
	}
	return nil
}

// endRow passes a row on. The first non-empty one may have the column names, with the rows below that a merged name
// covers; a single label across several columns before it is a title.
func (r *sheetReader) endRow() error {
	own := strings.TrimSpace(strings.Join(r.values, "")) != ""
	said := slices.Clone(r.values)
	wide, down := r.fill()
	switch {
	case !own: // otherwise rows above have at most labels
		ended, err := r.table.Break(r.out.add)
		if ended {
			r.wide = 0
		}
		return err
	case r.wide == 0 && wide > 0 && records.Filled(said) == 1:
		return r.out.add(block{Kind: para, Text: outline.RowText(nil, said)})
	case r.wide == 0:
		r.wide, r.deep = len(r.values), r.number
		if wide > 0 && down < r.number+maxHeaderRows {
			r.deep = down
		}
		r.table.Deep = 1 + r.deep - r.number
	}
	return r.table.Row(outline.TableRow{Values: r.values}, r.out.add)
}

// maxHeaderRows bounds the rows of column names.
const maxHeaderRows = 4

func cellText(v, kind string, shared []string) string {
	switch kind {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && i >= 0 && i < len(shared) {
			return shared[i]
		}
		return ""
	case "b":
		if v == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "d":
		return isoDate(v)
	}
	return v
}

// isoDate parses a date cell stored as text.
func isoDate(v string) string {
	day, at, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(v), "Z"), "T")
	at, _, _ = strings.Cut(at, ".")
	return strings.TrimSpace(day + " " + strings.TrimSuffix(strings.TrimSuffix(at, ":00"), "00:00"))
}

// columnOf parses the column of a cell reference: 0 of "A1", 27 of "AB3".
func columnOf(ref string, next int) int {
	n := 0
	for _, c := range ref {
		if c < 'A' || c > 'Z' || n > maxColumns {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	if n == 0 {
		return next
	}
	return n - 1
}
