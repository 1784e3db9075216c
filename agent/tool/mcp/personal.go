package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/agent/tool"
	"maru/phrase"
)

// Tokens gives people's own tokens at personal servers.
//
// Token returns the token of a person, named as [tool.Call] names them, renewed if that is due, or "" if they have to sign in.
// Refused says that the server refused it.
type Tokens interface {
	Token(ctx context.Context, server, thread, person string) (string, error)
	Refused(ctx context.Context, server, thread, person, token string)
}

// runPersonal offers the accepted tools until ctx ends. Nobody is connected between calls.
func (s *server) runPersonal(ctx context.Context) {
	var tools []*mcp.Tool
	for _, name := range sortedNames(s.cfg.Accept) {
		var t mcp.Tool
		if err := json.Unmarshal(s.cfg.Accept[name].Tool, &t); err == nil && t.Name == name {
			tools = append(tools, &t)
		}
	}
	if err := s.offer(ctx, tools, nil); err != nil {
		s.setDown(err.Error())
	} else {
		s.setReady(ctx)
	}
	s.filled()
	if s.pool.cfg.Finder != nil {
		s.pool.cfg.Finder.Embed(ctx)
	}
	<-ctx.Done()
}

// as returns the server with one person's token.
func (s *server) as(token string) *server {
	cfg := s.cfg
	cfg.Personal, cfg.Headers = false, http.Header{"Authorization": {"Bearer " + token}}
	return &server{pool: s.pool, cfg: cfg, secrets: secrets(cfg)}
}

// callAs makes a call with the token of the person who asked. A refused token is renewed once.
func (r *remote) callAs(ctx context.Context, call tool.Call) (tool.Result, error) {
	tokens := r.server.pool.cfg.Tokens
	if tokens == nil {
		return tool.Result{}, r.signIn()
	}
	for range 2 {
		token, err := tokens.Token(ctx, r.server.cfg.Name, call.Thread, call.User)
		if err != nil {
			return tool.Result{}, r.unknown(err)
		}
		if token == "" {
			break
		}
		as := r.server.as(token)
		result, err := r.callOn(ctx, as, call)
		if err == nil || !as.wantsToken() {
			return result, err
		}
		tokens.Refused(ctx, r.server.cfg.Name, call.Thread, call.User, token)
	}
	return tool.Result{}, r.signIn()
}

// callOn makes a call on a connection of its own, if the tool still is what was accepted.
func (r *remote) callOn(ctx context.Context, as *server, call tool.Call) (tool.Result, error) {
	mine := &remote{server: as, offer: r.offer, shape: r.shape}
	c, err := as.connect(ctx)
	if err != nil {
		return tool.Result{}, mine.down(err)
	}
	defer c.close()
	tools, _, err := as.list(ctx, c)
	if err != nil {
		return tool.Result{}, mine.down(err)
	}
	for _, t := range tools {
		if t.Name != r.offer.remote {
			continue
		}
		if o, err := as.describe(t, r.offer.spec.Name); err == nil && o.hash == r.offer.hash {
			as.setLive(c)
			as.answered.Store(0) // from here on only the call itself may set it
			return mine.Call(ctx, call)
		}
	}
	return tool.Result{}, &tool.Error{
		Code:   "refused",
		Model:  fmt.Sprintf("%s was not called: it changed since an admin accepted it. Answer without it.", r.offer.spec.Name),
		People: phrase.Of("mcp.tool_changed", r.offer.spec.Title, r.server.cfg.Name),
	}
}

// unknown is the error of a call that was not made because the person's account could not be looked up.
func (r *remote) unknown(cause error) error {
	return &tool.Error{
		Code:   "unavailable",
		Model:  fmt.Sprintf("The call was not made: the person's account at %s could not be looked up now. It may work later.", r.server.cfg.Name),
		People: phrase.Of("mcp.account_unknown", r.server.cfg.Name),
		Err:    r.masked(cause),
	}
}

// signIn is the error of a call for which the person has to sign in.
func (r *remote) signIn() error {
	name := r.server.cfg.Name
	return &tool.Error{
		Code:    "account",
		Model:   fmt.Sprintf("The call was not made: the person has to sign in at %s first.", name),
		People:  phrase.Of("mcp.account", name, name),
		Account: name,
	}
}
