package main

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"maru/agent"
	"maru/agent/tool"
	"maru/agent/tool/mcp"
	"maru/config"
)

// harmless are the variables that a child process gets: what it needs to start and
// to find its files, and nothing that could hold a secret of ours.
var harmless = []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"}

// newMCP makes the connections to MCP servers. They are dialled when the program
// runs: its start waits for none of them.
func (a *app) newMCP() error {
	t := a.cfg.Tools
	c := mcp.Config{
		Registry: a.tools, Finder: a.finder, Notes: a.record, Watch: t.AutoDetect, Disabled: t.Disabled,
		Version: version(), Jitter: rand.Float64, Log: a.log,
	}
	if t.AutoDetect {
		c.Interval = t.CheckInterval
	}
	for _, name := range harmless {
		if value, ok := os.LookupEnv(name); ok {
			c.Environ = append(c.Environ, name+"="+value)
		}
	}
	for _, s := range t.MCP {
		c.Servers = append(c.Servers, mcpServer(s, t.Timeout))
	}
	var err error
	a.mcp, err = mcp.New(c)
	return err
}

// mcpServer turns settings into a server.
func mcpServer(s config.MCPServer, timeout time.Duration) mcp.Server {
	out := mcp.Server{
		Name: s.Name, Command: s.Command, Args: s.Args, URL: s.URL, Headers: http.Header{},
		Allow: s.Allow, Deny: s.Deny, Policy: map[string]mcp.Policy{}, Timeout: cmp.Or(s.Timeout, timeout),
	}
	for name, value := range s.Env {
		out.Env = append(out.Env, name+"="+value.Reveal())
	}
	for name, value := range s.Headers {
		out.Headers.Set(name, value.Reveal())
	}
	for pattern, p := range s.Policy {
		effect := agent.Effect(p.Effect)
		out.Policy[pattern] = mcp.Policy{Timeout: p.Timeout, Policy: tool.Policy{
			ReadOnly: effect == agent.EffectReads || effect == agent.EffectSends, Egress: effect != agent.EffectReads,
			Executes: effect == agent.EffectExecutes, Idempotent: p.Idempotent, Approval: p.Approval, Forbidden: p.Forbidden,
		}}
	}
	return out
}

// runTools keeps the tools until ctx ends: those of MCP servers come and go, and all
// get vectors where there is a model for them.
func (a *app) runTools(ctx context.Context) error {
	var own sync.WaitGroup
	own.Go(func() { a.finder.Embed(ctx) })
	err := a.mcp.Run(ctx)
	own.Wait()
	<-ctx.Done() // without servers there is nothing to run
	return err
}

// mcpCollector counts servers and their tools when it is asked.
type mcpCollector struct {
	pool      *mcp.Pool
	up, tools *prometheus.Desc
	changed   *prometheus.Desc
}

func newMCPCollector(pool *mcp.Pool) *mcpCollector {
	server := []string{"server"}
	return &mcpCollector{
		pool:    pool,
		up:      prometheus.NewDesc("maru_mcp_server_up", "Whether an MCP server answers.", server, nil),
		tools:   prometheus.NewDesc("maru_mcp_tools", "Tools of an MCP server that are offered.", server, nil),
		changed: prometheus.NewDesc("maru_mcp_tools_changed", "Tools that changed and wait to be accepted.", server, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *mcpCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.up, c.tools, c.changed} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *mcpCollector) Collect(ch chan<- prometheus.Metric) {
	for _, s := range c.pool.Status() {
		up := 0.0
		if s.State == mcp.Ready {
			up = 1
		}
		ch <- prometheus.MustNewConstMetric(c.up, prometheus.GaugeValue, up, s.Server)
		ch <- prometheus.MustNewConstMetric(c.tools, prometheus.GaugeValue, float64(len(s.Tools)), s.Server)
		ch <- prometheus.MustNewConstMetric(c.changed, prometheus.GaugeValue, float64(len(s.Changes)), s.Server)
	}
}
