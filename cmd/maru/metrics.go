package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"maru/agent"
	"maru/bot"
)

// metrics counts what the bot does. No label holds a person, a channel or a
// thread: the number of series does not grow with the team.
type metrics struct {
	known     func(tool string) bool // what a model invents is no label
	registry  *prometheus.Registry
	received  *prometheus.CounterVec
	finished  *prometheus.CounterVec
	duration  *prometheus.HistogramVec
	first     *prometheus.HistogramVec
	calls     *prometheus.CounterVec
	callTime  *prometheus.HistogramVec
	tokens    *prometheus.CounterVec
	tools     *prometheus.CounterVec
	toolTime  *prometheus.HistogramVec
	cites     *prometheus.CounterVec
	delivered *prometheus.CounterVec
}

var _ bot.Observer = (*metrics)(nil)

func newMetrics(pending, jobs func(context.Context) (int, time.Time, error), known func(tool string) bool) *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), known: known}
	m.received = m.counter("maru_events_received_total", "Messages that adapters delivered.", "platform", "result")
	m.finished = m.counter("maru_runs_finished_total", "Runs that ended.", "agent", "outcome")
	m.duration = m.histogram("maru_run_seconds", "From a message's arrival to its final reply.", "agent")
	m.first = m.histogram("maru_first_token_seconds", "From a run's start to its first words.", "agent")
	m.calls = m.counter("maru_model_calls_total", "Model calls.", "purpose")
	m.callTime = m.histogram("maru_model_call_seconds", "Time of model calls.", "purpose")
	m.tokens = m.counter("maru_model_tokens_total", "Tokens of model calls.", "direction")
	m.tools = m.counter("maru_tool_calls_total", "Tool calls.", "tool", "result")
	m.toolTime = m.histogram("maru_tool_call_seconds", "Time of tool calls.", "tool")
	m.cites = m.counter("maru_citations_checked_total", "Citations of answers that were removed (of no passage), moved or added, and statements left uncited.", "agent", "result")
	m.delivered = m.counter("maru_platform_requests_total", "Replies posted or edited.", "platform", "op", "result")
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "maru_build_info", Help: "The build."}, []string{"version"})
	info.WithLabelValues(version()).Set(1)
	m.registry.MustRegister(info, &queueCollector{
		pending: pending,
		depth:   prometheus.NewDesc("maru_inbox_depth", "Items that wait to be worked on.", nil, nil),
		age:     prometheus.NewDesc("maru_inbox_oldest_age_seconds", "How long the oldest item waits.", nil, nil),
	}, &queueCollector{
		pending: jobs,
		depth:   prometheus.NewDesc("maru_jobs_depth", "Background jobs that wait, such as lessons to be taken in.", nil, nil),
		age:     prometheus.NewDesc("maru_jobs_oldest_age_seconds", "How long the oldest job waits.", nil, nil),
	})
	return m
}

func (m *metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *metrics) histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: []float64{.005, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120},
	}, labels)
	m.registry.MustRegister(h)
	return h
}

// Received implements bot.Observer.
func (m *metrics) Received(platform, result string) {
	m.received.WithLabelValues(platform, result).Inc()
}

// Finished implements bot.Observer.
func (m *metrics) Finished(agent, outcome string, overall time.Duration) {
	m.finished.WithLabelValues(agent, outcome).Inc()
	m.duration.WithLabelValues(agent).Observe(overall.Seconds())
}

// FirstToken implements bot.Observer.
func (m *metrics) FirstToken(agent string, after time.Duration) {
	m.first.WithLabelValues(agent).Observe(after.Seconds())
}

// ModelCall implements bot.Observer.
func (m *metrics) ModelCall(purpose string, u agent.Usage, took time.Duration) {
	m.calls.WithLabelValues(purpose).Inc()
	m.callTime.WithLabelValues(purpose).Observe(took.Seconds())
	m.tokens.WithLabelValues("input").Add(float64(u.Input))
	m.tokens.WithLabelValues("output").Add(float64(u.Output))
}

// ToolCall implements bot.Observer.
func (m *metrics) ToolCall(name string, failed bool, took time.Duration) {
	result := "ok"
	if failed {
		result = "error"
	}
	if !m.known(name) {
		name = "unknown"
	}
	m.tools.WithLabelValues(name, result).Inc()
	m.toolTime.WithLabelValues(name).Observe(took.Seconds())
}

// Checked implements bot.Observer.
func (m *metrics) Checked(agent string, c agent.Checked) {
	for result, n := range map[string]int{"removed": c.Removed, "moved": c.Moved, "added": c.Added, "uncited": c.Uncited} {
		m.cites.WithLabelValues(agent, result).Add(float64(n))
	}
}

// Delivered implements bot.Observer.
func (m *metrics) Delivered(platform, op, result string) {
	m.delivered.WithLabelValues(platform, op, result).Inc()
}

// queueCollector asks the record when it is scraped.
type queueCollector struct {
	pending    func(context.Context) (int, time.Time, error)
	depth, age *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *queueCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.depth
	ch <- c.age
}

// Collect implements prometheus.Collector.
func (c *queueCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	n, oldest, err := c.pending(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(c.depth, err)
		return
	}
	age := 0.0
	if n > 0 && !oldest.IsZero() {
		age = max(time.Since(oldest).Seconds(), 0)
	}
	ch <- prometheus.MustNewConstMetric(c.depth, prometheus.GaugeValue, float64(n))
	ch <- prometheus.MustNewConstMetric(c.age, prometheus.GaugeValue, age)
}
