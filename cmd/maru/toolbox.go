package main

import (
	"context"
	"errors"
	"fmt"

	"maru/agent/tool"
	"maru/agent/tool/mcp"
	"maru/bot"
	"maru/bot/command"
	"maru/bot/toolserver"
)

// toolbox describes the agents' tools to people.
type toolbox struct {
	tools *tool.Registry
	mcp   *mcp.Pool
}

var _ command.Toolbox = toolbox{}

// Tools implements command.Toolbox.
func (t toolbox) Tools(scopes []string) []command.ToolInfo {
	var out []command.ToolInfo
	for _, s := range t.tools.Specs() {
		if s.Policy.Allows(scopes) {
			out = append(out, command.ToolInfo{Name: s.Name, Title: s.Title, Effect: s.Policy.Effect(), Asks: s.In(scopes).Policy.Approval})
		}
	}
	return out
}

// Servers implements command.Toolbox.
func (t toolbox) Servers() []command.ToolServer {
	var out []command.ToolServer
	for _, s := range t.mcp.Status() {
		if s.Review {
			continue // its workspace's people see it: bot/toolserver
		}
		srv := command.ToolServer{Name: s.Server, Up: s.State == mcp.Ready, Tools: len(s.Tools)}
		for _, c := range s.Changes {
			srv.Changes = append(srv.Changes, command.ToolChange{Tool: c.Tool, Hash: c.Hash, Before: c.Before, After: c.After})
		}
		out = append(out, srv)
	}
	return out
}

// Accept implements command.Toolbox.
func (t toolbox) Accept(ctx context.Context, name, hash string) error {
	err := t.mcp.Accept(ctx, name, hash)
	if errors.Is(err, mcp.ErrUnknown) {
		return fmt.Errorf("%w: %w", bot.ErrNotFound, err)
	}
	return err
}

// toolServers returns the prober of MCP servers that admins add: nil becomes a nil interface.
func toolServers(t *tools) toolserver.Prober {
	if t.follower == nil {
		return nil
	}
	return t.follower
}
