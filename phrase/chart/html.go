package chart

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"maru/phrase"
	"maru/phrase/fit"
)

// The drawing's measures, in its own units.
const (
	wide, high        = 640.0, 300.0
	left, right       = 64.0, 12.0
	top, bottom       = 14.0, 46.0
	ticks             = 4
	maxTicks          = 4 * ticks // whatever the rounding of the values gives
	minRange          = 1e-290    // of an axis: below it the step underflows
	maxAxis           = 12        // labels below an axis
	pieX, pieY, pieR  = 150.0, 150.0, 120.0
	legendX, legendDY = 320.0, 24.0
	maxLegend         = 10
)

// HTML draws a chart as a figure: an SVG that takes its colours from the page's style sheet, and its values as a table for
// whoever cannot see it or wants the numbers.
func (c Chart) HTML(lang string) string {
	var b strings.Builder
	b.WriteString(`<figure class="plot"><figcaption>` + html.EscapeString(c.Heading(lang)) + `</figcaption>`)
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, wide, high, html.EscapeString(c.Alt(lang)))
	if c.Kind == Pie {
		c.pie(&b)
	} else {
		c.plot(&b)
	}
	b.WriteString(`</svg>`)
	if len(c.Series) > 1 {
		b.WriteString(`<ul class="keys">`)
		for i, s := range c.Series {
			fmt.Fprintf(&b, `<li><span class="c%d">■</span> %s</li>`, i, html.EscapeString(s.Name))
		}
		b.WriteString(`</ul>`)
	}
	b.WriteString(`<details><summary>` + html.EscapeString(phrase.Say(lang, "chart.values")) + `</summary>` + c.table() + `</details></figure>`)
	return b.String()
}

// table returns the chart as numbers.
func (c Chart) table() string {
	var b strings.Builder
	b.WriteString(`<table><thead><tr><th></th>`)
	for _, s := range c.Series {
		b.WriteString(`<th>` + html.EscapeString(s.Name) + `</th>`)
	}
	b.WriteString(`</tr></thead><tbody>`)
	for i, l := range c.Labels {
		b.WriteString(`<tr><th>` + html.EscapeString(l) + `</th>`)
		for _, s := range c.Series {
			b.WriteString(`<td align="right">` + html.EscapeString(c.value(s.Values[i])) + `</td>`)
		}
		b.WriteString(`</tr>`)
	}
	return b.String() + `</tbody></table>`
}

// axis is the range of values that is drawn.
type axis struct{ from, to, step float64 }

// axis chooses round ticks. Zero is drawn always: bars and areas would lie without it.
func (c Chart) axis() axis {
	low, most := 0.0, 0.0
	for _, s := range c.Series {
		for _, v := range s.Values {
			low, most = min(low, v), max(most, v)
		}
	}
	if most-low < minRange {
		most = low + 1
	}
	raw := (most - low) / ticks
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if m*step >= raw {
			step *= m
			break
		}
	}
	return axis{math.Floor(low/step) * step, math.Ceil(most/step) * step, step}
}

func (a axis) y(v float64) float64 {
	return high - bottom - (v-a.from)/(a.to-a.from)*(high-top-bottom)
}

