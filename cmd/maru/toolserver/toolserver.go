// Package toolserver keeps the pool of MCP servers in step with the servers that admins added, as
// the record has them, on every replica.
package toolserver

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"maru/agent"
	"maru/agent/tool"
	"maru/agent/tool/attached"
	"maru/agent/tool/mcp"
	"maru/agent/tool/mcp/grant"
	"maru/agent/workflow/node"
	"maru/bot"
	"maru/bot/account"
	"maru/bot/seal"
	bottools "maru/bot/toolserver"
)

// Follower connects to the servers of the record's rows.
type Follower struct {
	Store   attached.Store
	Pool    *mcp.Pool
	HTTP    http.RoundTripper // checks the addresses that it dials
	Names   []string          // of the servers of the configuration file
	Own     []mcp.Server      // those of them at which each person has an account of their own
	Every   time.Duration     // between two looks at the rows
	Timeout time.Duration     // of one call
	Log     *slog.Logger
	Wake    chan struct{} // buffered; Changed sends
	Box     seal.Box      // opens the servers' tokens
	Vault   *account.Vault
	Client  grant.Client
	Now     func() time.Time

	unread sync.Map // version by name, of rows whose token was logged as unreadable
}

var _ bottools.Prober = (*Follower)(nil)

// Run follows the rows until ctx ends.
func (f *Follower) Run(ctx context.Context) {
	tick := time.NewTicker(f.Every)
	defer tick.Stop()
	settled := false
	for {
		rows, err := f.Store.ToolServers(ctx)
		if err == nil && !settled {
			if err = f.settle(ctx, rows); err == nil {
				settled = true
				rows, err = f.Store.ToolServers(ctx)
			}
		}
		if err != nil {
			f.Log.WarnContext(ctx, "the added mcp servers cannot be read; they stay as they are", "err", err)
		} else if err := f.Pool.Attach(f.servers(rows)); err != nil {
			f.Log.WarnContext(ctx, "an added mcp server is left out", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-f.Wake:
		}
	}
}

func (f *Follower) servers(rows []attached.Row) []mcp.Server {
	var out []mcp.Server
	for _, r := range rows {
		if r.Team != "" || f.own(r) >= 0 { // a replica with another configuration file may have left a row
			out = append(out, f.server(r))
		}
	}
	return out
}

// server returns a row as the pool connects to it.
func (f *Follower) server(r attached.Row) mcp.Server {
	s := mcp.Server{Name: r.Name, URL: r.URL, Origin: r.Created.UTC().Format(time.RFC3339Nano), HTTP: f.HTTP, Timeout: f.Timeout, Review: true, Personal: r.Personal, Accept: map[string]mcp.Pin{}, Policy: map[string]mcp.Policy{}}
	own := f.own(r)
	if own >= 0 {
		o := f.Own[own]
		s.Allow, s.Deny, s.Timeout = o.Allow, o.Deny, o.Timeout
		s.Policy["*"] = mcp.Policy{Policy: tool.Policy{Egress: true}} // not what the server says of itself
		maps.Copy(s.Policy, o.Policy)
	}
	for remote, a := range r.Accepted {
		if a.Hash != "" {
			s.Accept[remote] = mcp.Pin{Hash: a.Hash, Description: a.Description, Tool: a.Tool}
		}
		if own >= 0 { // the operator's policy alone says what a tool does
			continue
		}
		s.Policy[remote] = mcp.Policy{Policy: tool.Policy{
			ReadOnly: a.Effect == agent.EffectReads || a.Effect == agent.EffectSends, Egress: a.Effect != agent.EffectReads, Executes: a.Effect == agent.EffectExecutes,
		}}
	}
	if len(r.Secret) > 0 {
		secret, err := f.Box.Open(r.Secret, r.About())
		if err == nil {
			s.Headers = http.Header{r.Header: {string(secret)}}
		} else if last, _ := f.unread.Swap(r.Name, r.Version); last != r.Version { // the server refuses, which its state says
			f.Log.Warn("the token of an added mcp server cannot be opened: was MARU_SECRET_KEY changed?", "server", r.Name)
		}
	}
	for _, p := range r.Places {
		s.Only = append(s.Only, "channel:"+p)
	}
	if len(r.Places) == 0 && own < 0 {
		s.Only = []string{"team:" + r.Team, "channel:" + r.Team + "/*"}
	}
	return s
}

// Look implements the prober.
func (f *Follower) Look(ctx context.Context, r attached.Row, t bot.Thread, user string) ([]bottools.Offer, error) {
	s := f.server(r)
	if r.Personal {
		token, err := f.Vault.Token(ctx, r.Name, t.Key(), t.Person(bot.User{ID: user}))
		if err != nil {
			return nil, err
		}
		if token == "" && errors.Is(f.wants(ctx, r), bottools.ErrClient) {
			return nil, bottools.ErrClient
		}
		if token == "" {
			return nil, bottools.ErrAccount
		}
		s.Headers = http.Header{"Authorization": {"Bearer " + token}}
	}
	list, err := f.Pool.Look(ctx, s)
	if errors.Is(err, mcp.ErrSignIn) {
		if r.Personal {
			f.Vault.Refused(ctx, r.Name, t.Key(), t.Person(bot.User{ID: user}), strings.TrimPrefix(s.Headers.Get("Authorization"), "Bearer "))
			return nil, bottools.ErrAccount
		}
		return nil, f.wants(ctx, r)
	}
	if unusable, ok := errors.AsType[*mcp.UnusableError](err); ok {
		return nil, &bottools.AwayError{Status: unusable.Status, Inside: errors.Is(err, node.ErrPrivate), Answers: unusable.Answers, Err: err}
	}
	var out []bottools.Offer
	for _, o := range list {
		out = append(out, bottools.Offer{Remote: o.Remote, Title: o.Title, Description: o.Description, About: o.About, Parameters: o.Parameters, Hash: o.Hash, Effect: o.Policy.Effect(), Whole: o.Whole})
	}
	return out, err
}

// wants describes what a server that refuses a request needs.
func (f *Follower) wants(ctx context.Context, r attached.Row) error {
	if len(r.Secret) > 0 {
		return bottools.ErrToken
	}
	site, err := f.Client.Find(ctx, r.URL)
	switch {
	case err == nil && r.Team != "" && len(r.Client) == 0 && !f.Client.Joins(site) && f.Client.Members[r.URL] == (grant.Member{}):
		return bottools.ErrClient
	case err == nil:
		return bottools.ErrAccount
	case errors.Is(err, grant.ErrNone):
		return bottools.ErrToken
	case errors.Is(err, grant.ErrMetadata):
		f.Log.WarnContext(ctx, "an mcp server's sign-in cannot be used", "server", r.Name, "err", err)
		return bottools.ErrMetadata
	}
	return err
}

// Reserved implements the prober.
func (f *Follower) Reserved(name string) bool { return slices.Contains(f.Names, name) }

// Changed implements the prober.
func (f *Follower) Changed() {
	select {
	case f.Wake <- struct{}{}:
	default:
	}
}
