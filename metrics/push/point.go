package push

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"

	"maru/metrics/otlp"
)

// The numbers of temporalities: sums count from the last request, or from the start.
const (
	fromLast  = 1
	fromStart = 2
)

// double is a number that JSON may not know, as the JSON of Protocol Buffers writes it.
type double float64

// MarshalJSON implements json.Marshaler.
func (d double) MarshalJSON() ([]byte, error) {
	switch f := float64(d); {
	case math.IsNaN(f):
		return []byte(`"NaN"`), nil
	case math.IsInf(f, 0):
		return json.Marshal(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+") + "inity") // Infinity, -Infinity
	default:
		return json.Marshal(f)
	}
}

// metric is a metric of OTLP; it has one of the kinds.
type metric struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Unit        string `json:"unit,omitempty"`
	Sum         *data  `json:"sum,omitempty"`
	Gauge       *data  `json:"gauge,omitempty"`
	Histogram   *data  `json:"histogram,omitempty"`
	Summary     *data  `json:"summary,omitempty"`
}

type data struct {
	Temporality int     `json:"aggregationTemporality,omitempty"`
	Monotonic   bool    `json:"isMonotonic,omitempty"`
	Points      []point `json:"dataPoints"`
}

// point is a point of any kind. 64-bit integers are strings in JSON.
type point struct {
	Attributes []otlp.Attribute `json:"attributes,omitempty"`
	Start      string           `json:"startTimeUnixNano,omitempty"`
	At         string           `json:"timeUnixNano"`
	Value      *double          `json:"asDouble,omitempty"`
	Count      string           `json:"count,omitempty"`
	Sum        *double          `json:"sum,omitempty"`
	Buckets    []string         `json:"bucketCounts,omitempty"`
	Bounds     []double         `json:"explicitBounds,omitempty"`
	Quantiles  []quantile       `json:"quantileValues,omitempty"`
}

type quantile struct {
	Quantile double `json:"quantile"`
	Value    double `json:"value"`
}

// metricsOf returns what a registry holds as metrics of OTLP. Series with delta temporality that counted nothing are left out.
func metricsOf(families []*dto.MetricFamily, as Temporality, last counts, started, now time.Time) []metric {
	var out []metric
	for _, f := range families {
		m := metric{Name: f.GetName(), Description: f.GetHelp(), Unit: unit(f.GetName())}
		if c, ok := conventions[m.Name]; ok {
			m.Name, m.Unit = c.name, c.unit
		}
		d := &data{}
		counting, from := fromStart, started
		if as.delta(f) {
			counting, from = fromLast, last.at
		}
		for _, one := range f.GetMetric() {
			if counting == fromLast {
				one = last.since(f, one)
			}
			if one != nil {
				d.Points = append(d.Points, pointOf(one, from, now))
			}
		}
		if len(d.Points) == 0 {
			continue
		}
		switch f.GetType() {
		case dto.MetricType_COUNTER:
			d.Temporality, d.Monotonic, m.Sum = counting, true, d
		case dto.MetricType_HISTOGRAM:
			d.Temporality, m.Histogram = counting, d
		case dto.MetricType_SUMMARY:
			m.Summary = d
		default:
			m.Gauge = d
			for i := range d.Points {
				d.Points[i].Start = ""
			}
		}
		out = append(out, m)
	}
	return out
}

func pointOf(m *dto.Metric, started, now time.Time) point {
	p := point{Attributes: attributes(m.GetLabel()), Start: otlp.Nano(started), At: otlp.Nano(now)}
	number := func(f float64) *double { d := double(f); return &d }
	switch {
	case m.Counter != nil:
		p.Value = number(m.GetCounter().GetValue())
	case m.Gauge != nil:
		p.Value = number(m.GetGauge().GetValue())
	case m.Untyped != nil:
		p.Value = number(m.GetUntyped().GetValue())
	case m.Summary != nil:
		p.Count, p.Sum = whole(m.GetSummary().GetSampleCount()), number(m.GetSummary().GetSampleSum())
		for _, q := range m.GetSummary().GetQuantile() {
			p.Quantiles = append(p.Quantiles, quantile{double(q.GetQuantile()), double(q.GetValue())})
		}
	case m.Histogram != nil:
		h := m.GetHistogram()
		p.Count, p.Sum = whole(h.GetSampleCount()), number(h.GetSampleSum())
		var before uint64 // buckets of Prometheus hold those below them
		for _, b := range h.GetBucket() {
			if math.IsInf(b.GetUpperBound(), 1) {
				continue
			}
			p.Bounds = append(p.Bounds, double(b.GetUpperBound()))
			p.Buckets = append(p.Buckets, whole(b.GetCumulativeCount()-before))
			before = b.GetCumulativeCount()
		}
		p.Buckets = append(p.Buckets, whole(h.GetSampleCount()-before))
	}
	return p
}

func whole(n uint64) string { return strconv.FormatUint(n, 10) }

// conventions are the names that metrics have in OpenTelemetry's conventions.
var conventions = map[string]struct{ name, unit string }{
	"gen_ai_client_operation_duration_seconds": {"gen_ai.client.operation.duration", "s"},
	"gen_ai_client_token_usage":                {"gen_ai.client.token.usage", "{token}"},
}

// keys are the names that labels have there.
var keys = map[string]string{
	"gen_ai_operation_name": "gen_ai.operation.name", "gen_ai_provider_name": "gen_ai.provider.name", "gen_ai_request_model": "gen_ai.request.model",
	"gen_ai_token_type": "gen_ai.token.type", "error_type": "error.type",
}

// attributes are labels. One without a value says as much as one that is not there.
func attributes(labels []*dto.LabelPair) []otlp.Attribute {
	var out []otlp.Attribute
	for _, l := range labels {
		key := l.GetName()
		if other, ok := keys[key]; ok {
			key = other
		}
		if l.GetValue() != "" {
			out = append(out, otlp.Text(key, l.GetValue()))
		}
	}
	return out
}

// unit returns the unit that a name ends with.
func unit(name string) string {
	name = strings.TrimSuffix(name, "_total")
	switch {
	case strings.HasSuffix(name, "_seconds"):
		return "s"
	case strings.HasSuffix(name, "_bytes"):
		return "By"
	}
	return ""
}
