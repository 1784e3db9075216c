package chart

import (
	"math"
	"strings"

	"maru/phrase"
	"maru/phrase/fit"
)

const (
	barWidth   = 18 // of the longest bar: a phone shows about 40 columns of code
	labelWidth = 14
)

// Bars draws a chart as lines of text for a font of one width: the form of platforms without charts, and what screen
// readers get. It has every value.
func (c Chart) Bars() []string {
	var out []string
	if t := c.Title; t != "" {
		out = append(out, t)
	}
	most, sum := 0.0, 0.0
	for _, s := range c.Series {
		for _, v := range s.Values {
			most, sum = max(most, math.Abs(v)), sum+v
		}
	}
	names := c.Labels
	if len(c.Series) > 1 {
		names = nil
		for _, s := range c.Series {
			names = append(names, s.Name)
		}
	}
	wide := 0
	for _, n := range names {
		wide = max(wide, min(fit.Width(n), labelWidth))
	}
	for i, l := range c.Labels {
		if len(c.Series) > 1 {
			out = append(out, l)
		}
		for _, s := range c.Series {
			name, lead := l, ""
			if len(c.Series) > 1 {
				name, lead = s.Name, "  "
			}
			line := lead + padded(name, wide) + " " + drawn(s.Values[i], most) + " " + c.value(s.Values[i])
			if c.Kind == Pie {
				line += " (" + percent(s.Values[i], sum) + ")"
			}
			out = append(out, line)
		}
	}
	return out
}

// padded fits a name into a column.
func padded(s string, wide int) string {
	s = fit.ClipBy(s, wide, fit.Width)
	return s + strings.Repeat(" ", max(0, wide-fit.Width(s)))
}

// drawn returns the bar of a value; a negative one is hollow.
func drawn(v, most float64) string {
	if most == 0 || v == 0 {
		return ""
	}
	mark := "█"
	if v < 0 {
		mark = "░"
	}
	return strings.Repeat(mark, max(1, int(math.Round(math.Abs(v)/most*barWidth))))
}

func percent(v, sum float64) string { return Number(math.Round(v/sum*1000)/10) + "%" }

// kindWord returns the key of a kind's name.
func (k Kind) kindWord() string { return "chart." + string(k) }

// Alt describes a chart in a sentence.
func (c Chart) Alt(lang string) string {
	name := phrase.Say(lang, c.Kind.kindWord())
	if c.Title != "" {
		name += ": " + c.Title
	}
	low, high, lowAt, highAt := math.Inf(1), math.Inf(-1), "", ""
	for _, s := range c.Series {
		for i, v := range s.Values {
			at := c.Labels[i]
			if len(c.Series) > 1 && s.Name != "" {
				at = s.Name + ", " + at
			}
			if v < low {
				low, lowAt = v, at
			}
			if v > high {
				high, highAt = v, at
			}
		}
	}
	return phrase.Say(lang, "chart.alt", name, len(c.Labels), highAt, c.value(high), lowAt, c.value(low))
}

// Heading returns the title, or the name of the kind.
func (c Chart) Heading(lang string) string {
	if c.Title != "" {
		return c.Title
	}
	return phrase.Say(lang, c.Kind.kindWord())
}
