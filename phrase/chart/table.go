package chart

import (
	"strconv"
	"strings"

	"maru/phrase/pattern"
)

// table is a Markdown table of an answer.
type table struct {
	title string // the line above it, if that names it
	head  []string
	rows  [][]string
}

var (
	// number is a value with its unit before or after it: "1,200원", "$3.40", "12 %".
	number = pattern.New(`^([₩$€£¥]?)\s*([-+−–]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+−–]?\d+(?:\.\d+)?)\s*(\pL{0,4}|%|%p|‰|°C)$`)
	rule   = pattern.New(`^\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?$`)
	marks  = pattern.New("\\s*\\[\\d{1,3}(?:\\s*,\\s*\\d{1,3})*\\](?:\\([^)]*\\))?|\\*\\*|__|`")
	// sums are rows that are no items of their own.
	sums = pattern.New(`(?i)^(?:총?\s*합계|총계|소계|계|합|평균|전체|(?:grand |sub)?total|sum|average|mean|all)$`)
	// temporal matches headings of columns of times, which are labels although they may be numbers.
	temporal = pattern.New(`(?i)^(?:연도|년도?|년월|월|일|일자|날짜|기간|분기|반기|주차?|요일|시간대?|시각|year|month|day|date|week|quarter|period|time|hour|fy|yyyy.*)$`)
	// keys matches headings of columns of numbers that count nothing.
	keys = pattern.New(`(?i)^(?:no\.?|#|id|.*\bid|index|rank|순번|순위|번호|.*번호|사번|코드|.*코드|code|zip|연번|우편번호)$`)
	// moments matches labels that follow each other in time.
	moments = pattern.New(`(?i)^(?:\d{4}(?:[-./년]\s?\d{1,2}(?:[-./월]\s?\d{1,2}일?|월)?|년)?|'?\d{2}년?|\d{1,2}[월일시주]|\d{1,2}주차|[1-4]분기|[월화수목금토일]요일|q[1-4](?:\s.*)?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:\s.*)?|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|(?:week|day|month)\s\d+|\d{1,2}:\d{2}|\d{1,2}/\d{1,2})$`)
)

// tables returns the tables of a Markdown text.
func tables(md string) []table {
	lines := strings.Split(md, "\n")
	var out []table
	for i := 1; i < len(lines); i++ {
		if !rule.MatchString(strings.TrimSpace(lines[i])) || !strings.Contains(lines[i-1], "|") {
			continue
		}
		t := table{head: cells(lines[i-1])}
		for above := i - 2; above >= 0 && above >= i-4; above-- {
			if s := strings.Trim(marks.ReplaceAllString(lines[above], ""), " #*:"); s != "" {
				if len([]rune(s)) <= 40 && !strings.HasSuffix(s, ".") && !strings.Contains(s, "|") {
					t.title = s
				}
				break
			}
		}
		for i++; i < len(lines) && strings.Contains(lines[i], "|"); i++ {
			t.rows = append(t.rows, cells(lines[i]))
		}
		out = append(out, t)
	}
	return out
}

// cells splits a row at its bars.
func cells(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimLeft(line, "> "), "|"), "|")
	list := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
	for i, s := range list {
		list[i] = strings.TrimSpace(marks.ReplaceAllString(strings.ReplaceAll(s, "\x00", "|"), ""))
	}
	return list
}

// value reads a cell as a number with its unit.
func value(cell string) (v float64, unit string, ok bool) {
	m := number.FindStringSubmatch(cell)
	if m == nil {
		return 0, "", false
	}
	s := strings.NewReplacer(",", "", "−", "-", "–", "-", "+", "").Replace(m[2])
	v, err := strconv.ParseFloat(s, 64)
	return v, m[1] + m[3], err == nil
}

// column is one column of numbers.
type column struct {
	at   int
	name string
	unit string
}

// inName is a unit that the name of a column has: "매출(만원)", "Revenue (k€)".
var inName = pattern.New(`^(.*?)\s*[(\[]([^()\[\]]{1,12})[)\]]$`)

// numeric returns the columns of numbers and the column of labels; -1 without one.
func (t table) numeric() (list []column, labels int) {
	labels = -1
	for c, name := range t.head {
		filled, counted, unit := 0, 0, ""
		for _, r := range t.rows {
			if c >= len(r) || r[c] == "" || r[c] == "-" {
				continue
			}
			filled++
			if _, u, ok := value(r[c]); ok {
				counted, unit = counted+1, u
			}
		}
		switch {
		case filled == 0, keys.MatchString(name):
		case counted*5 < filled*4 || temporal.MatchString(name):
			if labels < 0 {
				labels = c
			}
		default:
			if m := inName.FindStringSubmatch(name); m != nil && unit == "" {
				name, unit = m[1], m[2]
			}
			list = append(list, column{c, name, unit})
		}
	}
	if labels < 0 && len(list) > 1 { // "2021 | 340": the first column names the others
		labels, list = list[0].at, list[1:]
	}
	return list, labels
}

// wantedOf returns the columns that a question names, or those that are measured alike.
func wantedOf(list []column, question string) []column {
	var named, alike []column
	bare := squeezed(question)
	for _, c := range list {
		if n := squeezed(c.name); n != "" && strings.Contains(bare, n) {
			named = append(named, c)
		}
		if c.unit == list[0].unit {
			alike = append(alike, c)
		}
	}
	if len(named) == 0 {
		named = alike
	}
	return named[:min(len(named), maxSeries)]
}

func squeezed(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }

// chart makes a chart of a table: nil unless two rows at least have numbers.
func (t table) chart(kind Kind, question string) *Chart {
	list, labels := t.numeric()
	if len(list) == 0 || labels < 0 {
		return nil
	}
	list = wantedOf(list, question)
	if kind == Pie {
		list = list[:1]
	}
	c := &Chart{Kind: kind, Title: t.title, Unit: list[0].unit}
	for _, col := range list {
		if col.unit != c.Unit {
			c.Unit = ""
		}
		c.Series = append(c.Series, Series{Name: col.name})
	}
	ordered := true
	for _, r := range t.rows {
		if len(c.Labels) == maxPoints || labels >= len(r) || r[labels] == "" || sums.MatchString(r[labels]) {
			continue
		}
		values := make([]float64, 0, len(list))
		for _, col := range list {
			if col.at < len(r) {
				if v, _, ok := value(r[col.at]); ok {
					values = append(values, v)
				}
			}
		}
		if len(values) < len(list) {
			continue // a gap cannot be drawn
		}
		c.Labels = append(c.Labels, r[labels])
		ordered = ordered && moments.MatchString(r[labels])
		for i, v := range values {
			c.Series[i].Values = append(c.Series[i].Values, v)
		}
	}
	if len(c.Labels) < 2 {
		return nil
	}
	if c.Kind == "" {
		if c.Kind = Bar; ordered && len(c.Labels) > 4 {
			c.Kind = Line
		}
	}
	if c.Title == "" && len(list) == 1 {
		c.Title = list[0].name
	}
	if c.check() != nil {
		return nil
	}
	return c
}
