package people

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"maru/adapters/lanes/cache"
	"maru/adapters/slack/web"
	"maru/bot"
)

const (
	// proofTime is for how long a click or message of somebody's in a channel
	// shows that they read it: Slack takes neither from anybody who does not.
	proofTime = 15 * time.Second
	// groupFresh is how old what Slack said of a user group may be when somebody's
	// right depends on it. usergroups.users.list is a tier 2 method.
	groupFresh   = 15 * time.Second
	maxProofs    = 4096
	maxGroups    = 256
	membersPage  = "1000"
	membersPages = 100
)

// userGroup is who belongs to a user group, as Slack said at a moment.
type userGroup struct {
	users []string
	at    time.Time
}

// Members knows for seconds what Slack said of who belongs where in a workspace.
type Members struct {
	web    *web.Client
	users  *Users
	proofs *cache.Cache[string, time.Time]  // by channel and person: when they were last active there
	groups *cache.Cache[string, userGroup]  // by workspace and group
	names  *cache.Cache[string, groupNames] // by workspace: what its user groups are called
}

// NewMembers asks the client who belongs where.
func NewMembers(w *web.Client, users *Users) *Members {
	return &Members{web: w, users: users, proofs: cache.New[string, time.Time](maxProofs), groups: cache.New[string, userGroup](maxGroups), names: cache.New[string, groupNames](maxTeams)}
}

// Prove notes that a person did something in a channel, and when: what Slack
// tells of again an hour later proves nothing.
func (m *Members) Prove(t bot.Thread, user string, at time.Time) {
	if t.Channel != "" && user != "" {
		m.proofs.Add(t.Channel+" "+user, at)
	}
}

// isMember reports whether a person is in a user group (S…) of the workspace, or
// with group "" whether they read the thread's channel. What Slack does not tell
// is an error: nobody gets a right by its silence.
func (m *Members) isMember(ctx context.Context, t bot.Thread, user, group string) (bool, error) {
	switch {
	case user == "":
		return false, nil
	case group != "":
		return m.inGroup(ctx, t, user, group)
	case t.Direct || t.Channel == "":
		return true, nil // nobody else is there
	}
	if at, ok := m.proofs.Get(t.Channel + " " + user); ok && m.web.Now().Sub(at).Abs() <= proofTime {
		return true, nil
	}
	return m.Reads(ctx, t, user)
}

// inGroup asks Slack who is in a group. Only names of groups are asked for: an
// approver may as well be a person's id.
func (m *Members) inGroup(ctx context.Context, t bot.Thread, user, group string) (bool, error) {
	if !strings.HasPrefix(group, "S") || strings.ToUpper(group) != group {
		return false, nil
	}
	key := t.Team + " " + group
	if g, ok := m.groups.Get(key); ok && m.web.Now().Sub(g.at) < groupFresh {
		return slices.Contains(g.users, user), nil
	}
	args := url.Values{"usergroup": {group}}
	if id := m.web.Whoami(); id != nil && id.Org {
		args.Set("team_id", t.Team) // an organisation's token must say which workspace is meant
	}
	var answer struct {
		Users []string `json:"users"`
	}
	asked := m.web.Now() // before the question: what changes while it is answered is not known
	err := m.web.Ask(ctx, "usergroups.users.list", t.Team, args, &answer)
	switch web.Code(err) {
	case "no_such_subteam", "subteam_disabled", "plan_upgrade_required": // the last: a plan without user groups
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("slack: who is in the user group %s (scope usergroups:read): %w", group, web.Delivery("members", err))
	}
	m.groups.Add(key, userGroup{users: answer.Users, at: asked})
	return slices.Contains(answer.Users, user), nil
}

// Reads reports whether a person sees a channel: everybody of the workspace but
// its guests a public one, its members a private one.
func (m *Members) Reads(ctx context.Context, t bot.Thread, user string) (bool, error) {
	var info struct {
		Channel struct {
			Channel bool   `json:"is_channel"`
			Private bool   `json:"is_private"`
			Group   bool   `json:"is_mpim"`
			Team    string `json:"context_team_id"`
		} `json:"channel"`
	}
	err := m.web.Ask(ctx, "conversations.info", t.Channel, url.Values{"channel": {t.Channel}}, &info)
	if web.Code(err) == "channel_not_found" { // gone, or the bot is not in it any more
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("slack: what channel %s is: %w", t.Channel, web.Delivery("members", err))
	}
	unsure := false
	if c := info.Channel; c.Channel && !c.Private && !c.Group {
		known, ok := m.users.Sure(ctx, user)
		id := m.web.Whoami()
		// In an organisation a channel may be another workspace's, whose people are others.
		here := id != nil && (!id.Org || c.Team == t.Team)
		if unsure = !ok; ok && here && known.Name != "" && !known.Guest && !known.External {
			return true, nil
		}
	}
	args := url.Values{"channel": {t.Channel}, "limit": {membersPage}}
	for range membersPages {
		var page struct {
			Members []string `json:"members"`
			Meta    struct {
				Next string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if err := m.web.Ask(ctx, "conversations.members", t.Channel, args, &page); err != nil {
			return false, fmt.Errorf("slack: who is in channel %s: %w", t.Channel, web.Delivery("members", err))
		}
		if slices.Contains(page.Members, user) {
			return true, nil
		}
		if page.Meta.Next == "" && unsure { // everybody but a guest reads it
			return false, fmt.Errorf("slack: users.info did not say in time who %s is: %w", user, &bot.DeliveryError{Op: "members", Err: bot.ErrUnavailable})
		}
		if page.Meta.Next == "" {
			return false, nil
		}
		args.Set("cursor", page.Meta.Next)
	}
	return false, fmt.Errorf("slack: channel %s has more members than are read", t.Channel)
}
