package push_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"maru/agent"
	"maru/logtest"
	"maru/metrics"
	"maru/metrics/otlp"
	"maru/metrics/push"
)

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
