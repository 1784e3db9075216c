package slackfake

import "encoding/json"

// Limits of charts (reference: https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block).
const (
	maxCharts     = 2
	maxChartTitle = 50
	maxChartLabel = 20
	maxSegments   = 6
	maxPoints     = 20
)

// chart checks a data visualization block.
func (c *checker) chart(b map[string]json.RawMessage) {
	c.fields("data_visualization", b, "title", "chart")
	c.length("title", text(b["title"]), 1, maxChartTitle)
	if c.charts++; c.charts > maxCharts || c.modal {
		c.fail("%d charts", c.charts)
	}
	body := object(b["chart"])
	switch kind := text(body["type"]); kind {
	case "pie":
		c.fields("pie", body, "segments")
		segments := list(body["segments"])
		if len(segments) == 0 || len(segments) > maxSegments {
			c.fail("pie: %d segments", len(segments))
		}
		for _, s := range segments {
			if c.point(object(s)) <= 0 {
				c.fail("pie: a segment of nothing")
			}
		}
	case "bar", "line", "area":
		c.fields(kind, body, "series", "axis_config")
		c.series(body)
	default:
		c.fail("unknown chart type %q", kind)
	}
}

// point checks a segment or a data point and returns its value.
func (c *checker) point(p map[string]json.RawMessage) (value float64) {
	c.fields("point", p, "label", "value")
	c.length("label", text(p["label"]), 1, maxChartLabel)
	if json.Unmarshal(p["value"], &value) != nil {
		c.fail("point: no number")
	}
	return value
}

// series checks that each series has one point for every category.
func (c *checker) series(body map[string]json.RawMessage) {
	axis := object(body["axis_config"])
	c.fields("axis_config", axis, "categories", "x_label", "y_label")
	for _, k := range []string{"x_label", "y_label"} {
		c.length(k, text(axis[k]), 0, maxChartTitle)
	}
	categories := map[string]bool{}
	for _, raw := range list(axis["categories"]) {
		c.length("category", text(raw), 1, maxChartLabel)
		categories[text(raw)] = true
	}
	series, names := list(body["series"]), map[string]bool{}
	if len(series) == 0 || len(series) > maxSegments || len(categories) != len(list(axis["categories"])) {
		c.fail("%d series, %d categories", len(series), len(categories))
	}
	for _, raw := range series {
		s := object(raw)
		c.fields("series", s, "name", "data")
		name := text(s["name"])
		c.length("name", name, 1, maxChartLabel)
		if names[name] {
			c.fail("series %q twice", name)
		}
		names[name] = true
		seen := map[string]bool{}
		for _, p := range list(s["data"]) {
			c.point(object(p))
			label := text(object(p)["label"])
			if !categories[label] || seen[label] {
				c.fail("a point at %q", label)
			}
			seen[label] = true
		}
		if len(seen) != len(categories) || len(seen) > maxPoints {
			c.fail("%d points for %d categories", len(seen), len(categories))
		}
	}
}
