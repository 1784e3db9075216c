package push

import (
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// Temporality is what sums and histograms count from, by the names of OpenTelemetry.
type Temporality string

// The temporalities. LowMemory is delta, but for sums that a runtime counts itself.
const (
	Cumulative Temporality = "cumulative"
	Delta      Temporality = "delta"
	LowMemory  Temporality = "lowmemory"
)

// counts are the values that the collector has taken. The next request holds what was counted since, including the
// contents of lost requests.
type counts struct {
	at  time.Time              // of that request, the program's start before the first
	was map[string]*dto.Metric // by series
}

// countsOf remembers what a request holds.
func countsOf(families []*dto.MetricFamily, at time.Time) counts {
	out := counts{at, map[string]*dto.Metric{}}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			out.was[series(f, m)] = m
		}
	}
	return out
}

func series(f *dto.MetricFamily, m *dto.Metric) string {
	var b strings.Builder
	b.WriteString(f.GetName())
	for _, l := range m.GetLabel() {
		b.WriteByte(0)
		b.WriteString(l.GetName())
		b.WriteByte(0)
		b.WriteString(l.GetValue())
	}
	return b.String()
}

// delta reports whether the points of a family count since the last request. Summaries have no temporality.
func (t Temporality) delta(f *dto.MetricFamily) bool {
	switch f.GetType() {
	case dto.MetricType_HISTOGRAM:
		return t == Delta || t == LowMemory
	case dto.MetricType_COUNTER:
		return t == Delta || t == LowMemory && !observed(f.GetName())
	default:
		return false
	}
}

// observed reports whether a sum is read from a runtime that counts it.
func observed(name string) bool {
	return strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_")
}

// since returns what a series counted after the last request, nil if nothing. A series that is lower than it was began again.
func (c counts) since(f *dto.MetricFamily, m *dto.Metric) *dto.Metric {
	old := c.was[series(f, m)]
	if m.Histogram != nil {
		return histogramSince(old, m)
	}
	now, before := m.GetCounter().GetValue(), old.GetCounter().GetValue()
	if now < before {
		before = 0
	}
	if now == before {
		return nil
	}
	n := now - before
	return &dto.Metric{Label: m.GetLabel(), Counter: &dto.Counter{Value: &n}}
}

func histogramSince(old, m *dto.Metric) *dto.Metric {
	now, before := m.GetHistogram(), old.GetHistogram()
	if now.GetSampleCount() < before.GetSampleCount() || len(now.GetBucket()) != len(before.GetBucket()) {
		before = nil
	}
	n, sum := now.GetSampleCount()-before.GetSampleCount(), now.GetSampleSum()-before.GetSampleSum()
	if n == 0 {
		return nil
	}
	h := &dto.Histogram{SampleCount: &n, SampleSum: &sum}
	for i, b := range now.GetBucket() {
		below, bound := b.GetCumulativeCount(), b.GetUpperBound()
		if before != nil {
			below -= before.GetBucket()[i].GetCumulativeCount()
		}
		h.Bucket = append(h.Bucket, &dto.Bucket{UpperBound: &bound, CumulativeCount: &below})
	}
	return &dto.Metric{Label: m.GetLabel(), Histogram: h}
}
