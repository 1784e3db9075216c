package people

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/lanes/cache"
	"maru/adapters/slack/web"
	"maru/bot"
)

const (
	// proofTime is how long a person's click or message in a channel proves that they can
	// read it: Slack accepts neither from anybody else.
	proofTime = 15 * time.Second
	// groupFresh is the maximum age of a user group's members when a permission depends on
	// them. usergroups.users.list is a tier 2 method.
	groupFresh   = 15 * time.Second
	maxProofs    = 4096
	maxGroups    = 256
	membersPage  = "1000"
	membersPages = 100
)

// userGroup caches the members of a user group.
type userGroup struct {
	users []string
	at    time.Time
}

// Members caches memberships of a workspace for seconds.
type Members struct {
	web    *web.Client
	users  *Users
	proofs *cache.Cache[string, time.Time]  // by channel and person: when they were last active there
	groups *cache.Cache[string, userGroup]  // by workspace and group
	names  *cache.Cache[string, groupNames] // by workspace: what its user groups are called
	rooms  *cache.Cache[string, room]       // channels, for their names and whether they are public
	crowds *cache.Cache[string, crowd]      // by workspace and channel

	guestsOf *cache.Cache[string, guestList] // by workspace
	mails    *mails                          // by person
}

// NewMembers returns the memberships that the client looks up.
func NewMembers(w *web.Client, users *Users) *Members {
	return &Members{web: w, users: users, proofs: cache.New[string, time.Time](maxProofs), groups: cache.New[string, userGroup](maxGroups), names: cache.New[string, groupNames](maxTeams), rooms: cache.New[string, room](maxProofs), crowds: cache.New[string, crowd](maxProofs), guestsOf: cache.New[string, guestList](maxTeams), mails: cache.New[string, profile](maxMails)}
}

// Prove records that a person was active in a channel, and when: an event that Slack
// redelivers an hour later proves nothing.
func (m *Members) Prove(t bot.Thread, user string, at time.Time) {
	if t.Channel != "" && user != "" {
		m.proofs.Add(t.Channel+" "+user, at)
	}
}

// isMember reports whether a person is in a user group (S…) of the workspace or, with group
// "", whether they can read the thread's channel. A failed look-up is an error: it grants no
// permission.
func (m *Members) isMember(ctx context.Context, t bot.Thread, user, group string) (bool, error) {
	switch {
	case user == "":
		return false, nil
	case group != "":
		return m.inGroup(ctx, t, user, group)
	case t.Direct || t.Channel == "":
		return true, nil // a direct message has no other reader
	}
	if at, ok := m.proofs.Get(t.Channel + " " + user); ok && m.web.Now().Sub(at).Abs() <= proofTime {
		return true, nil
	}
	return m.Reads(ctx, t, user)
}

// inGroup looks up a group's members. It ignores IDs that are not a group's: an approver may
// be a person.
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
		args.Set("team_id", t.Team) // an organisation's token must name the workspace
	}
	var answer struct {
		Users []string `json:"users"`
	}
	asked := m.web.Now() // before the request: later changes are not in its answer
	err := m.web.Ask(ctx, "usergroups.users.list", t.Team, args, &answer)
	switch web.Code(err) {
	case "no_such_subteam", "subteam_disabled", "plan_upgrade_required": // the last: a plan without user groups
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("slack: list user group %s (scope usergroups:read): %w", group, web.Delivery("members", err))
	}
	m.groups.Add(key, userGroup{users: answer.Users, at: asked})
	return slices.Contains(answer.Users, user), nil
}

// personNow asks Slack for a person: a cached profile may belong to a person that left since.
func (m *Members) personNow(ctx context.Context, id string) (bot.User, bool, error) {
	var info struct {
		User slack.User `json:"user"`
	}
	err := m.web.Ask(ctx, "users.info", id, url.Values{"user": {id}, "include_locale": {"true"}}, &info)
	switch {
	case err != nil && unknownPerson(err):
		return bot.User{}, false, nil
	case err != nil:
		return bot.User{}, false, fmt.Errorf("slack: look up a person: %w", web.Delivery("person", err))
	}
	return m.users.convert(&info.User), !info.User.Deleted && info.User.ID == id, nil
}

// Reads reports whether a person can read a channel: every workspace member except guests can
// read a public one, only its members a private one.
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
	if web.Code(err) == "channel_not_found" { // deleted, or the bot left it
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("slack: look up channel %s: %w", t.Channel, web.Delivery("members", err))
	}
	unsure := false
	if c := info.Channel; c.Channel && !c.Private && !c.Group {
		known, ok := m.users.Sure(ctx, user)
		id := m.web.Whoami()
		// An organisation's channel may belong to another workspace, with other people.
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
			return false, fmt.Errorf("slack: list members of channel %s: %w", t.Channel, web.Delivery("members", err))
		}
		if slices.Contains(page.Members, user) {
			return true, nil
		}
		if page.Meta.Next == "" && unsure { // everybody but guests can read it
			return false, fmt.Errorf("slack: users.info of %s timed out: %w", user, &bot.DeliveryError{Op: "members", Err: bot.ErrUnavailable})
		}
		if page.Meta.Next == "" {
			return false, nil
		}
		args.Set("cursor", page.Meta.Next)
	}
	return false, fmt.Errorf("slack: channel %s exceeds the limit of listed members", t.Channel)
}
