package push_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"maru/agent"
	"maru/logtest"
	"maru/metrics"
	"maru/metrics/otlp"
	"maru/metrics/push"
)

// taken is a request as a strict collector reads it: a member that OTLP does not have is an error.
type taken struct {
	ResourceMetrics []struct {
		Resource struct {
			Attributes []pair `json:"attributes"`
		} `json:"resource"`
		ScopeMetrics []struct {
			Scope   struct{ Name, Version string } `json:"scope"`
			Metrics []figure                       `json:"metrics"`
		} `json:"scopeMetrics"`
	} `json:"resourceMetrics"`
}

type pair struct {
	Key   string `json:"key"`
	Value struct {
		StringValue string `json:"stringValue"`
	} `json:"value"`
}

type figure struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Unit        string  `json:"unit"`
	Sum         *points `json:"sum"`
	Gauge       *points `json:"gauge"`
	Histogram   *points `json:"histogram"`
	Summary     *points `json:"summary"`
}

type points struct {
	AggregationTemporality int  `json:"aggregationTemporality"`
	IsMonotonic            bool `json:"isMonotonic"`
	DataPoints             []struct {
		Attributes        []pair    `json:"attributes"`
		StartTimeUnixNano string    `json:"startTimeUnixNano"`
		TimeUnixNano      string    `json:"timeUnixNano"`
		AsDouble          *number   `json:"asDouble"`
		Count             string    `json:"count"`
		Sum               *number   `json:"sum"`
		BucketCounts      []string  `json:"bucketCounts"`
		ExplicitBounds    []float64 `json:"explicitBounds"`
		QuantileValues    []struct {
			Quantile number `json:"quantile"`
			Value    number `json:"value"`
		} `json:"quantileValues"`
	} `json:"dataPoints"`
}

// number is a number, or one of the words that the JSON of Protocol Buffers has for those that JSON lacks.
type number string

func (n *number) UnmarshalJSON(raw []byte) error {
	s := strings.Trim(string(raw), `"`)
	if _, err := strconv.ParseFloat(s, 64); err != nil || string(raw) != s && !slices.Contains([]string{"NaN", "Infinity", "-Infinity"}, s) {
		return errors.New("no number: " + string(raw))
	}
	*n = number(s)
	return nil
}

// collector is a strict endpoint: it refuses what OTLP does not allow.
type collector struct {
	*httptest.Server

	mu     sync.Mutex
	answer func(http.ResponseWriter, *http.Request) bool // true: it has answered
	got    []taken
	header http.Header
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		body, err := plain(r)
		if c.answer != nil && c.answer(w, r) {
			return
		}
		var one taken
		strict := json.NewDecoder(bytes.NewReader(body))
		strict.DisallowUnknownFields()
		if err = errors.Join(err, strict.Decode(&one)); err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/metrics" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, m := range one.ResourceMetrics[0].ScopeMetrics[0].Metrics {
			check(t, m)
		}
		c.got, c.header = append(c.got, one), r.Header
		_, _ = io.WriteString(w, `{"partialSuccess":{}}`)
	}))
	t.Cleanup(c.Close)
	return c
}

// plain reads a body, which may be compressed.
func plain(r *http.Request) ([]byte, error) {
	switch as := r.Header.Get("Content-Encoding"); as {
	case "":
		return io.ReadAll(r.Body)
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	default:
		return nil, errors.New("unknown encoding " + as)
	}
}

var nanos = regexp.MustCompile(`^[0-9]{19}$`)

// check holds a metric against the data model of OTLP.
func check(t *testing.T, m figure) {
	t.Helper()
	kinds := 0
	for _, p := range []*points{m.Sum, m.Gauge, m.Histogram, m.Summary} {
		if p == nil {
			continue
		}
		kinds++
		sums := m.Sum != nil || m.Histogram != nil
		if (p.AggregationTemporality == 1 || p.AggregationTemporality == 2) != sums || p.IsMonotonic != (m.Sum != nil) || len(p.DataPoints) == 0 {
			t.Errorf("%s: %+v", m.Name, p)
		}
		seen := map[string]bool{}
		for _, one := range p.DataPoints {
			series := ""
			for _, a := range one.Attributes {
				if a.Value.StringValue == "" {
					t.Errorf("%s has an empty %s", m.Name, a.Key)
				}
				series += a.Key + "=" + a.Value.StringValue + " "
			}
			if seen[series] {
				t.Errorf("%s has %stwice", m.Name, series)
			}
			seen[series] = true
			if !nanos.MatchString(one.TimeUnixNano) || m.Gauge == nil && one.StartTimeUnixNano > one.TimeUnixNano {
				t.Errorf("%s: from %s to %s", m.Name, one.StartTimeUnixNano, one.TimeUnixNano)
			}
			if m.Histogram == nil {
				continue
			}
			sum := 0
			for _, n := range one.BucketCounts {
				count, err := strconv.Atoi(n)
				if err != nil {
					t.Error(err)
				}
				sum += count
			}
			if strconv.Itoa(sum) != one.Count || len(one.BucketCounts) != len(one.ExplicitBounds)+1 || !slices.IsSorted(one.ExplicitBounds) {
				t.Errorf("%s: buckets %v of %v, count %s", m.Name, one.BucketCounts, one.ExplicitBounds, one.Count)
			}
		}
	}
	if kinds != 1 || m.Name == "" {
		t.Errorf("%q has %d kinds of data", m.Name, kinds)
	}
}

