package load

import (
	"encoding/xml"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A sheet keeps a date as the number of days since the end of 1899; that it is one says the cell's
// format alone. dateFormats are the formats that come with the program, by number.
var dateFormats = map[int]bool{
	14: true, 15: true, 16: true, 17: true, 22: true, 27: true, 28: true, 29: true, 30: true, 31: true, 36: true,
	50: true, 51: true, 52: true, 53: true, 54: true, 57: true, 58: true,
}

// quotedFormat are the parts of a format that stand for themselves, and its colours and languages.
var quotedFormat = regexp.MustCompile(`"[^"]*"|\\.|\[[^\]]*\]`)

// dateStyles returns which styles of cells show dates, by the style's number.
func dateStyles(o *office) (map[string]bool, error) {
	b, err := o.part("xl/styles.xml")
	if err != nil || b == nil {
		return nil, err
	}
	own, out, n, in := map[int]bool{}, map[string]bool{}, 0, false
	return out, walkXML(b, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			if id, err := strconv.Atoi(attr(e, "numFmtId")); err == nil {
				own[id] = strings.ContainsAny(quotedFormat.ReplaceAllString(attr(e, "formatCode"), ""), "yYdD")
			}
		case "cellXfs":
			in = true
		case "xf":
			if !in {
				return nil
			}
			id, err := strconv.Atoi(attr(e, "numFmtId"))
			out[strconv.Itoa(n)] = err == nil && (own[id] || dateFormats[id])
			n++
		}
		return nil
	}, func(name string) error {
		in = in && name != "cellXfs"
		return nil
	}, func(string) {})
}

// lastDay is the last date that sheets know, 9999-12-31.
const lastDay = 2958465

// dateText writes the number of a date as people read it; what is no such number stays.
func dateText(v string) string {
	days, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || days < 1 || days > lastDay {
		return v
	}
	whole := math.Floor(days)
	at := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(whole)).Add(time.Duration(math.Round((days-whole)*24*60)) * time.Minute)
	if at.Hour() == 0 && at.Minute() == 0 {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02 15:04")
}
