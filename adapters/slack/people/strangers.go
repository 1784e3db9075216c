package people

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"maru/adapters/slack/web"
	"maru/bot"
)

const (
	guestsFresh = 5 * time.Minute
	guestPage   = "1000" // Slack's limit of a page of users.list
	guestPages  = 10     // of a workspace, and of a channel's members
)

// guestList caches the guests of a workspace.
type guestList struct {
	users map[string]bool
	at    time.Time
}

// errTooMany says that there are more people than are looked through.
var errTooMany = errors.New("slack: too many people to look for guests among them")

// Strangers reports whether guests or people of other workspaces read a channel. A failed look-up is an error: it shows
// nothing to anybody.
func (m *Members) Strangers(ctx context.Context, t bot.Thread) (bool, error) {
	var info struct {
		Channel struct {
			Shared  bool   `json:"is_ext_shared"`
			OrgWide bool   `json:"is_org_shared"`
			Team    string `json:"context_team_id"`
		} `json:"channel"`
	}
	if err := m.web.Ask(ctx, "conversations.info", t.Channel, url.Values{"channel": {t.Channel}}, &info); err != nil {
		return false, fmt.Errorf("slack: look up channel %s: %w", t.Channel, web.Delivery("strangers", err))
	}
	// A channel shared across an organisation has readers outside this workspace.
	if c := info.Channel; c.Shared || c.OrgWide || c.Team != "" && c.Team != t.Team {
		return true, nil
	}
	guests, err := m.guests(ctx, t.Team)
	if err != nil || len(guests) == 0 {
		return false, err
	}
	found := false
	err = pages(ctx, m.web, "conversations.members", t.Channel, url.Values{"channel": {t.Channel}, "limit": {membersPage}}, func(ids []string) bool {
		found = slices.ContainsFunc(ids, func(id string) bool { return guests[id] })
		return found
	})
	return found, err
}

// guests lists the guests of a workspace, and people of others that Slack shows there.
func (m *Members) guests(ctx context.Context, team string) (map[string]bool, error) {
	if g, ok := m.guestsOf.Get(team); ok && m.web.Now().Sub(g.at) < guestsFresh {
		return g.users, nil
	}
	args := url.Values{"limit": {guestPage}}
	if id := m.web.Whoami(); id != nil && id.Org {
		args.Set("team_id", team) // an organisation's token must name the workspace
	}
	at, users := m.web.Now(), map[string]bool{}
	err := pages(ctx, m.web, web.MethodUsers, team, args, func(list []person) bool {
		for _, u := range list {
			if u.Restricted || u.Ultra || u.Stranger {
				users[u.ID] = true
			}
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	m.guestsOf.Add(team, guestList{users, at})
	return users, nil
}

// person is an entry of users.list.
type person struct {
	ID         string `json:"id"`
	Restricted bool   `json:"is_restricted"`
	Ultra      bool   `json:"is_ultra_restricted"`
	Stranger   bool   `json:"is_stranger"`
}

// pages reads a list of people page by page until stop returns true.
func pages[T any](ctx context.Context, w *web.Client, method, place string, args url.Values, stop func([]T) bool) error {
	for range guestPages {
		var page struct {
			Members []T `json:"members"`
			Meta    struct {
				Next string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if err := w.Ask(ctx, method, place, args, &page); err != nil {
			return fmt.Errorf("slack: %s: %w", method, web.Delivery("strangers", err))
		}
		if stop(page.Members) || page.Meta.Next == "" {
			return nil
		}
		args.Set("cursor", page.Meta.Next)
	}
	return errTooMany
}
