// Package account keeps people's own accounts at MCP servers: it signs them in, gives their tokens to the tools that they
// call, renews, shows and ends them.
//
// [Vault] keeps tokens. [Desk] talks to people: the button of a question for a sign-in, "/maru accounts", and the pages that
// a browser sees on the way.
//
// Its invariants:
//
//   - A token is one person's: it is sealed under their name and the server, and no other name opens it. It is not
//     used at another address, nor for a server that was removed and added again.
//   - A link names its person before it leads anywhere, in the browser that comes back. It works once, for ten minutes, and
//     only the newest one does.
//   - Runs go on after a sign-in by a decision of their question, which is made once whatever dies.
//   - No token, code, verifier or link is logged.
//
// It must not know OAuth, HTTP or how a run resumes.
package account

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"maru/agent/tool/attached"
	"maru/bot"
)

var (
	// ErrBad says that a server, or where it has people sign in, tells nothing that can be used.
	ErrBad = errors.New("account: the server's metadata cannot be used")
	// ErrRefused says that the authorization server refused a code or a token.
	ErrRefused = errors.New("account: refused")
)

// Token opens a server to one person. Keep is what renews it.
type Token struct {
	Access  string          `json:"access"`
	Refresh string          `json:"refresh,omitempty"`
	Expires time.Time       `json:"expires,omitzero"`
	Keep    json.RawMessage `json:"keep"`
}

// Grants speaks with authorization servers. Errors are [ErrBad], [ErrRefused], or others that may pass. Begin returns where a
// person signs in, and what Finish needs besides the answer.
type Grants interface {
	Begin(ctx context.Context, name, server, redirect, state string) (address string, keep json.RawMessage, err error)
	Finish(ctx context.Context, keep json.RawMessage, answer url.Values) (Token, error)
	Renew(ctx context.Context, t Token) (Token, error)
	Revoke(ctx context.Context, t Token) error
}

// Record is what is kept: notes, which go with their person and their workspace, and the servers that admins added.
type Record interface {
	bot.Notes
	FirstNote(ctx context.Context, key, value string) (string, error)
	ToolServers(ctx context.Context) ([]attached.Row, error)
}

// holder is a person with an account at a server.
type holder struct{ Platform, Team, User, Server string }

func holderOf(t bot.Thread, user, server string) holder {
	return holder{t.Platform, t.Team, user, server}
}

// key returns that of a note about the account. It ends as what is known of a person does: see [bot.Persons].
func (h holder) key(what string) string {
	return bot.Esc(h.Platform) + "/" + what + "/" + bot.Esc(h.Server) + "/" + bot.Esc(h.Team) + "/" + bot.Esc(h.User)
}

// index returns the key of the note with the names of the person's servers.
func (h holder) index() string {
	h.Server = "all"
	return h.key("account-names")
}
