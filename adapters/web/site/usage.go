package site

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"maru/bot"
)

// Usage sums the costs of runs and of other model calls. Used lists the days from one to another, both included;
// the channels of private conversations are named [PrivateChannel], and people by name and ID.
type Usage interface {
	Used(ctx context.Context, by bot.User, from, to string) ([]bot.Used, error)
	// UsedModels lists usage by model and purpose: Model and Kind are in words for people.
	UsedModels(ctx context.Context, by bot.User, from, to string) ([]bot.Used, error)
}

// PrivateChannel replaces the channels of private conversations.
const PrivateChannel = "~private"

// spans maps the chart's periods to days.
var spans = map[string]int{"week": 7, "month": 30, "quarter": 90}

// The measures of the chart.
const (
	chartWidth, chartHeight = 900.0, 180.0
	chartGap                = 0.25 // of a day's width
)

type usagePage struct {
	base

	Span, Of string
	Bars     []bar
	Top      string // of the axis
	Total    sum
	Groups   []group
	Empty    bool
}

// bar is a day of the chart.
type bar struct {
	Day, Value string
	X, Y, W, H float64
}

// sum is the content of a table row.
type sum struct {
	ID, Name      string // Name is the ID in words
	Runs, Failed  int
	Tokens, Calls int
	Cost          float64
	Took          time.Duration
	Share         int // of the largest, in percent
}

// group is a table: sums by one criterion.
type group struct {
	Title  string
	Models bool // of calls, not of runs
	Rows   []sum
}

// Spans lists the keys of the lengths, the shortest first.
func (usagePage) Spans() []string { return []string{"week", "month", "quarter"} }

// Measures lists the measures of the chart.
func (usagePage) Measures() []string { return []string{"tokens", "runs", "cost"} }

// SpanWord names a length.
func (p usagePage) SpanWord(s string) string { return p.T("usage.span." + s) }

// MeasureWord returns the name of a measure.
func (p usagePage) MeasureWord(s string) string { return p.T("usage.of." + s) }

// Width returns the width of the drawing.
func (usagePage) Width() float64 { return chartWidth }

// Height returns the height of the drawing.
func (usagePage) Height() float64 { return chartHeight }

// Last returns the chart's last day.
func (p usagePage) Last() string { return p.Bars[len(p.Bars)-1].Day }

// of returns a sum by the chart's measure.
func (p usagePage) of(s sum) float64 {
	switch p.Of {
	case "runs":
		return float64(s.Runs)
	case "cost":
		return s.Cost
	}
	return float64(s.Tokens)
}

// told formats a value of the chart's measure.
func (p usagePage) told(v float64) string {
	if p.Of == "cost" {
		return cmp.Or(money(v), "0")
	}
	return count(int(v))
}

func (s *sum) add(u bot.Used) {
	s.Runs += u.Runs
	s.Failed += u.Failed
	s.Tokens += u.Input + u.Output
	s.Calls += u.Calls
	s.Cost += u.Cost
	s.Took += u.Took
}

func (s *Site) usage(w http.ResponseWriter, r *http.Request, d Usage) {
	p := usagePage{base: s.base(r), Span: r.FormValue("span"), Of: r.FormValue("of")}
	if spans[p.Span] == 0 {
		p.Span = "month"
	}
	days := spans[p.Span]
	first := p.now.AddDate(0, 0, 1-days)
	from, to := first.Format(time.DateOnly), p.now.Format(time.DateOnly)
	rows, err := d.Used(r.Context(), p.User, from, to)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	models, err := d.UsedModels(r.Context(), p.User, from, to)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	p.Empty = len(rows) == 0
	if !slices.Contains(p.Measures(), p.Of) {
		p.Of = "tokens"
		if !slices.ContainsFunc(rows, func(u bot.Used) bool { return u.Input+u.Output > 0 }) { // the built-in model uses none
			p.Of = "runs"
		}
	}
	p.draw(rows, first, days)
	same := func(id string) string { return id }
	p.group("usage.by.agent", rows, func(u bot.Used) string { return u.Agent }, func(id string) string { return cmp.Or(id, p.T("usage.beside")) })
	s.name(r, &p.base, keysOf(rows, usedIn)...)
	p.group("usage.by.channel", rows, usedIn, func(id string) string {
		switch id {
		case "":
			return p.T("usage.nowhere")
		case PrivateChannel:
			return p.T("usage.private")
		}
		return p.PlaceWord(id)
	})
	p.group("usage.by.person", rows, func(u bot.Used) string { return u.User }, func(id string) string { return cmp.Or(id, p.T("usage.nobody")) })
	asked := len(p.Groups)
	p.group("usage.by.model", models, func(u bot.Used) string { return u.Model }, same)
	p.group("usage.by.purpose", models, func(u bot.Used) string { return string(u.Kind) }, same)
	for i := range p.Groups[asked:] {
		p.Groups[asked+i].Models = true
	}
	s.show(w, r, "usage", p.T("usage"), p)
}

// usedIn returns the channel of a row, the whole console as one.
func usedIn(u bot.Used) string {
	switch {
	case u.Channel == "", u.Channel == PrivateChannel:
		return u.Channel
	case u.Team == consoleTeam:
		return u.Team
	}
	return u.Team + "/" + bot.Esc(u.Channel)
}

// draw fills the chart.
func (p *usagePage) draw(rows []bot.Used, first time.Time, days int) {
	byDay := map[string]*sum{}
	for _, u := range rows {
		p.Total.add(u)
		if byDay[u.Day] == nil {
			byDay[u.Day] = &sum{}
		}
		byDay[u.Day].add(u)
	}
	top := 0.0
	for _, s := range byDay {
		top = max(top, p.of(*s))
	}
	p.Top = p.told(top)
	each := chartWidth / float64(days)
	for i := range days {
		day := first.AddDate(0, 0, i).Format(time.DateOnly)
		b := bar{Day: day, X: float64(i)*each + each*chartGap/2, W: each * (1 - chartGap), Y: chartHeight, Value: p.told(0)}
		if s := byDay[day]; s != nil && top > 0 {
			v := p.of(*s)
			b.H = v / top * chartHeight
			b.Y, b.Value = chartHeight-b.H, p.told(v)
		}
		p.Bars = append(p.Bars, b)
	}
}

// maxGroup limits the rows of a table.
const maxGroup = 20

// group adds a table, the largest first.
func (p *usagePage) group(title string, rows []bot.Used, of func(bot.Used) string, name func(id string) string) {
	at := map[string]int{}
	var list []sum
	for _, u := range rows {
		id := of(u)
		i, ok := at[id]
		if !ok {
			i = len(list)
			at[id], list = i, append(list, sum{ID: id, Name: name(id)})
		}
		list[i].add(u)
	}
	slices.SortStableFunc(list, func(a, b sum) int { return cmp.Or(cmp.Compare(p.of(b), p.of(a)), cmp.Compare(a.Name, b.Name)) })
	for i := range list {
		if most := p.of(list[0]); most > 0 {
			list[i].Share = int(100 * p.of(list[i]) / most)
		}
	}
	if len(list) > 0 {
		p.Groups = append(p.Groups, group{Title: p.T(title), Rows: list[:min(len(list), maxGroup)]})
	}
}
