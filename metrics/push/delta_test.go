package push_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"maru/logtest"
	"maru/metrics/otlp"
	"maru/metrics/push"
)

// ended sends once, as a program that stops.
func ended(t *testing.T, x *push.Exporter) {
	t.Helper()
	start(t, x)()
}

// counters are a registry with a sum, a histogram, a gauge, a summary and a sum of the Go runtime.
type counters struct {
	*prometheus.Registry

	asked   *prometheus.CounterVec
	took    prometheus.Histogram
	runtime prometheus.Counter
}

func newCounters() counters {
	c := counters{
		prometheus.NewRegistry(), prometheus.NewCounterVec(prometheus.CounterOpts{Name: "asked_total"}, []string{"by"}),
		prometheus.NewHistogram(prometheus.HistogramOpts{Name: "took_seconds", Buckets: []float64{1, 5}}), prometheus.NewCounter(prometheus.CounterOpts{Name: "go_cycles_total"}),
	}
	depth := prometheus.NewGauge(prometheus.GaugeOpts{Name: "depth"})
	depth.Set(7)
	quantiles := prometheus.NewSummary(prometheus.SummaryOpts{Name: "paused_seconds"})
	quantiles.Observe(2)
	c.MustRegister(c.asked, c.took, c.runtime, depth, quantiles)
	c.asked.WithLabelValues("alice").Add(3)
	c.took.Observe(2)
	c.runtime.Add(10)
	return c
}

// TestDelta: with delta temporality a request holds what was counted since the last one that the collector took: nothing of one
// that was lost is missing, and what did not change is not sent. Gauges and summaries are sent as they are.
func TestDelta(t *testing.T) {
	t.Parallel()
	c, m := newCollector(t), newCounters()
	var log logtest.Log
	x := push.New(push.Config{To: otlp.Client{URL: c.URL + "/v1/metrics"}, From: m, Temporality: push.Delta, Interval: time.Hour, Started: time.Now(), Log: log.Logger()})
	send := func(want map[string]string) {
		t.Helper()
		before := len(c.requests(t, 0))
		ended(t, x)
		all := c.requests(t, 0)
		if len(all) == before && want == nil {
			return
		}
		if len(all) != before+1 {
			t.Fatalf("%d requests were taken", len(all)-before)
		}
		got := values(all[before])
		want["depth"], want["paused_seconds"] = "7", "1 of 2s"
		for name, v := range want {
			if got[name] != v {
				t.Errorf("%s is %q, want %q", name, got[name], v)
			}
		}
		if len(got) != len(want) {
			t.Errorf("sent are %v, want %v", got, want)
		}
	}
	send(map[string]string{"asked_total by=alice": "3", "took_seconds": "1 of 2s", "go_cycles_total": "10"})
	send(map[string]string{})

	m.asked.WithLabelValues("alice").Add(1)
	m.took.Observe(9)
	c.refuse(t, http.StatusServiceUnavailable, "")
	send(nil)
	m.asked.WithLabelValues("alice").Add(1)
	m.asked.WithLabelValues("bob").Add(2)
	c.refuse(t, http.StatusOK, "")
	send(map[string]string{"asked_total by=alice": "2", "asked_total by=bob": "2", "took_seconds": "1 of 9s"})

	m.asked.WithLabelValues("bob").Add(1)
	c.refuse(t, http.StatusOK, `{"partialSuccess":{"rejectedDataPoints":"1","errorMessage":"too old"}}`)
	send(nil)
	c.refuse(t, http.StatusOK, "")
	send(map[string]string{}) // points that were rejected are not sent again

	spans := c.requests(t, 0)
	for i, r := range spans {
		for _, f := range r.ResourceMetrics[0].ScopeMetrics[0].Metrics {
			if f.Sum == nil {
				continue
			}
			from := f.Sum.DataPoints[0].StartTimeUnixNano
			if f.Sum.AggregationTemporality != 1 || i > 0 && from < at(spans[i-1]) {
				t.Errorf("request %d: %s is of temporality %d, since %s", i, f.Name, f.Sum.AggregationTemporality, from)
			}
		}
	}
}

// at returns when the points of a request were read.
func at(r taken) string {
	for _, f := range r.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		if f.Gauge != nil {
			return f.Gauge.DataPoints[0].TimeUnixNano
		}
	}
	return ""
}

// refuse has the collector answer so; 200 without a body is to take what comes.
func (c *collector) refuse(t *testing.T, status int, body string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answer = nil; status == http.StatusOK && body == "" {
		return
	}
	c.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

// TestLowMemory: sums of the Go runtime count from the start, others from the last request.
func TestLowMemory(t *testing.T) {
	t.Parallel()
	c, m := newCollector(t), newCounters()
	var log logtest.Log
	x := push.New(push.Config{To: otlp.Client{URL: c.URL + "/v1/metrics"}, From: m, Temporality: push.LowMemory, Interval: time.Hour, Started: time.Now(), Log: log.Logger()})
	ended(t, x)
	m.runtime.Add(1)
	m.asked.WithLabelValues("alice").Add(1)
	ended(t, x)
	got := values(c.requests(t, 2)[1])
	if got["go_cycles_total"] != "11" || got["asked_total by=alice"] != "1" || got["took_seconds"] != "" {
		t.Errorf("sent are %v", got)
	}
}

// TestCompressed: the collector gets the same with gzip, and the log names the setting where it does not take it.
func TestCompressed(t *testing.T) {
	t.Parallel()
	c, m := newCollector(t), newCounters()
	var log logtest.Log
	x := push.New(push.Config{To: otlp.Client{URL: c.URL + "/v1/metrics", Gzip: true}, From: m, Interval: time.Hour, Started: time.Now(), Log: log.Logger()})
	ended(t, x)
	if got := values(c.requests(t, 1)[0]); got["asked_total by=alice"] != "3" || c.header.Get("Content-Encoding") != "gzip" {
		t.Errorf("sent are %v, headers %v", got, c.header)
	}
	c.refuse(t, http.StatusUnsupportedMediaType, "")
	ended(t, x)
	if said := log.String(); !strings.Contains(said, "OTEL_EXPORTER_OTLP_COMPRESSION=none") {
		t.Errorf("the log says %s", said)
	}
}
