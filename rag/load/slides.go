package load

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// parsePPTX reads slides in order, each a page: its title as heading, then paragraphs.
func parsePPTX(data []byte, lim limits, out *sink) error {
	o, err := openOffice(data)
	if err != nil {
		return err
	}
	if o.files["ppt/presentation.xml"] == nil {
		return fault(WrongType, "", nil)
	}
	if err := readCoreTitle(o, out); err != nil {
		return err
	}
	for page := 1; ; page++ {
		b, err := o.part(fmt.Sprintf("ppt/slides/slide%d.xml", page))
		if err != nil {
			return err
		}
		if b == nil {
			return nil
		}
		if page > lim.Pages {
			return fault(TooComplex, "", errPageLimit)
		}
		if err := slide(b, page, out); err != nil {
			return err
		}
	}
}

func slide(b []byte, page int, out *sink) error {
	var text strings.Builder
	title, inText := false, false
	return walkXML(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "sp":
			title = false
		case "ph":
			t := attr(e, "type")
			title = t == "title" || t == "ctrTitle"
		case "t":
			inText = true
		case "br":
			text.WriteByte('\n')
		}
		return nil
	}, func(name string) error {
		switch name {
		case "t":
			inText = false
		case "p":
			kind, level := para, 0
			if title {
				kind, level = heading, 1
			}
			s := text.String()
			text.Reset()
			return out.add(block{Kind: kind, Level: level, Page: page, Text: s})
		}
		return nil
	}, func(s string) {
		if inText {
			text.WriteString(s)
		}
	})
}

// parseXLSX reads sheets, each under its name; rows carry the names of the first row.
func parseXLSX(data []byte, _ limits, out *sink) error {
	o, err := openOffice(data)
	if err != nil {
		return err
	}
	book, err := o.part("xl/workbook.xml")
	if err != nil {
		return err
	}
	if book == nil {
		return fault(WrongType, "", nil)
	}
	shared, err := sharedStrings(o)
	if err != nil {
		return err
	}
	dates, err := dateStyles(o)
	if err != nil {
		return err
	}
	paths, err := relations(o, "xl/_rels/workbook.xml.rels")
	if err != nil {
		return err
	}
	type sheet struct{ name, path string }
	var sheets []sheet
	err = walkXML(book, func(e xml.StartElement) error {
		if e.Name.Local == "sheet" && attr(e, "state") != "hidden" && attr(e, "state") != "veryHidden" {
			target := strings.TrimPrefix(paths[attr(e, "id")], "/")
			if !strings.HasPrefix(target, "xl/") {
				target = "xl/" + target
			}
			sheets = append(sheets, sheet{attr(e, "name"), target})
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
	if err != nil {
		return err
	}
	for _, s := range sheets {
		b, err := o.part(s.path)
		if err != nil {
			return err
		}
		if err := out.add(block{Kind: heading, Level: 1, Text: s.name}); err != nil {
			return err
		}
		if err := readSheet(b, shared, dates, out); err != nil {
			return err
		}
	}
	return nil
}

func relations(o *office, name string) (map[string]string, error) {
	b, err := o.part(name)
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	return m, walkXML(b, func(e xml.StartElement) error {
		if e.Name.Local == "Relationship" {
			m[attr(e, "Id")] = attr(e, "Target")
		}
		return nil
	}, func(string) error { return nil }, func(string) {})
}

func sharedStrings(o *office) ([]string, error) {
	b, err := o.part("xl/sharedStrings.xml")
	if err != nil {
		return nil, err
	}
	var out []string
	var cur strings.Builder
	in, phonetic := false, false
	return out, walkXML(b, func(e xml.StartElement) error {
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

func readSheet(b []byte, shared []string, dates map[string]bool, out *sink) error {
	var header, values []string
	var cell strings.Builder
	column, kind, in, dated := 0, "", false, false
	return walkXML(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "row":
			values = nil
		case "c":
			column, kind = columnOf(attr(e, "r"), len(values)), attr(e, "t")
			dated = dates[attr(e, "s")] && (kind == "" || kind == "n")
			cell.Reset()
		case "v", "t":
			in = true
		}
		return nil
	}, func(name string) error {
		switch name {
		case "v", "t":
			in = false
		case "c":
			if column >= maxColumns {
				return nil
			}
			for len(values) <= column {
				values = append(values, "")
			}
			values[column] = cellText(cell.String(), kind, shared)
			if dated {
				values[column] = dateText(values[column])
			}
		case "row":
			if header == nil {
				if strings.TrimSpace(strings.Join(values, "")) != "" {
					header = values
				}
				return nil
			}
			return out.add(block{Kind: row, Text: rowText(header, values)})
		}
		return nil
	}, func(s string) {
		if in {
			cell.WriteString(s)
		}
	})
}

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
	}
	return v
}

// columnOf reads the column of a cell's name: 0 of "A1", 27 of "AB3".
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
