package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// queueCollector reads a queue when it is scraped.
type queueCollector struct {
	queue      Queue
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
	n, oldest, err := c.queue(ctx)
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

// Server is the state of an MCP server.
type Server struct {
	Name    string
	Up      bool // it answers
	Tools   int  // that it offers
	Changed int  // tools that changed and wait to be accepted
}

// Servers adds the MCP servers, which status lists when the metrics are scraped.
func (m *Recorder) Servers(status func() []Server) {
	m.registry.MustRegister(newServerCollector(status))
}

type serverCollector struct {
	status    func() []Server
	up, tools *prometheus.Desc
	changed   *prometheus.Desc
}

func newServerCollector(status func() []Server) *serverCollector {
	server := []string{"server"}
	return &serverCollector{
		status:  status,
		up:      prometheus.NewDesc("maru_mcp_server_up", "Whether an MCP server answers.", server, nil),
		tools:   prometheus.NewDesc("maru_mcp_tools", "Tools of an MCP server that are offered.", server, nil),
		changed: prometheus.NewDesc("maru_mcp_tools_changed", "Tools that changed and wait to be accepted.", server, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *serverCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.up, c.tools, c.changed} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *serverCollector) Collect(ch chan<- prometheus.Metric) {
	for _, s := range c.status() {
		up := 0.0
		if s.Up {
			up = 1
		}
		ch <- prometheus.MustNewConstMetric(c.up, prometheus.GaugeValue, up, s.Name)
		ch <- prometheus.MustNewConstMetric(c.tools, prometheus.GaugeValue, float64(s.Tools), s.Name)
		ch <- prometheus.MustNewConstMetric(c.changed, prometheus.GaugeValue, float64(s.Changed), s.Name)
	}
}

// Parts adds the parts that the program needs, such as the record and each platform, which ready tells
// when the metrics are scraped: a part with an error is not ready, or works only in part.
func (m *Recorder) Parts(ready func(context.Context) map[string]error) {
	m.registry.MustRegister(&partCollector{ready, prometheus.NewDesc("maru_part_ready", "Whether a part works: the record, a platform, the documents, redis.", []string{"part"}, nil)})
}

type partCollector struct {
	ready func(context.Context) map[string]error
	desc  *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *partCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc }

// Collect implements prometheus.Collector.
func (c *partCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for part, err := range c.ready(ctx) {
		well := 0.0
		if err == nil {
			well = 1
		}
		ch <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, well, part)
	}
}
