// Package numfmt formats numbers of list items and sheet cells as displayed. A sheet stores a date or a time as a
// number of days, a percentage as a fraction of 1, and no unit; only the cell's format defines them.
//
// It must not know files, sheets or cells.
package numfmt

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// BuiltIn returns the predefined format of a number that files omit, including those of Korean Excel.
func BuiltIn(number int) Format {
	switch {
	case number == 9 || number == 10:
		return Parse("0%")
	case number == 22:
		return Parse("yyyy-mm-dd h:mm")
	case number == 18 || number == 20 || number == 32:
		return Parse("h:mm")
	case number == 19 || number == 21 || number == 33 || number == 45 || number == 47:
		return Parse("h:mm:ss")
	case number == 46:
		return Parse("[h]:mm:ss")
	case number >= 14 && number <= 17 || number >= 27 && number <= 31 || number >= 34 && number <= 36 || number >= 50 && number <= 54 || number == 57 || number == 58:
		return Parse("yyyy-mm-dd")
	}
	return Format{}
}

// kind is the meaning of a number.
type kind uint8

const (
	plainNumber kind = iota
	day              // perhaps with the time
	clock            // the time of a day
	lapse            // hours beyond 24
	share            // of 1, as per cent
	digits           // digits that are no quantity: 000-00-00000
)

// Format is a cell's number format. The zero value shows the number verbatim.
type Format struct {
	kind          kind
	seconds       bool
	before, after string // a currency, a unit
	mask          string // for digits
}

// Text formats a cell's value; first is the sheet's day 0.
func (c Format) Text(v string, first time.Time) string {
	n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil {
		return v
	}
	switch c.kind {
	case day:
		return c.dateText(v, n, first)
	case clock:
		if n >= 0 {
			return c.lapseText(n - math.Floor(n))
		}
	case lapse:
		return c.lapseText(n)
	case share:
		return percentText(v, n)
	case digits:
		if s := c.masked(v); s != "" {
			return s
		}
	}
	return c.before + numberText(v, n) + c.after
}

// Parse parses the section of a format for positive numbers.
func Parse(format string) Format {
	code, mask, c, over := readFormat(format)
	code = strings.ReplaceAll(strings.ToLower(code), "general", "")
	c.seconds = strings.Contains(code, "s")
	switch {
	case over:
		c.kind = lapse
	case strings.ContainsAny(code, "yd"):
		c.kind = day
	case strings.ContainsAny(code, "hs"):
		c.kind = clock
	case strings.Contains(code, "m"):
		c.kind = day
	case strings.Contains(code, "%"):
		c.kind = share
	case strings.Count(code, "0") > 1 && strings.Trim(code, "0#-() ") == "":
		c.kind, c.mask = digits, mask
	}
	return c
}

// readFormat separates a format code from its literal prefix and suffix. over means hours beyond a day. mask is code
// and literals together.
func readFormat(format string) (code, mask string, c Format, over bool) {
	var codes, all strings.Builder
	word := func(s string) {
		all.WriteString(s)
		if strings.ContainsAny(codes.String(), "0#?@Gg") {
			c.after += s
		} else {
			c.before += s
		}
	}
	for format != "" && format[0] != ';' {
		cut := func(begin, end string) string {
			in, rest, _ := strings.Cut(format[len(begin):], end)
			format = rest
			return in
		}
		switch format[0] {
		case '"':
			word(cut(`"`, `"`))
		case '[':
			in := cut("[", "]")
			if sign, ok := strings.CutPrefix(in, "$"); ok {
				sign, _, _ = strings.Cut(sign, "-")
				word(sign)
			} else if in != "" && strings.Trim(in, "hHmMsS") == "" {
				over = true
				codes.WriteString(in)
			}
		case '\\', '_', '*':
			_, n := utf8.DecodeRuneInString(format[1:])
			if format[0] == '\\' {
				word(format[1 : 1+n])
			}
			format = format[1+n:]
		default:
			codes.WriteByte(format[0])
			all.WriteByte(format[0])
			format = format[1:]
		}
	}
	if strings.TrimSpace(c.before) == "-" {
		c.before = ""
	}
	return codes.String(), all.String(), c, over
}

// lastDay is the last date of sheets, 9999-12-31.
const lastDay = 2958465

// dateText formats a date number; anything else stays verbatim.
func (c Format) dateText(v string, days float64, first time.Time) string {
	if days < 0 || days > lastDay {
		return v
	}
	if days < 1 {
		return c.lapseText(days)
	}
	whole := math.Floor(days)
	unit, layout := time.Minute, "2006-01-02 15:04"
	if c.seconds {
		unit, layout = time.Second, "2006-01-02 15:04:05"
	}
	at := first.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round((days-whole)*float64(24*time.Hour/unit))) * unit)
	if at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0 {
		return at.Format(time.DateOnly)
	}
	return at.Format(layout)
}

// lapseText formats days as hours: 9:30, 30:15:05.
func (c Format) lapseText(days float64) string {
	sign := ""
	if days < 0 {
		sign, days = "-", -days
	}
	if days > lastDay {
		return sign + strconv.FormatFloat(days, 'f', -1, 64)
	}
	all := int(math.Round(days * 24 * 60 * 60))
	if !c.seconds {
		all = int(math.Round(days*24*60)) * 60
	}
	s := fmt.Sprintf("%s%d:%02d", sign, all/3600, all/60%60)
	if all%60 != 0 {
		s += fmt.Sprintf(":%02d", all%60)
	}
	return s
}

// masked fills the digits of a whole number into a mask, from the right; "" if they do not fit.
func (c Format) masked(v string) string {
	v = strings.TrimSpace(v)
	if strings.Trim(v, "0123456789") != "" {
		return ""
	}
	out, left := []rune{}, v
	mask := []rune(c.mask)
	for i := len(mask) - 1; i >= 0; i-- {
		switch {
		case mask[i] != '0' && mask[i] != '#':
			out = append(out, mask[i])
		case left != "":
			out = append(out, rune(left[len(left)-1]))
			left = left[:len(left)-1]
		case mask[i] == '0':
			out = append(out, '0')
		}
	}
	slices.Reverse(out)
	return left + string(out)
}

// numberText formats a number with a sheet's 15 digits of precision: 1.1 is stored as 1.1000000000000001.
func numberText(v string, n float64) string {
	if size := math.Abs(n); !strings.ContainsAny(v, ".eE") || n != 0 && (size >= 1e15 || size < 1e-9) {
		return v
	}
	n, err := strconv.ParseFloat(strconv.FormatFloat(n, 'e', 14, 64), 64)
	if err != nil {
		return v
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// percentText formats a percentage with all of its digits: 0.125 is 12.5%.
func percentText(v string, share float64) string {
	if math.Abs(share) > 1e9 {
		return v
	}
	return strconv.FormatFloat(math.Round(share*1e10)/1e8, 'f', -1, 64) + "%"
}
