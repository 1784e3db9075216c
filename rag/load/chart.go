package load

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/phrase"
	"maru/rag/load/numfmt"
	"maru/rag/load/outline"
	"maru/rag/load/pack"
	"maru/rag/load/records"
	"maru/rag/load/remark"
)

// maxPoints bounds the points read per series.
const maxPoints = 10_000

// chartReader reads a chart's cached data: its title, and its categories with the value of each series as table rows.
// Office programs cache them so that a chart renders without its sheet.
type chartReader struct {
	path   []string // open elements
	title  strings.Builder
	across strings.Builder // title of the category axis
	up     strings.Builder // title of the value axis
	axes   int             // number of value axes seen
	cloud  bool            // scatter chart: both axes have values, the first is horizontal
	series []chartSeries
	first  time.Time // day 0 of its dates

	text   strings.Builder // of the open point, formula or format
	index  int             // of the open point
	format string          // of the open list of numbers
	own    string          // of the open point, if it has one
	level  int             // of the open list of categories, 0 is the innermost
}

// chartSeries is one series: a row of bars, a line or a cloud of points.
type chartSeries struct {
	name       string
	sheet      string     // source of the values
	categories [][]string // by level, the innermost first
	values     []string
	sizes      []string // of bubbles
}

// readCharts reads the charts at the names, skipping series whose values are in the sheets of read.
func readCharts(o *pack.Package, names []string, read func(sheet string) bool, add func(block) error) error {
	for _, name := range names {
		b, err := o.Part(name)
		if err != nil {
			return err
		}
		r := &chartReader{first: firstDay}
		if err := pack.Walk(b, r.start, r.end, func(s string) { r.text.WriteString(s) }); err != nil {
			return err
		}
		if err := r.blocks(read, add); err != nil {
			return err
		}
	}
	return nil
}

// noSheet is for charts without a sheet among the read parts.
func noSheet(string) bool { return false }

func (r *chartReader) start(e xml.StartElement) error {
	r.path = append(r.path, e.Name.Local)
	r.text.Reset()
	switch e.Name.Local {
	case "date1904":
		if pack.On(pack.Attr(e, "val")) {
			r.first = firstDay1904
		}
	case "valAx":
		r.axes++
	case "scatterChart", "bubbleChart":
		r.cloud = true
	case "ser":
		r.series = append(r.series, chartSeries{})
	case "cat", "xVal", "val", "yVal", "bubbleSize":
		r.level, r.format = 0, ""
	case "pt":
		n, err := strconv.Atoi(pack.Attr(e, "idx"))
		if err != nil || n < 0 || n >= maxPoints {
			n = -1
		}
		r.index, r.own = n, pack.Attr(e, "formatCode")
	}
	return nil
}

func (r *chartReader) end(name string) error {
	text := strings.TrimSpace(r.text.String())
	r.path = r.path[:max(0, len(r.path)-1)]
	switch name {
	case "formatCode":
		r.format = text
	case "lvl":
		r.level++
	case "t":
		r.titled(r.text.String())
	case "p":
		r.titled(" ")
	case "v":
		r.value(text)
	case "f":
		if s := r.last(); s != nil && (r.within("val") || r.within("yVal")) {
			s.sheet = sheetOf(text)
		}
	}
	r.text.Reset()
	return nil
}

func (r *chartReader) within(name string) bool { return slices.Contains(r.path, name) }

// last returns the open series.
func (r *chartReader) last() *chartSeries {
	if len(r.series) == 0 || !r.within("ser") {
		return nil
	}
	return &r.series[len(r.series)-1]
}

// titled appends title text to the chart or an axis.
func (r *chartReader) titled(words string) {
	switch {
	case !r.within("title"):
	case r.within("catAx") || r.within("dateAx") || r.within("valAx") && r.axes == 1 && r.cloud:
		r.across.WriteString(words)
	case r.within("valAx"):
		r.up.WriteString(words)
	case !r.within("serAx"):
		r.title.WriteString(words)
	}
}

