package render

import (
	"strings"

	"github.com/slack-go/slack"

	"maru/phrase/chart"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// Limits of a data visualization block; see
// https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block.
const (
	maxCharts     = 2 // of a message
	maxChartTitle = 50
	maxChartLabel = 20
	maxSegments   = 6
	maxCategories = 20
)

// withoutCharts returns an answer with the title of each chart that Slack can draw in its place: the charts follow the
// text, because the text of a native stream cannot hold them. Others stay, and are written as bars.
func withoutCharts(src, lang string) (text string, charts []chart.Chart) {
	text = chart.Replace(src, func(c chart.Chart) string {
		if len(charts) == maxCharts || chartBlock(c, lang) == nil {
			return ""
		}
		charts = append(charts, c)
		return "📊 " + escapeTitle(c.Heading(lang))
	})
	return text, charts
}

// escapeTitle escapes a title for Markdown source.
func escapeTitle(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\*_`[]<>~|&#", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// chartElements returns the native charts of an answer.
func chartElements(charts []chart.Chart, lang string) []element {
	var out []element
	for _, c := range charts {
		b := chartBlock(c, lang)
		bars := strings.Join(c.Bars(), "\n")
		out = append(out, element{block: b, size: fit.UTF16(b.Title), plain: bars, bars: bars})
	}
	return out
}

// barSection returns a chart as text, for where Slack refuses the block.
func barSection(bars string) slack.Block {
	return section("```\n"+clipSafe(markdown.Mrkdwn(strings.ReplaceAll(bars, "```", "`` `")), maxSection-8)+"\n```", "").block
}

// chartBlock returns a chart as Slack draws it; nil if it cannot be drawn within Slack's limits. A pie of more slices than Slack
// draws becomes bars.
func chartBlock(c chart.Chart, lang string) *slack.DataVisualizationBlock {
	if len(c.Labels) > maxCategories {
		return nil
	}
	labels := distinct(c.Labels)
	var drawn slack.DataVisualizationChart
	if c.Kind == chart.Pie && len(labels) <= maxSegments {
		var segments []slack.DataVisualizationSegment
		for i, v := range c.Series[0].Values {
			if v > 0 {
				segments = append(segments, slack.NewDataVisualizationSegment(labels[i], v))
			}
		}
		drawn = slack.NewDataVisualizationPieChart(segments...)
	} else {
		drawn = seriesChart(c, labels, lang)
	}
	b := slack.NewDataVisualizationBlock(fit.ClipBy(c.Heading(lang), maxChartTitle, fit.UTF16), drawn)
	if b.Validate() != nil {
		return nil
	}
	return b
}

func seriesChart(c chart.Chart, labels []string, lang string) slack.DataVisualizationChart {
	axis := slack.NewDataVisualizationAxisConfig(labels...)
	if c.Unit != "" {
		axis = axis.WithYLabel(fit.ClipBy(c.Unit, maxChartTitle, fit.UTF16))
	}
	names := make([]string, len(c.Series))
	for i, s := range c.Series {
		if names[i] = s.Name; names[i] == "" {
			names[i] = c.Heading(lang)
		}
	}
	names = distinct(names)
	var series []slack.DataVisualizationDataSeries
	for i, s := range c.Series {
		var points []slack.DataVisualizationDataPoint
		for k, v := range s.Values {
			points = append(points, slack.NewDataVisualizationDataPoint(labels[k], v))
		}
		series = append(series, slack.NewDataVisualizationDataSeries(names[i], points...))
	}
	switch c.Kind {
	case chart.Line:
		return slack.NewDataVisualizationLineChart(axis, series...)
	case chart.Area:
		return slack.NewDataVisualizationAreaChart(axis, series...)
	}
	return slack.NewDataVisualizationBarChart(axis, series...)
}

// distinct fits names into Slack's limit and keeps them apart: a point names its category.
func distinct(names []string) []string {
	out, seen := make([]string, len(names)), map[string]bool{}
	for i, n := range names {
		short := fit.ClipBy(n, maxChartLabel, fit.UTF16)
		for k := 2; seen[short]; k++ {
			tail := " (" + chart.Number(float64(k)) + ")"
			short = fit.ClipBy(n, maxChartLabel-len(tail), fit.UTF16) + tail
		}
		out[i], seen[short] = short, true
	}
	return out
}
