package spans_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/logtest"
	"maru/metrics/otlp"
	"maru/metrics/spans"
)

// collected is what a collector understands of OTLP's JSON.
type collected struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes []pair }
		ScopeSpans []struct {
			Spans []struct {
				TraceID, SpanID, ParentSpanID, Name, StartTimeUnixNano, EndTimeUnixNano string
				Kind                                                                    int
				Attributes                                                              []pair
				Events                                                                  []struct{ Name string }
				Status                                                                  struct{ Code int }
			}
		}
	}
}

type pair struct {
	Key   string
	Value struct{ StringValue, IntValue string }
}

func (p pair) text() string { return p.Key + "=" + p.Value.StringValue + p.Value.IntValue }

// collector is an OTLP endpoint that answers with these codes first.
type collector struct {
	*httptest.Server

	mu     sync.Mutex
	codes  []int
	bodies []string
	header http.Header
}

func newCollector(t *testing.T, codes ...int) *collector {
	t.Helper()
	c := &collector{codes: codes}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.codes) > 0 {
			code := c.codes[0]
			c.codes = c.codes[1:]
			w.WriteHeader(code)
			return
		}
		c.bodies, c.header = append(c.bodies, string(body)), r.Header
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) taken(t *testing.T, n int) []string {
	t.Helper()
	for range 1000 {
		c.mu.Lock()
		if len(c.bodies) >= n {
			defer c.mu.Unlock()
			return slices.Clone(c.bodies)
		}
		c.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the collector has not got %d traces", n)
	return nil
}

var began = time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)

func events() []agent.Event {
	at := func(s float64) time.Time { return began.Add(time.Duration(s * float64(time.Second))) }
	return []agent.Event{
		{Kind: agent.EventModelCall, Name: "route", At: at(1), Took: time.Second / 2, Usage: &agent.Usage{Model: "m1", Calls: 1, Input: 30, Output: 4}},
		{Kind: agent.EventNodeEnd, Node: "router", At: at(1.1), Took: time.Second},
		{Kind: agent.EventInterrupt, At: at(1.2), Interrupt: &agent.Interrupt{Kind: "step", Payload: json.RawMessage(`"secret question"`)}},
		{Kind: agent.EventToolCall, Name: "calculator", At: at(60), Data: json.RawMessage(`{"expression":"secret sum"}`)},
		{Kind: agent.EventToolResult, Name: "calculator", Text: "secret result", At: at(60.2), Took: time.Second / 10},
		{Kind: agent.EventToolResult, Name: "weather", Err: "secret failure", At: at(60.3), Took: time.Second / 10},
		{Kind: agent.EventNodeEnd, Node: "tools", At: at(61), Took: 2 * time.Second},
	}
}

func run(id, status string) bot.Run {
	return bot.Run{ID: id, Thread: "slack/T1/C1/1", Agent: "orchestrator", User: "U1", Status: status, Started: began, Ended: began.Add(62 * time.Second)}
}

// TestOneTraceARun: a run is one trace by the conventions, its calls are below the nodes that made them, and what
// people and tools said is told only where that is switched on.
func TestOneTraceARun(t *testing.T) {
	t.Parallel()
	for _, content := range []bool{false, true} {
		var log logtest.Log
		c := newCollector(t)
		x := spans.New(spans.Config{
			To: otlp.Client{
				URL: c.URL + "/v1/traces", Headers: map[string]string{"Authorization": "key"}, Resource: map[string]string{"service.name": "maru-test"}, Version: "v1",
			},
			Content: content, Log: log.Logger(),
		})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- x.Run(ctx) }()
		x.Add(ctx, run("run-1", bot.RunDone), events())
		x.Add(ctx, run("run-1", bot.RunDone), events()) // the same trace again
		x.Add(ctx, run("run-2", bot.RunFailed), nil)
		bodies := c.taken(t, 3)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if bodies[0] != bodies[1] {
			t.Error("a run's trace has other ids the second time")
		}
		if c.header.Get("Authorization") != "key" || c.header.Get("Content-Type") != "application/json" {
			t.Errorf("headers %v", c.header)
		}
		if told := strings.Contains(bodies[0], "secret sum") && strings.Contains(bodies[0], "secret result"); told != content {
			t.Errorf("content is told: %v, want %v", told, content)
		}
		if strings.Contains(bodies[0], "secret question") || strings.Contains(bodies[0], "secret failure") || strings.Contains(bodies[0], "U1") {
			t.Errorf("the trace tells too much: %s", bodies[0])
		}
		var got, failed collected
		if err := json.Unmarshal([]byte(bodies[0]), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(bodies[2]), &failed); err != nil {
			t.Fatal(err)
		}
		list := got.ResourceSpans[0].ScopeSpans[0].Spans
		parent := map[string]string{}
		byID := map[string]string{"": ""}
		for _, s := range list {
			byID[s.SpanID] = s.Name
			if s.TraceID != list[0].TraceID || len(s.TraceID) != 32 || len(s.SpanID) != 16 || s.StartTimeUnixNano >= s.EndTimeUnixNano {
				t.Errorf("span %+v", s)
			}
		}
		for _, s := range list {
			parent[s.Name] = byID[s.ParentSpanID]
		}
		for name, want := range map[string]string{
			"invoke_agent orchestrator": "", "router": "invoke_agent orchestrator", "chat m1": "router", "tools": "invoke_agent orchestrator",
			"execute_tool calculator": "tools", "execute_tool weather": "tools",
		} {
			if up, ok := parent[name]; !ok || up != want {
				t.Errorf("%q stands below %q, want %q", name, up, want)
			}
		}
		var attributes []string
		for _, s := range list {
			for _, a := range s.Attributes {
				attributes = append(attributes, a.text())
			}
		}
		for _, want := range []string{
			"gen_ai.operation.name=invoke_agent", "gen_ai.agent.name=orchestrator", "gen_ai.conversation.id=slack/T1/C1/1", "gen_ai.operation.name=chat",
			"gen_ai.request.model=m1", "gen_ai.usage.input_tokens=30", "gen_ai.usage.output_tokens=4", "gen_ai.tool.name=calculator", "maru.outcome=done", "error.type=failed",
		} {
			if !slices.Contains(attributes, want) {
				t.Errorf("no span has %s", want)
			}
		}
		if len(list[0].Events) != 1 || list[0].Events[0].Name != "asks a person: step" || list[0].Status.Code != 0 {
			t.Errorf("the run's span is %+v", list[0])
		}
		if s := failed.ResourceSpans[0].ScopeSpans[0].Spans; len(s) != 1 || s[0].Status.Code != 2 || s[0].TraceID == list[0].TraceID {
			t.Errorf("a failed run is %+v", s)
		}
	}
}