// value sets the text of a point.
func (r *chartReader) value(text string) {
	s := r.last()
	switch {
	case s == nil || r.within("title"):
		r.titled(text)
	case r.within("tx"):
		s.name = strings.TrimSpace(s.name + " " + text)
	case r.index < 0 || !r.within("pt"):
	case r.within("cat"), r.within("xVal"):
		level := min(r.level, maxHeaderRows)
		for len(s.categories) <= level {
			s.categories = append(s.categories, nil)
		}
		s.categories[level] = put(s.categories[level], r.index, r.shown(text))
	case r.within("val"), r.within("yVal"):
		s.values = put(s.values, r.index, r.shown(text))
	case r.within("bubbleSize"):
		s.sizes = put(s.sizes, r.index, r.shown(text))
	}
}

// shown formats a number.
func (r *chartReader) shown(text string) string {
	format := r.own
	if format == "" {
		format = r.format
	}
	if format == "" {
		return text
	}
	return numfmt.Parse(format).Text(text, r.first)
}

func put(list []string, at int, v string) []string {
	for len(list) <= at {
		list = append(list, "")
	}
	list[at] = v
	return list
}

// sheetOf returns the sheet of a formula: Sales 2024 for 'Sales 2024'!$B$2:$B$9. A reference to another file keeps
// the file's number and so matches no sheet of this one.
func sheetOf(formula string) string {
	at := strings.LastIndexByte(formula, '!')
	if at < 0 {
		return ""
	}
	sheet := strings.TrimPrefix(formula[:at], "(")
	if n := len(sheet); n > 1 && sheet[0] == '\'' && sheet[n-1] == '\'' {
		sheet = strings.ReplaceAll(sheet[1:n-1], "''", "'")
	}
	return sheet
}

// blocks returns the title with the name of the values' axis, usually their unit, and the rows. Series with equal
// categories share rows.
func (r *chartReader) blocks(read func(sheet string) bool, add func(block) error) error {
	title := strings.Join(strings.Fields(r.title.String()), " ")
	if unit := strings.Join(strings.Fields(r.up.String()), " "); unit != "" && title != "" {
		title += " (" + unit + ")"
	} else if title == "" {
		title = unit
	}
	if title != "" {
		if err := add(block{Kind: para, Text: phrase.Say(remark.Language(title), "load.chart", title)}); err != nil {
			return err
		}
	}
	for from := 0; from < len(r.series); {
		labels := r.series[from].labels()
		to := from + 1
		for to < len(r.series) && slices.Equal(r.series[to].labels(), labels) {
			to++
		}
		if err := r.table(r.series[from:to], labels, read, add); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// table emits the rows of series with equal categories.
func (r *chartReader) table(series []chartSeries, labels []string, read func(sheet string) bool, add func(block) error) error {
	header := []string{strings.Join(strings.Fields(r.across.String()), " ")}
	var columns [][]string
	for _, s := range series {
		if read(s.sheet) {
			continue
		}
		header, columns = append(header, s.name), append(columns, s.values)
		if s.sizes != nil {
			header, columns = append(header, ""), append(columns, s.sizes)
		}
	}
	rows := 0
	for _, c := range columns {
		rows = max(rows, len(c))
	}
	for i := range rows {
		values := []string{at(labels, i)}
		for _, c := range columns {
			values = append(values, at(c, i))
		}
		if records.Filled(values[1:]) == 0 {
			continue
		}
		if err := add(block{Kind: row, Text: outline.RowText(header, values)}); err != nil {
			return err
		}
	}
	return nil
}

// labels joins the category levels, outer first. An outer label is stored at the first category of its span.
func (s chartSeries) labels() []string {
	n := 0
	for _, level := range s.categories {
		n = max(n, len(level))
	}
	out := make([]string, n)
	for k := len(s.categories) - 1; k >= 0; k-- {
		last := ""
		for i := range out {
			v := at(s.categories[k], i)
			if v == "" && k > 0 {
				v = last
			}
			last = v
			out[i] = strings.TrimSpace(out[i] + " " + v)
		}
	}
	return out
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}