func (c *collector) requests(t *testing.T, n int) []taken {
	t.Helper()
	for range 4000 {
		c.mu.Lock()
		if len(c.got) >= n {
			defer c.mu.Unlock()
			return slices.Clone(c.got)
		}
		c.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the collector has not got %d requests", n)
	return nil
}

// values are the points of a request: name, attributes, unit and value or buckets.
func values(r taken) map[string]string {
	out := map[string]string{}
	for _, m := range r.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		for _, p := range []*points{m.Sum, m.Gauge, m.Histogram, m.Summary} {
			if p == nil {
				continue
			}
			for _, one := range p.DataPoints {
				name := m.Name
				for _, a := range one.Attributes {
					name += " " + a.Key + "=" + a.Value.StringValue
				}
				switch {
				case one.AsDouble != nil:
					out[name] = string(*one.AsDouble) + m.Unit
				case one.Sum != nil:
					out[name] = one.Count + " of " + string(*one.Sum) + m.Unit
				}
			}
		}
	}
	return out
}

func queue(context.Context) (int, time.Time, error) { return 3, time.Now().Add(-time.Minute), nil }

func recorder() *metrics.Recorder {
	return metrics.New("v1", queue, queue, func(string) string { return "openai" })
}

func exporter(c *collector, from prometheus.Gatherer, every time.Duration, log *logtest.Log) *push.Exporter {
	return push.New(push.Config{
		To:   otlp.Client{URL: c.URL + "/v1/metrics", Headers: map[string]string{"api-key": "k"}, Resource: map[string]string{"service.name": "maru-test"}, Version: "v1"},
		From: from, Interval: every, Started: time.Now(), Log: log.Logger(),
	})
}

// start runs an exporter; the function it returns ends the program's work and waits for it.
func start(t *testing.T, x *push.Exporter) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	worked, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- x.Run(ctx, worked) }()
	return func() {
		cancel()
		close(worked)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestFigures: the collector gets at each interval what /metrics shows, those of models under the names of the conventions,
// and what was counted while the program stopped.
func TestFigures(t *testing.T) {
	t.Parallel()
	c, m := newCollector(t), recorder()
	m.Received("slack", "new")
	m.ModelCall("answer", agent.Usage{Model: "m1", Calls: 1, Input: 900, Output: 40}, 1500*time.Millisecond, "")
	m.ModelCall("answer", agent.Usage{Model: "m1", Calls: 1}, time.Second, "rate_limited")
	m.ModelCall("route", agent.Usage{Model: "m1"}, 0, "") // from the cache
	m.ModelCall("embedding", agent.Usage{Model: "e5", Calls: 1, Input: 7}, 20*time.Millisecond, "")
	var log logtest.Log
	stop := start(t, exporter(c, m, 50*time.Millisecond, &log))
	got := values(c.requests(t, 2)[1])
	for name, want := range map[string]string{
		"maru_events_received_total platform=slack result=new": "1",
		"maru_inbox_depth": "3",
		"gen_ai.client.operation.duration gen_ai.operation.name=chat gen_ai.provider.name=openai gen_ai.request.model=m1":                         "1 of 1.5s",
		"gen_ai.client.operation.duration error.type=rate_limited gen_ai.operation.name=chat gen_ai.provider.name=openai gen_ai.request.model=m1": "1 of 1s",
		"gen_ai.client.operation.duration gen_ai.operation.name=embeddings gen_ai.provider.name=openai gen_ai.request.model=e5":                   "1 of 0.02s",
		"gen_ai.client.token.usage gen_ai.operation.name=chat gen_ai.provider.name=openai gen_ai.request.model=m1 gen_ai.token.type=input":        "1 of 900{token}",
		"gen_ai.client.token.usage gen_ai.operation.name=chat gen_ai.provider.name=openai gen_ai.request.model=m1 gen_ai.token.type=output":       "1 of 40{token}",
		"gen_ai.client.token.usage gen_ai.operation.name=embeddings gen_ai.provider.name=openai gen_ai.request.model=e5 gen_ai.token.type=input":  "1 of 7{token}",
		"maru_build_info version=v1": "1",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	// All that /metrics has is there.
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	names := map[string]bool{}
	for name := range got {
		name, _, _ = strings.Cut(name, " ")
		names[strings.NewReplacer("gen_ai.client.operation.duration", "gen_ai_client_operation_duration_seconds", ".", "_").Replace(name)] = true
	}
	for _, line := range regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllStringSubmatch(w.Body.String(), -1) {
		if !names[line[1]] {
			t.Errorf("%s is in /metrics alone; sent are %v", line[1], slices.Sorted(maps.Keys(names)))
		}
	}
	c.mu.Lock()
	if c.header.Get("Api-Key") != "k" {
		t.Errorf("headers %v", c.header)
	}
	c.mu.Unlock()
	m.Received("slack", "new")
	stop()
	all := c.requests(t, 1)
	if n := values(all[len(all)-1])["maru_events_received_total platform=slack result=new"]; n != "2" {
		t.Errorf("at the end %s messages were counted", n)
	}
	if log.String() != "" {
		t.Errorf("the log says %s", log.String())
	}
}

// TestOnceAtTheEnd: a program that runs shorter than the interval sends once.
func TestOnceAtTheEnd(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	var log logtest.Log
	start(t, exporter(c, recorder(), time.Hour, &log))()
	if n := len(c.requests(t, 1)); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestStrangeNumbers: numbers that JSON lacks reach the collector.
func TestStrangeNumbers(t *testing.T) {
	t.Parallel()
	c, reg := newCollector(t), prometheus.NewRegistry()
	strange := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "strange"}, []string{"is"})
	for is, v := range map[string]string{"nothing": "NaN", "more": "+Inf", "less": "-Inf", "large": "1e300"} {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			t.Fatal(err)
		}
		strange.WithLabelValues(is).Set(f)
	}
	sums := prometheus.NewSummary(prometheus.SummaryOpts{Name: "empty_seconds", Objectives: map[float64]float64{.5: .1}}) // its median is NaN
	reg.MustRegister(strange, sums)
	var log logtest.Log
	start(t, exporter(c, reg, time.Hour, &log))()
	got := values(c.requests(t, 1)[0])
	for is, want := range map[string]string{"nothing": "NaN", "more": "Infinity", "less": "-Infinity", "large": "1e+300"} {
		if got["strange is="+is] != want {
			t.Errorf("%s is %q, want %q", is, got["strange is="+is], want)
		}
	}
}

