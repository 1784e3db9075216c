// Package chart is the chart of an answer: a fenced block of the language "chart" whose content is JSON. A model writes it,
// or [Complete] makes it of an answer's table for a person who asked for a chart. It is text on every way through the
// program, so that transcripts, exports and models keep it; adapters draw it as their platform can ([Chart.HTML], a
// native block, or [Chart.Bars]). It knows no platform.
package chart

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"maru/phrase/fit"
)

// Kind is the form of a chart.
type Kind string

// The kinds of charts.
const (
	Bar  Kind = "bar"
	Line Kind = "line"
	Area Kind = "area"
	Pie  Kind = "pie"
)

// Bounds of a chart.
const (
	maxPoints = 50
	maxSeries = 6

	maxSource = 16 << 10 // bytes of the JSON
	maxLabel  = 60       // letters
	maxTitle  = 100
	maxValue  = 1e15
)

// Chart is a few numbers to be seen at a glance. Every series has a value for each label.
type Chart struct {
	Kind   Kind     `json:"type"`
	Title  string   `json:"title,omitempty"`
	Unit   string   `json:"unit,omitempty"` // of the values
	Labels []string `json:"labels"`
	Series []Series `json:"series"`
}

// Series is one row of values.
type Series struct {
	Name   string    `json:"name,omitempty"`
	Values []float64 `json:"values"`
}

// Errors of [Parse].
var (
	errSize  = errors.New("chart: too large")
	errShape = errors.New("chart: labels and values do not match")
)

// written is a chart as models write it: in the form that the prompt shows, as a list of points, or as for Chart.js.
type written struct {
	Type   string `json:"type"`
	Kind   string `json:"kind"`
	Title  string `json:"title"`
	Unit   string `json:"unit"`
	Labels []any  `json:"labels"`
	Series []struct {
		Name   string    `json:"name"`
		Label  string    `json:"label"`
		Values []float64 `json:"values"`
		Data   []float64 `json:"data"`
	} `json:"series"`
	Values []float64       `json:"values"`
	Data   json.RawMessage `json:"data"`
}

// point is one of a list of points.
type point struct {
	Label any      `json:"label"`
	Name  any      `json:"name"`
	Value *float64 `json:"value"`
}

// Parse reads the content of a chart's block. The input is untrusted.
func Parse(src string) (Chart, error) {
	if len(src) > maxSource {
		return Chart{}, errSize
	}
	var w written
	if err := json.Unmarshal([]byte(src), &w); err != nil {
		return Chart{}, fmt.Errorf("chart: %w", err)
	}
	c := Chart{Kind: kindOf(w.Type + w.Kind), Title: w.Title, Unit: w.Unit, Labels: texts(w.Labels)}
	for _, s := range w.Series {
		c.Series = append(c.Series, Series{Name: s.Name + s.Label, Values: append(s.Values, s.Data...)})
	}
	if len(w.Values) > 0 {
		c.Series = append(c.Series, Series{Values: w.Values})
	}
	if len(w.Data) > 0 && len(c.Series) == 0 {
		c.data(w.Data)
	}
	if err := c.check(); err != nil {
		return Chart{}, err
	}
	return c, nil
}

// data reads the member "data": a list of points, or labels with data sets.
func (c *Chart) data(raw json.RawMessage) {
	var points []point
	if json.Unmarshal(raw, &points) == nil {
		var s Series
		for _, p := range points {
			if p.Value == nil {
				return
			}
			c.Labels = append(c.Labels, strings.Join(texts([]any{p.Label, p.Name}), " "))
			s.Values = append(s.Values, *p.Value)
		}
		c.Series = []Series{s}
		return
	}
	var sets struct {
		Labels   []any `json:"labels"`
		Datasets []struct {
			Label string    `json:"label"`
			Data  []float64 `json:"data"`
		} `json:"datasets"`
	}
	if json.Unmarshal(raw, &sets) != nil {
		return
	}
	c.Labels = texts(sets.Labels)
	for _, s := range sets.Datasets {
		c.Series = append(c.Series, Series{Name: s.Label, Values: s.Data})
	}
}

// texts are labels as they are written: texts or numbers. What is neither is left out.
func texts(list []any) []string {
	var out []string
	for _, v := range list {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case float64:
			out = append(out, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	return out
}

func kindOf(s string) Kind {
	switch s = strings.ToLower(s); {
	case strings.Contains(s, "pie"), strings.Contains(s, "doughnut"), strings.Contains(s, "donut"):
		return Pie
	case strings.Contains(s, "area"):
		return Area
	case strings.Contains(s, "line"):
		return Line
	}
	return Bar
}

// check bounds a chart and cleans its words.
func (c *Chart) check() error {
	switch {
	case len(c.Labels) == 0 || len(c.Series) == 0:
		return errShape
	case len(c.Labels) > maxPoints || len(c.Series) > maxSeries:
		return errSize
	}
	c.Title, c.Unit = tidy(c.Title, maxTitle), tidy(c.Unit, maxLabel)
	for i, l := range c.Labels {
		if c.Labels[i] = tidy(l, maxLabel); c.Labels[i] == "" {
			return errShape
		}
	}
	sum := 0.0
	for i, s := range c.Series {
		if len(s.Values) != len(c.Labels) {
			return errShape
		}
		c.Series[i].Name = tidy(s.Name, maxLabel)
		for _, v := range s.Values {
			if math.Abs(v) > maxValue {
				return errSize
			}
			if v < 0 && c.Kind == Pie {
				c.Kind = Bar // no part of a whole is negative
			}
			sum += v
		}
	}
	if c.Kind == Pie && (len(c.Series) > 1 || sum <= 0) {
		c.Kind = Bar
	}
	return nil
}

func tidy(s string, most int) string { return fit.Clip(fit.OneLine(fit.Clean(s)), most) }

// Fence writes a chart as a block of an answer.
func (c Chart) Fence() string {
	raw, err := json.Marshal(c)
	if err != nil {
		return "" // a NaN: check lets none pass
	}
	return "```" + Language + "\n" + string(raw) + "\n```"
}

// Number writes a value for people.
func Number(v float64) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', -1, 64)
	if math.Abs(v) >= 1000 || len(s) > 8 {
		s = strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(math.Abs(v), 'f', 2, 64), "0"), ".")
	}
	whole, rest, cut := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if cut {
		whole += "." + rest
	}
	if v < 0 {
		return "-" + whole
	}
	return whole
}

// value writes a value with the chart's unit.
func (c Chart) value(v float64) string {
	if c.Unit == "$" || c.Unit == "€" || c.Unit == "£" || c.Unit == "₩" || c.Unit == "¥" {
		return c.Unit + Number(v)
	}
	return Number(v) + c.Unit
}
