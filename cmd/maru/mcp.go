package main

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"maru/agent"
	"maru/agent/tool"
	"maru/agent/tool/mcp"
	"maru/bot"
	"maru/bot/account"
	"maru/config"
	"maru/metrics"
)

// harmless lists the variables passed to a child process: those needed to start and find its files, and none that
// could contain a secret.
var harmless = []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"}

// newMCP creates the connections to MCP servers. They connect while the program runs, so that its start does not
// wait for them.
func newMCP(b base, read mcp.Reader, registry *tool.Registry, finder *tool.Recommender, notes bot.Notes, vault *account.Vault) (*mcp.Pool, error) {
	t := b.cfg.Tools
	c := mcp.Config{
		Registry: registry, Finder: finder, Notes: notes, Watch: t.AutoDetect, Disabled: t.Disabled,
		Version: version(), Jitter: rand.Float64, Log: b.log, Read: read,
	}
	if vault != nil {
		c.Tokens = vault
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
		if !s.OAuth { // people's own accounts: see toolserver.Follower
			c.Servers = append(c.Servers, mcpServer(s, t.Timeout))
		}
	}
	return mcp.New(c)
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

// serverMetrics returns the state of the MCP servers, for the metrics.
func serverMetrics(pool *mcp.Pool) func() []metrics.Server {
	return func() []metrics.Server {
		var out []metrics.Server
		for _, s := range pool.Status() {
			out = append(out, metrics.Server{Name: s.Server, Up: s.State == mcp.Ready, Tools: len(s.Tools), Changed: len(s.Changes)})
		}
		return out
	}
}
