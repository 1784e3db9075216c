package load

import (
	"encoding/xml"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A sheet keeps a date as a number of days, and a share as a fraction of 1; that it is one says
// the cell's format alone. dateFormats are the formats that come with the program, by number.
var dateFormats = map[int]bool{
	14: true, 15: true, 16: true, 17: true, 22: true, 27: true, 28: true, 29: true, 30: true, 31: true, 36: true,
	50: true, 51: true, 52: true, 53: true, 54: true, 57: true, 58: true,
}

// quotedFormat are the parts of a format that stand for themselves, and its colours and languages.
var quotedFormat = regexp.MustCompile(`"[^"]*"|\\.|\[[^\]]*\]`)

// percentFormats are those of shares.
var percentFormats = map[int]bool{9: true, 10: true}

// cellStyle is what a cell's format makes of its number.
type cellStyle struct{ date, percent bool }

// text writes a cell as people read it.
func (c cellStyle) text(v string, first time.Time) string {
	switch {
	case c.date:
		return dateText(v, first)
	case c.percent:
		return percentText(v)
	}
	return v
}

func styleOf(format string) cellStyle {
	format = quotedFormat.ReplaceAllString(format, "")
	return cellStyle{date: strings.ContainsAny(format, "yYdD"), percent: strings.Contains(format, "%")}
}

// cellStyles returns what the styles of cells show, by the style's number.
func cellStyles(o *office) (map[string]cellStyle, error) {
	b, err := o.part("xl/styles.xml")
	if err != nil || b == nil {
		return nil, err
	}
	own, out, n, in := map[int]cellStyle{}, map[string]cellStyle{}, 0, false
	return out, walkXML(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			if id, err := strconv.Atoi(attr(e, "numFmtId")); err == nil {
				own[id] = styleOf(attr(e, "formatCode"))
			}
		case "cellXfs":
			in = true
		case "xf":
			if !in {
				return nil
			}
			if id, err := strconv.Atoi(attr(e, "numFmtId")); err == nil {
				style, ok := own[id]
				if !ok {
					style = cellStyle{date: dateFormats[id], percent: percentFormats[id]}
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

// firstDay is the day that sheets count as 0, and firstDay1904 that of those that came
// from an old Mac.
var (
	firstDay     = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	firstDay1904 = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
)

// lastDay is the last date that sheets know, 9999-12-31.
const lastDay = 2958465

// dateText writes the number of a date as people read it; what is no such number stays.
func dateText(v string, first time.Time) string {
	days, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || days < 1 || days > lastDay {
		return v
	}
	whole := math.Floor(days)
	at := first.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round((days-whole)*24*60)) * time.Minute)
	if at.Hour() == 0 && at.Minute() == 0 {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02 15:04")
}

// percentText writes a share as people read it, with all of its digits: 0.125 is 12.5%.
func percentText(v string) string {
	share, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || math.Abs(share) > 1e9 {
		return v
	}
	return strconv.FormatFloat(math.Round(share*1e10)/1e8, 'f', -1, 64) + "%"
}
