// Package metrics counts the bot's activity for Prometheus. It implements the bot's observer port. It must not know
// platforms, stores or agents: values read at scrape time come in as functions.
package metrics

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"maru/agent"
	"maru/bot"
)

// Recorder counts the bot's activity. No label holds a person, a channel or a thread: the number of series is
// independent of the team's size.
type Recorder struct {
	registry  *prometheus.Registry
	received  *prometheus.CounterVec
	finished  *prometheus.CounterVec
	duration  *prometheus.HistogramVec
	first     *prometheus.HistogramVec
	calls     *prometheus.CounterVec
	callTime  *prometheus.HistogramVec
	tokens    *prometheus.CounterVec
	cost      *prometheus.CounterVec
	tools     *prometheus.CounterVec
	toolTime  *prometheus.HistogramVec
	cites     *prometheus.CounterVec
	delivered *prometheus.CounterVec
	operation *prometheus.HistogramVec
	usage     *prometheus.HistogramVec
	models    labels
	purposes  labels
	provider  func(model string) string
}

var _ bot.Observer = (*Recorder)(nil)

// Queue reports how many entries of a queue wait and since when the oldest does.
type Queue func(context.Context) (waiting int, oldest time.Time, err error)

// New returns a recorder of a build. items and jobs are the bot's queues; provider names who serves a model, as the
// conventions for generative AI have it, and may be nil.
func New(version string, items, jobs Queue, provider func(model string) string) *Recorder {
	m := &Recorder{registry: prometheus.NewRegistry(), provider: provider}
	if provider == nil {
		m.provider = func(string) string { return "" }
	}
	m.operation, m.usage = m.conventional()
	m.received = m.counter("maru_events_received_total", "Messages that adapters delivered.", "platform", "result")
	m.finished = m.counter("maru_runs_finished_total", "Runs that ended.", "agent", "outcome")
	m.duration = m.histogram("maru_run_seconds", "From a message's arrival to its final reply.", "agent")
	m.first = m.histogram("maru_first_token_seconds", "From a run's start to its first words.", "agent")
	m.calls = m.counter("maru_model_calls_total", "Model calls.", "model", "purpose")
	m.callTime = m.histogram("maru_model_call_seconds", "Time of model calls.", "purpose")
	m.tokens = m.counter("maru_model_tokens_total", "Tokens of model calls.", "model", "direction", "purpose")
	m.cost = m.counter("maru_model_cost_total", "Cost of model calls by the price table, in its currency.", "model", "purpose")
	m.tools = m.counter("maru_tool_calls_total", "Tool calls.", "tool", "result")
	m.toolTime = m.histogram("maru_tool_call_seconds", "Time of tool calls.", "tool")
	m.cites = m.counter("maru_citations_checked_total", "Citations of answers that were removed (of no passage), moved or added, and statements left uncited.", "agent", "result")
	m.delivered = m.counter("maru_platform_requests_total", "Replies posted or edited.", "platform", "op", "result")
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "maru_build_info", Help: "The build."}, []string{"version"})
	info.WithLabelValues(version).Set(1)
	m.registry.MustRegister(info, &queueCollector{
		queue: items,
		depth: prometheus.NewDesc("maru_inbox_depth", "Items that wait to be worked on.", nil, nil),
		age:   prometheus.NewDesc("maru_inbox_oldest_age_seconds", "How long the oldest item waits.", nil, nil),
	}, &queueCollector{
		queue: jobs,
		depth: prometheus.NewDesc("maru_jobs_depth", "Background jobs that wait, such as lessons to be taken in.", nil, nil),
		age:   prometheus.NewDesc("maru_jobs_oldest_age_seconds", "How long the oldest job waits.", nil, nil),
	})
	return m
}

// Handler serves the metrics.
func (m *Recorder) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *Recorder) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Recorder) histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: []float64{.005, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120},
	}, labels)
	m.registry.MustRegister(h)
	return h
}

// Received implements bot.Observer.
func (m *Recorder) Received(platform, result string) {
	m.received.WithLabelValues(platform, result).Inc()
}

// Finished implements bot.Observer.
func (m *Recorder) Finished(agent, outcome string, overall time.Duration) {
	m.finished.WithLabelValues(agent, outcome).Inc()
	m.duration.WithLabelValues(agent).Observe(overall.Seconds())
}

// FirstToken implements bot.Observer.
func (m *Recorder) FirstToken(agent string, after time.Duration) {
	m.first.WithLabelValues(agent).Observe(after.Seconds())
}

// ModelCall implements bot.Observer.
func (m *Recorder) ModelCall(purpose string, u agent.Usage, took time.Duration, failed string) {
	operation, provider := "chat", m.provider(u.Model)
	if purpose == embedding {
		operation = "embeddings"
	}
	purpose, model := m.purposes.label(purpose), m.models.label(u.Model)
	if u.Calls > 0 { // an answer from the cache asked nobody
		m.operation.WithLabelValues(operation, provider, model, failed).Observe(took.Seconds())
		for kind, n := range map[string]int{"input": u.Input, "output": u.Output} {
			if n > 0 {
				m.usage.WithLabelValues(operation, provider, model, kind).Observe(float64(n))
			}
		}
	}
	m.calls.WithLabelValues(model, purpose).Inc()
	m.callTime.WithLabelValues(purpose).Observe(took.Seconds())
	m.tokens.WithLabelValues(model, "input", purpose).Add(float64(u.Input))
	m.tokens.WithLabelValues(model, "output", purpose).Add(float64(u.Output))
	m.cost.WithLabelValues(model, purpose).Add(max(u.Cost, 0))
}

// ToolCall implements bot.Observer. The name becomes a label: see [Tools].
func (m *Recorder) ToolCall(name string, failed bool, took time.Duration) {
	result := "ok"
	if failed {
		result = "error"
	}
	m.tools.WithLabelValues(name, result).Inc()
	m.toolTime.WithLabelValues(name).Observe(took.Seconds())
}

// Checked implements bot.Observer.
func (m *Recorder) Checked(agent string, c agent.Checked) {
	for result, n := range map[string]int{"removed": c.Removed, "moved": c.Moved, "added": c.Added, "uncited": c.Uncited} {
		m.cites.WithLabelValues(agent, result).Add(float64(n))
	}
}

// Delivered implements bot.Observer.
func (m *Recorder) Delivered(platform, op, result string) {
	m.delivered.WithLabelValues(platform, op, result).Inc()
}
