package people

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/bot/label"
)

// roomFresh is the maximum age of a channel's name, and of whether it is public.
const roomFresh = time.Minute

// room is a channel as its label needs it; without a name and a person one that Slack does not know.
type room struct {
	name   string
	with   string // whom a direct conversation is with
	team   string // the workspace it is of, "" if Slack does not say
	public bool   // every member of that workspace may join it
	at     time.Time
}

// crowd is whether guests or people of other workspaces read a channel.
type crowd struct {
	strangers bool
	at        time.Time
}

// idForm matches IDs of channels, people, groups and workspaces as they are in texts: long enough, and with a digit,
// to be no words in capitals.
var idForm = regexp.MustCompile(`\b[CDGUWST][A-Z0-9]{7,20}\b`)

// IDs implements label.Source.
func (ids) IDs(text string) []string {
	var out []string
	for _, id := range idForm.FindAllString(text, -1) {
		if strings.ContainsAny(id, "0123456789") && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// labelOf names a person, group, channel or workspace. The name of a private channel is for its own threads, and for
// its members in their direct messages; that of a direct conversation for itself and for its person.
func (m *Members) labelOf(ctx context.Context, msg bot.Message, id string) label.Label {
	t := msg.Thread
	switch me := m.web.Whoami(); {
	case me == nil:
	case id == me.Team:
		return named(label.Server, me.Space)
	case strings.HasPrefix(id, "T"):
	case personID.MatchString(id):
		u := m.users.Get(ctx, id, m.web.NameWait())
		if u.Bot {
			return named(label.App, u.Name)
		}
		return named(label.Person, u.Name)
	case groupID.MatchString(id):
		if t.Platform == payload.Platform || !me.Org {
			return named(label.Group, m.nameOf(ctx, t, id))
		}
	default:
		r, err := m.room(ctx, id)
		switch {
		case err != nil, r.name == "" && r.with == "":
		case r.with != "" && t.Platform == payload.Platform && (id == t.Channel || msg.User.ID == r.with):
			return named(label.Direct, m.users.Get(ctx, r.with, m.web.NameWait()).Name)
		case r.with == "" && m.mayKnow(ctx, msg, id, r):
			return named(label.Channel, "#"+r.name)
		default:
			return label.Label{Kind: label.Private}
		}
	}
	return label.Label{}
}

// named returns a label, or none without a name.
func named(k label.Kind, name string) label.Label {
	if strings.Trim(name, "#") == "" {
		return label.Label{}
	}
	return label.Label{Kind: k, Name: name}
}

// mayKnow reports whether all readers of a message's thread may know a channel's name. Guests, and people of other
// workspaces, do not see the public channels. A thread without a channel stands for all members of its workspace.
func (m *Members) mayKnow(ctx context.Context, msg bot.Message, id string, r room) bool {
	t, me := msg.Thread, m.web.Whoami()
	switch {
	case t.Platform != payload.Platform:
		return r.public && !me.Org
	case id == t.Channel:
		return true
	case t.Direct:
		reads, err := m.Reads(ctx, bot.Thread{Platform: t.Platform, Team: t.Team, Channel: id}, msg.User.ID)
		return err == nil && reads
	}
	here := !me.Org || r.team == t.Team // an organisation's channel may be of another workspace
	if t.Channel == "" {
		return here && r.public
	}
	return here && r.public && !msg.User.Stranger() && !msg.User.Watched && !m.amongStrangers(ctx, t)
}

// amongStrangers reports whether guests or people of other workspaces read a thread, or Slack does not say so in time.
func (m *Members) amongStrangers(ctx context.Context, t bot.Thread) bool {
	now, key := m.web.Now(), t.Team+" "+t.Channel
	if c, ok := m.crowds.Get(key); ok && now.Sub(c.at) < roomFresh {
		return c.strangers
	}
	open, err := m.Strangers(ctx, t)
	if err != nil {
		m.web.Log.DebugContext(ctx, "slack channel's readers were not looked up", "channel", t.Channel, "code", web.Code(err))
		return true
	}
	m.crowds.Add(key, crowd{open, now})
	return open
}

// Public reports whether every member of the workspace may read a channel; false if Slack does not say so.
func (m *Members) Public(ctx context.Context, channel string) bool {
	r, err := m.room(ctx, channel)
	return err == nil && r.public
}

// room looks up a channel, at most a minute late.
func (m *Members) room(ctx context.Context, id string) (room, error) {
	now := m.web.Now()
	if r, ok := m.rooms.Get(id); ok && now.Sub(r.at) < roomFresh {
		return r, nil
	}
	var info struct {
		Channel struct {
			Name    string `json:"name"`
			User    string `json:"user"`
			Team    string `json:"context_team_id"`
			Channel bool   `json:"is_channel"`
			Private bool   `json:"is_private"`
			Group   bool   `json:"is_mpim"`
			Direct  bool   `json:"is_im"`
		} `json:"channel"`
	}
	err := m.web.Ask(ctx, "conversations.info", id, url.Values{"channel": {id}}, &info)
	if err != nil && web.Code(err) != "channel_not_found" {
		m.web.Log.DebugContext(ctx, "slack channel was not looked up", "channel", id, "code", web.Code(err))
		return room{}, err
	}
	c := info.Channel
	r := room{name: c.Name, team: c.Team, public: c.Channel && !c.Private && !c.Group && !c.Direct, at: now}
	if c.Direct {
		r.with = c.User
	}
	m.rooms.Add(id, r)
	return r, nil
}
