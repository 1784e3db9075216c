package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"maru/agent/tool/attached"
	"maru/agent/tool/mcp/grant"
	"maru/agent/workflow/node"
	"maru/bot/account"
	"maru/bot/seal"
	"maru/config"
)

// Client returns what speaks with authorization servers under the settings.
func Client(c config.Config) grant.Client {
	out := grant.Client{HTTP: node.NewHTTPClient(c.Workflows.Inside.Holds).Transport, Now: time.Now, Document: documentAt(c), Members: map[string]grant.Member{}}
	for _, s := range c.Tools.MCP {
		if s.Client != "" {
			out.Members[s.URL] = grant.Member{ID: s.Client, Secret: s.Hidden.Reveal()}
		}
	}
	return out
}

// Hand finds the clients that admins gave for servers. It opens them for the address that they were given for alone.
func Hand(servers interface {
	ToolServers(ctx context.Context) ([]attached.Row, error)
}, box seal.Box) func(ctx context.Context, name, server string) (grant.Member, bool, error) {
	return func(ctx context.Context, name, server string) (grant.Member, bool, error) {
		rows, err := servers.ToolServers(ctx)
		if err != nil {
			return grant.Member{}, false, fmt.Errorf("find the client of a tool server: %w", err)
		}
		i := slices.IndexFunc(rows, func(r attached.Row) bool { return r.Name == name && r.URL == server && len(r.Client) > 0 })
		if i < 0 {
			return grant.Member{}, false, nil
		}
		var c attached.Client
		raw, err := box.Open(rows[i].Client, rows[i].AboutClient())
		if err == nil {
			err = json.Unmarshal(raw, &c)
		}
		if err != nil {
			return grant.Member{}, false, fmt.Errorf("the client of the tool server %s cannot be opened: %w", name, err)
		}
		return grant.Member(c), true, nil
	}
}

// documentAt returns where authorization servers read the metadata document of Maru, "" without an address over https.
func documentAt(c config.Config) string {
	if !strings.HasPrefix(c.HTTP.PublicURL, "https://") {
		return ""
	}
	return strings.TrimSuffix(c.HTTP.PublicURL, "/") + "/oauth/client.json"
}

// Document returns the metadata document of Maru as a client, nil without an address for it.
func Document(c config.Config) []byte {
	at := documentAt(c)
	if at == "" {
		return nil
	}
	return grant.Document(at, c.HTTP.PublicURL, account.Callback(c.HTTP.PublicURL))
}

// Grants speaks OAuth for people's accounts.
type Grants struct{ Client grant.Client }

var _ account.Grants = Grants{}

// Begin implements account.Grants.
func (g Grants) Begin(ctx context.Context, name, server, redirect, state string) (string, json.RawMessage, error) {
	address, keep, err := g.Client.Begin(ctx, name, server, redirect, state)
	return address, keep, known(err)
}

// Finish implements account.Grants.
func (g Grants) Finish(ctx context.Context, keep json.RawMessage, answer url.Values) (account.Token, error) {
	t, err := g.Client.Finish(ctx, keep, answer)
	return account.Token(t), known(err)
}

// Renew implements account.Grants.
func (g Grants) Renew(ctx context.Context, t account.Token) (account.Token, error) {
	next, err := g.Client.Renew(ctx, grant.Token(t))
	return account.Token(next), known(err)
}

// Revoke implements account.Grants.
func (g Grants) Revoke(ctx context.Context, t account.Token) error {
	return known(g.Client.Revoke(ctx, grant.Token(t)))
}

// known is an error as the accounts tell it.
func known(err error) error {
	switch {
	case errors.Is(err, grant.ErrMetadata), errors.Is(err, grant.ErrNone):
		return fmt.Errorf("%w: %w", account.ErrBad, err)
	case errors.Is(err, grant.ErrRefused), errors.Is(err, grant.ErrIssuer):
		return fmt.Errorf("%w: %w", account.ErrRefused, err)
	}
	return err
}
