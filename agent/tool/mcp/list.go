package mcp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPages bounds the pages of one list: a server may have one more for ever.
const maxPages = 200

// maxSkipped bounds the skipped tools that a log line names of one list.
const maxSkipped = 50

// list reads all tools of a server, each name once.
func (s *server) list(ctx context.Context, c *connection) (tools []*mcp.Tool, skipped []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	seen := map[string]bool{}
	cursor := ""
	for range maxPages {
		page, err := guard(ctx, c, func() (*mcp.ListToolsResult, error) {
			return c.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		})
		if err != nil {
			return nil, nil, err
		}
		page.TTLMs = 0 // how long the list holds is not for the server to say
		for _, t := range page.Tools {
			switch {
			case t == nil || seen[t.Name]:
				continue
			case len(tools) == maxTools:
				return tools, append(skipped, fmt.Sprintf("it has more than %d tools; the others are left out", maxTools)), nil
			}
			seen[t.Name] = true
			tools = append(tools, t)
		}
		if page.NextCursor == "" {
			return tools, skipped, nil
		}
		cursor = page.NextCursor
	}
	return nil, nil, errors.New("its list does not end")
}

// offers describes the tools that the operator lets in, by their names in the
// registry, and says which cannot be offered.
func (s *server) offers(tools []*mcp.Tool) (offers map[string]offer, skipped []string) {
	var remotes []string
	for _, t := range tools {
		if s.allowed(t.Name) {
			remotes = append(remotes, t.Name)
		}
	}
	names := localNames(s.cfg.Name, remotes)
	offers = map[string]offer{}
	for _, t := range tools {
		name, in := names[t.Name]
		if !in || slices.Contains(s.pool.cfg.Disabled, name) {
			continue
		}
		o, err := s.describe(t, name)
		switch {
		case err == nil:
			offers[name] = o
		case len(skipped) < maxSkipped:
			skipped = append(skipped, fmt.Sprintf("tool %s: %v", name, err))
		}
	}
	return offers, skipped
}

// same reports whether two descriptions of a tool are equal.
func (o offer) same(other offer) bool {
	return o.hash == other.hash && reflect.DeepEqual(o.spec, other.spec)
}

// check connects once, counts the tools, and disconnects.
func (s *server) check(ctx context.Context) Status {
	st := Status{Server: s.cfg.Name, State: Down, Since: s.pool.cfg.now()}
	c, err := s.connect(ctx)
	if err != nil {
		st.Err = s.mask(err.Error())
		return st
	}
	tools, skipped, err := s.list(ctx, c)
	end := c.close()
	if err != nil {
		st.Err = s.mask(err.Error())
		if end != "" {
			st.Err += "; its last words: " + end
		}
		return st
	}
	offers, more := s.offers(tools)
	st.State, st.Tools, st.Skipped = Ready, sortedNames(offers), append(skipped, more...)
	return st
}
