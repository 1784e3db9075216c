package people

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"maru/adapters/lanes/cache"
	"maru/adapters/slack/web"
	"maru/bot"
)

const (
	mailFresh = time.Minute // longest time that an address outlives its person's account
	maxMails  = 10_000
	mostRead  = 200 // members of a channel whose addresses are looked up
)

// errOpen says that a channel has readers that its list of members does not name.
var errOpen = errors.New("slack: not only its members read the channel, or they are too many to look up")

// profile is the part of a person's profile that permissions depend on.
type profile struct {
	mail string // "" for closed accounts, and for people of other workspaces
	bot  bool
	at   time.Time
}

// mails caches profiles of a workspace for a minute.
type mails = cache.Cache[string, profile]

// Readers lists the people who read a channel. Whoever is in the workspace may join a public channel, so its readers are not
// known, nor are those of a channel that is shared.
func (d Directory) Readers(ctx context.Context, t bot.Thread) ([]string, error) {
	m, err := d.in(ctx, "readers", t.Team)
	if err != nil {
		return nil, err
	}
	return m.Readers(ctx, t)
}

// Mail returns the e-mail address of a person of the workspace, as Slack says at most a minute ago (scope users:read.email).
func (d Directory) Mail(ctx context.Context, t bot.Thread, user string) (string, error) {
	m, err := d.in(ctx, "mail", t.Team)
	if err != nil {
		return "", err
	}
	p, err := m.profile(ctx, user)
	return p.mail, err
}

// Readers lists the people who read a channel, see [Directory.Readers].
func (m *Members) Readers(ctx context.Context, t bot.Thread) ([]string, error) {
	var info struct {
		Channel struct {
			Channel bool   `json:"is_channel"`
			Private bool   `json:"is_private"`
			Group   bool   `json:"is_mpim"`
			Shared  bool   `json:"is_ext_shared"`
			OrgWide bool   `json:"is_org_shared"`
			Team    string `json:"context_team_id"`
		} `json:"channel"`
	}
	if err := m.web.Ask(ctx, "conversations.info", t.Channel, url.Values{"channel": {t.Channel}}, &info); err != nil {
		return nil, fmt.Errorf("slack: look up channel %s: %w", t.Channel, web.Delivery("readers", err))
	}
	c := info.Channel
	if c.Shared || c.OrgWide || c.Team != "" && c.Team != t.Team || c.Channel && !c.Private && !c.Group {
		return nil, errOpen
	}
	var all []string
	err := pages(ctx, m.web, "conversations.members", t.Channel, url.Values{"channel": {t.Channel}, "limit": {membersPage}}, func(ids []string) bool {
		all = append(all, ids...)
		return len(all) > mostRead
	})
	if err != nil {
		return nil, err
	}
	if len(all) > mostRead {
		return nil, errOpen
	}
	var people []string
	for _, id := range all {
		p, err := m.profile(ctx, id)
		if err != nil {
			return nil, err
		}
		if !p.bot {
			people = append(people, id)
		}
	}
	return people, nil
}

// profile asks Slack for a person's address.
func (m *Members) profile(ctx context.Context, id string) (profile, error) {
	if p, ok := m.mails.Get(id); ok && m.web.Now().Sub(p.at) < mailFresh {
		return p, nil
	}
	var info struct {
		User struct {
			ID        string `json:"id"`
			Team      string `json:"team_id"`
			Deleted   bool   `json:"deleted"`
			Bot       bool   `json:"is_bot"`
			Stranger  bool   `json:"is_stranger"`
			Confirmed *bool  `json:"is_email_confirmed"`
			Profile   struct {
				Email string `json:"email"`
			} `json:"profile"`
		} `json:"user"`
	}
	at := m.web.Now()
	err := m.web.Ask(ctx, "users.info", id, url.Values{"user": {id}}, &info)
	if err != nil && !unknownPerson(err) {
		return profile{}, fmt.Errorf("slack: look up a person: %w", web.Delivery("person", err))
	}
	u, me := info.User, m.web.Whoami()
	if me == nil {
		return profile{}, fmt.Errorf("slack: the own workspace is not known yet: %w", bot.ErrUnavailable)
	}
	p := profile{bot: u.Bot, at: at}
	here := me.Org || u.Team == "" || u.Team == me.Team
	if here && err == nil && u.ID == id && !u.Deleted && !u.Stranger && (u.Confirmed == nil || *u.Confirmed) {
		p.mail = u.Profile.Email
	}
	m.mails.Add(id, p)
	return p, nil
}
