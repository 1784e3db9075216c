// Package mcp is Maru as a server for other programs: tools over the Model Context Protocol at /mcp (streamable HTTP,
// revision 2025-11-25 and those that the SDK still speaks), and approvals as JSON below /api/approvals.
//
// A request shows a person's token, or is signed by Slack for the Slackbot MCP client. Everything else is the [Desk]'s:
// the package must not know token storage, permissions or approvals.
package mcp

import (
	"context"
	"log/slog"
	"time"

	"maru/bot"
	"maru/bot/desk"
	"maru/bot/receipt"
)

// Desk is what serves programs; *desk.Desk implements it. What cannot be done is a *bot.Error, a token that opens nothing
// desk.ErrToken.
type Desk interface {
	Open(ctx context.Context, token string) (desk.Caller, error)
	Vouched(ctx context.Context, platform, team, user, program string) (desk.Caller, error)
	Ask(ctx context.Context, c desk.Caller, q desk.Question) (desk.Answer, error)
	Search(ctx context.Context, c desk.Caller, text, channel string, limit int) ([]desk.Found, error)
	Pending(ctx context.Context, c desk.Caller) ([]desk.Waiting, error)
	Decide(ctx context.Context, c desk.Caller, approval, action, text string) (bot.Ruled, error)
	File(ctx context.Context, c desk.Caller, w desk.Wanted) (desk.Status, error)
	Withdraw(ctx context.Context, c desk.Caller, id string) (desk.Status, error)
	Status(ctx context.Context, c desk.Caller, id string, wait time.Duration) (desk.Status, error)
	Keys(ctx context.Context) (receipt.Keys, error)
}

var _ Desk = (*desk.Desk)(nil)

// Config holds a Server's dependencies.
type Config struct {
	Desk    Desk
	Version string
	// SlackSecret is the signing secret of the Slack app whose requests are trusted; "" trusts none.
	SlackSecret string
	Log         *slog.Logger
	Now         func() time.Time
}
