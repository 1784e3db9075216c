package toolserver

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"maru/agent/tool"
	"maru/agent/tool/mcp"
	"maru/phrase"
)

// Limits of the wait of one question for the tools of servers that have just started. Programs by npx or in Python take seconds to start.
const (
	patience = 3 * time.Second
	startup  = 6 * time.Second // while a program starts
)

// Await waits a moment for the tools of servers that have just started, and names those that are not ready to a person who asks one
// question: it is answered without their tools.
func Await(ctx context.Context, registry *tool.Registry, pool *mcp.Pool, to io.Writer, lang string) {
	registry.Settle(ctx, patience)
	if slices.ContainsFunc(pool.Status(), func(s mcp.Status) bool { return s.Program && s.State == mcp.Connecting }) {
		registry.Settle(ctx, startup-patience)
	}
	var missing []string
	for _, s := range pool.Status() {
		if s.State != mcp.Ready {
			missing = append(missing, s.Server)
		}
	}
	if len(missing) > 0 && ctx.Err() == nil {
		_, _ = fmt.Fprintln(to, phrase.Say(lang, "console.ask.servers_missing", strings.Join(missing, ", "))) // best effort
	}
}