// TestACollectorThatIsAway: a trace is sent again where that may help, is given up where it cannot, and nobody waits.
func TestACollectorThatIsAway(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	c := newCollector(t, http.StatusServiceUnavailable, http.StatusBadRequest)
	x := spans.New(spans.Config{To: otlp.Client{URL: c.URL}, Log: log.Logger()})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx) }()
	x.Add(ctx, run("comes later", bot.RunDone), nil)
	for len(log.String()) == 0 { // 503, a pause, then 400: given up
		time.Sleep(5 * time.Millisecond)
	}
	if !strings.Contains(log.String(), "answers 400") {
		t.Errorf("the log says %s", log.String())
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// refuses is a network that lets no request through.
type refuses struct{}

func (refuses) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("refused") }

// TestLostTracesAreCounted: every lost trace is in the log, in one line a minute and one at the end.
func TestLostTracesAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Log
		x := spans.New(spans.Config{To: otlp.Client{URL: "http://collector.test", HTTP: &http.Client{Transport: refuses{}}}, Log: log.Logger()})
		counted := func() (lines, lost int) {
			for _, m := range regexp.MustCompile(`traces=(\d+)`).FindAllStringSubmatch(log.String(), -1) {
				n, err := strconv.Atoi(m[1])
				if err != nil {
					t.Fatal(err)
				}
				lines, lost = lines+1, lost+n
			}
			return lines, lost
		}
		for range 400 { // 256 wait, and nobody sends
			x.Add(t.Context(), run("too many", bot.RunDone), nil)
		}
		if lines, lost := counted(); lines != 1 || lost != 1 {
			t.Errorf("%d lines tell of %d", lines, lost)
		}
		time.Sleep(2 * time.Minute)
		x.Add(t.Context(), run("one more", bot.RunDone), nil)
		if lines, lost := counted(); lines != 2 || lost != 145 {
			t.Errorf("%d lines tell of %d", lines, lost)
		}
		x.Add(t.Context(), run("within the minute", bot.RunDone), nil)
		if strings.Contains(log.String(), "check the address") || !strings.Contains(log.String(), "more resources") {
			t.Errorf("the advice for a slow collector: %s", log.String())
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := x.Run(ctx); err != nil {
			t.Error(err)
		}
		if lines, lost := counted(); lost != 402 || lines > 4 {
			t.Errorf("%d lines tell of %d in the end: %s", lines, lost, log.String())
		}
	})
}

// TestLastLostTracesAreTold: traces lost within a minute after a line are in the log soon after it, also if no other is lost.
func TestLastLostTracesAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Log
		x := spans.New(spans.Config{To: otlp.Client{URL: "http://collector.test", HTTP: &http.Client{Transport: refuses{}}}, Log: log.Logger()})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- x.Run(ctx) }()
		for range 2 {
			x.Add(ctx, run("lost", bot.RunDone), nil)
		}
		time.Sleep(3 * time.Minute)
		if n := strings.Count(log.String(), "traces=1 "); n != 2 || !strings.Contains(log.String(), "check the address") {
			t.Errorf("%d lines tell of a trace: %s", n, log.String())
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestStopWhileATraceIsSent: a request that the collector has taken and not yet answered when the program stops is not sent
// again.
func TestStopWhileATraceIsSent(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	taken, answer, stopped := make(chan struct{}, 2), make(chan struct{}), make(chan struct{})
	c := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		taken <- struct{}{}
		select {
		case <-answer:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(c.Close)
	x := spans.New(spans.Config{To: otlp.Client{URL: c.URL}, Log: log.Logger()})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer close(stopped)
		if err := x.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	x.Add(ctx, run("one", bot.RunDone), nil)
	<-taken
	stop()
	close(answer)
	<-stopped
	if len(taken) > 0 || log.String() != "" {
		t.Errorf("sent %d times more: %s", len(taken), log.String())
	}
}

// TestStopWithManyWaiting: the program ends in time while as many traces wait as may, and one more is between two tries.
func TestStopWithManyWaiting(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	asked := make(chan struct{}, 1)
	c := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(c.Close)
	x := spans.New(spans.Config{To: otlp.Client{URL: c.URL}, Log: log.Logger()})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx) }()
	x.Add(ctx, run("in hand", bot.RunDone), nil)
	<-asked
	for range 300 {
		x.Add(ctx, run("waits", bot.RunDone), nil)
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the exporter does not end")
	}
}