// TestAPartCannotBeRead: while the record is away all else is sent.
func TestAPartCannotBeRead(t *testing.T) {
	t.Parallel()
	away := func(context.Context) (int, time.Time, error) { return 0, time.Time{}, errors.New("the record is away") }
	c, m := newCollector(t), metrics.New("v1", away, queue, nil)
	m.Received("web", "new")
	var log logtest.Log
	start(t, exporter(c, m, time.Hour, &log))()
	got := values(c.requests(t, 1)[0])
	if got["maru_events_received_total platform=web result=new"] != "1" || got["maru_jobs_depth"] != "3" {
		t.Errorf("sent are %v", got)
	}
}

// TestACollectorThatDoesNotTake: the log says once what is wrong and what to do, and says when it is over.
func TestACollectorThatDoesNotTake(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status    int
		body, fix string
	}{
		"no pipeline":    {http.StatusNotFound, "", "OTEL_METRICS_EXPORTER=none"},
		"wrong key":      {http.StatusUnauthorized, "", "OTEL_EXPORTER_OTLP_HEADERS"},
		"Protobuf alone": {http.StatusUnsupportedMediaType, "", "in JSON"},
		"too busy":       {http.StatusTooManyRequests, "", "log of the collector"},
		"in part":        {http.StatusOK, `{"partialSuccess":{"rejectedDataPoints":"2","errorMessage":"too old"}}`, "rejects 2 of what was sent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, asked := newCollector(t), 0
			c.answer = func(w http.ResponseWriter, _ *http.Request) bool {
				if asked++; asked > 5 {
					return false
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
				return true
			}
			var log logtest.Log
			stop := start(t, exporter(c, recorder(), 10*time.Millisecond, &log))
			c.requests(t, 2)
			stop()
			said := log.String()
			if strings.Count(said, "metrics were not taken") != 1 || !strings.Contains(said, tt.fix) || strings.Count(said, "takes metrics again") != 1 {
				t.Errorf("the log says %s", said)
			}
		})
	}
}

// TestACollectorThatHangs: the program ends in time.
func TestACollectorThatHangs(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	c := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(hang); c.Close() })
	var log logtest.Log
	x := push.New(push.Config{To: otlp.Client{URL: c.URL}, From: recorder(), Interval: time.Millisecond, Started: time.Now(), Log: log.Logger()})
	stop := start(t, x)
	time.Sleep(50 * time.Millisecond) // one request is under way
	began := time.Now()
	stop()
	if took := time.Since(began); took > 2*otlp.LastTime+5*time.Second {
		t.Errorf("the end took %s", took)
	}
}