// plot draws bars, lines or areas.
func (c Chart) plot(b *strings.Builder) {
	a, n := c.axis(), float64(len(c.Labels))
	for i := 0; i <= maxTicks; i++ {
		v := a.from + float64(i)*a.step
		if v > a.to+a.step/2 {
			break
		}
		fmt.Fprintf(b, `<line class="grid" x1="%g" x2="%g" y1="%.1f" y2="%.1f"></line>`, left, wide-right, a.y(v), a.y(v))
		fmt.Fprintf(b, `<text class="tick" x="%g" y="%.1f" text-anchor="end">%s</text>`, left-6, a.y(v)+4, html.EscapeString(short(v)))
	}
	room := (wide - left - right) / n
	every := (len(c.Labels) + maxAxis - 1) / maxAxis
	for i, l := range c.Labels {
		if i%every == 0 {
			l = fit.ClipBy(l, max(3, int(room*float64(every)/8)), fit.Width)
			fmt.Fprintf(b, `<text class="tick" x="%.1f" y="%g" text-anchor="middle">%s</text>`, left+room*(float64(i)+0.5), high-bottom+20, html.EscapeString(l))
		}
	}
	if c.Unit != "" {
		fmt.Fprintf(b, `<text class="tick" x="%g" y="%g" text-anchor="end">%s</text>`, wide-right, high-6, html.EscapeString(c.Unit))
	}
	for k, s := range c.Series {
		if c.Kind == Bar {
			c.bars(b, a, k, room)
			continue
		}
		var points []string
		for i, v := range s.Values {
			points = append(points, fmt.Sprintf("%.1f,%.1f", left+room*(float64(i)+0.5), a.y(v)))
		}
		if c.Kind == Area {
			zero := a.y(0)
			fmt.Fprintf(b, `<polygon class="area c%d" points="%.1f,%.1f %s %.1f,%.1f"></polygon>`, k, left+room/2, zero, strings.Join(points, " "), left+room*(n-0.5), zero)
		}
		fmt.Fprintf(b, `<polyline class="line c%d" points="%s"></polyline>`, k, strings.Join(points, " "))
		for i, p := range points {
			x, y, _ := strings.Cut(p, ",")
			fmt.Fprintf(b, `<circle class="c%d" cx="%s" cy="%s" r="3"><title>%s</title></circle>`, k, x, y, html.EscapeString(c.spot(k, i)))
		}
	}
}

// bars draws the bars of one series.
func (c Chart) bars(b *strings.Builder, a axis, k int, room float64) {
	each := room * 0.8 / float64(len(c.Series))
	for i, v := range c.Series[k].Values {
		x := left + room*float64(i) + room*0.1 + each*float64(k)
		y, zero := a.y(v), a.y(0)
		fmt.Fprintf(b, `<rect class="c%d" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`, k, x, min(y, zero), max(each-1, 1), max(math.Abs(zero-y), 0.5), html.EscapeString(c.spot(k, i)))
	}
}

// spot names one value.
func (c Chart) spot(k, i int) string {
	name := c.Labels[i]
	if len(c.Series) > 1 && c.Series[k].Name != "" {
		name = c.Series[k].Name + ", " + name
	}
	return name + ": " + c.value(c.Series[k].Values[i])
}

// pie draws the parts of a whole, with what they are beside it.
func (c Chart) pie(b *strings.Builder) {
	sum, turn := 0.0, -math.Pi/2
	for _, v := range c.Series[0].Values {
		sum += v
	}
	for i, v := range c.Series[0].Values {
		share := v / sum
		end := turn + 2*math.Pi*share
		tip := html.EscapeString(c.spot(0, i) + " (" + percent(v, sum) + ")")
		switch {
		case share > 0.9999:
			fmt.Fprintf(b, `<circle class="c%d" cx="%g" cy="%g" r="%g"><title>%s</title></circle>`, i%maxSeries, pieX, pieY, pieR, tip)
		case share > 0:
			large := 0
			if share > 0.5 {
				large = 1
			}
			fmt.Fprintf(b, `<path class="slice c%d" d="M%g %g L%.2f %.2f A%g %g 0 %d 1 %.2f %.2f Z"><title>%s</title></path>`, i%maxSeries, pieX, pieY,
				pieX+pieR*math.Cos(turn), pieY+pieR*math.Sin(turn), pieR, pieR, large, pieX+pieR*math.Cos(end), pieY+pieR*math.Sin(end), tip)
		}
		turn = end
		if i < maxLegend {
			y := 44 + legendDY*float64(i)
			fmt.Fprintf(b, `<rect class="c%d" x="%g" y="%g" width="12" height="12"></rect>`, i%maxSeries, legendX, y-10)
			fmt.Fprintf(b, `<text class="tick" x="%g" y="%g">%s</text>`, legendX+20, y, html.EscapeString(fit.ClipBy(c.Labels[i], 24, fit.Width)+" "+percent(v, sum)))
		}
	}
}

// short writes a tick of the axis.
func short(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if math.Abs(v) >= u.size {
			size := u.size
			if u.name == "k" {
				size = 1e3
			}
			return strconv.FormatFloat(math.Round(v/size*100)/100, 'f', -1, 64) + u.name
		}
	}
	return Number(math.Round(v*1e6) / 1e6)
}
