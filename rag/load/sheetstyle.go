package load

import (
	"encoding/xml"
	"strconv"
	"time"

	"maru/rag/load/numfmt"
	"maru/rag/load/pack"
)

// cellStyles maps style numbers to number formats.
func cellStyles(o *pack.Package, main string) (map[string]numfmt.Format, error) {
	b, err := o.One(main, "styles", "xl/styles.xml")
	if err != nil || b == nil {
		return nil, err
	}
	own, out, n, in := map[int]numfmt.Format{}, map[string]numfmt.Format{}, 0, false
	return out, pack.Walk(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			if id, err := strconv.Atoi(pack.Attr(e, "numFmtId")); err == nil {
				own[id] = numfmt.Parse(pack.Attr(e, "formatCode"))
			}
		case "cellXfs":
			in = true
		case "xf":
			if !in {
				return nil
			}
			if id, err := strconv.Atoi(pack.Attr(e, "numFmtId")); err == nil {
				style, ok := own[id]
				if !ok {
					style = numfmt.BuiltIn(id)
				}
				out[strconv.Itoa(n)] = style
			}
			n++
		}
		return nil
	}, func(name string) error {
		in = in && name != "cellXfs"
		return nil
	}, func(string) {})
}

// firstDay is day 0 of sheets, and firstDay1904 that of sheets from old Macs.
var (
	firstDay     = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	firstDay1904 = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
)
