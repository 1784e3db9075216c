package slack

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"maru/adapters/slack/web"
	"maru/bot"
)

const (
	// namesFresh is how old the names of user groups may be: they carry no right.
	namesFresh = 10 * time.Minute
	maxTeams   = 1024 // workspaces whose user groups are known by name
)

// groupNames are the user groups of a workspace, as Slack named them at a moment.
type groupNames struct {
	list []bot.Option
	at   time.Time
}

// personID is how Slack names people, groupID how it names groups of them.
var (
	personID = regexp.MustCompile(`^[UW][A-Z0-9]{1,30}$`)
	groupID  = regexp.MustCompile(`^S[A-Z0-9]{1,30}$`)
)

// Picks implements bot.Picker: Slack's menu of people has people alone.
func (*Adapter) Picks(_ bot.Thread, id string) bool { return personID.MatchString(id) }

// IsID implements bot.Picker.
func (*Adapter) IsID(id string) bool { return personID.MatchString(id) || groupID.MatchString(id) }

// Groups implements bot.Picker with the workspace's user groups. What Slack does
// not tell in time is left out: a form opens without it.
func (a *Adapter) Groups(ctx context.Context, t bot.Thread) []bot.Option {
	if known, ok := a.members.names.Get(t.Team); ok && a.cfg.Now().Sub(known.at) < namesFresh {
		return slices.Clone(known.list)
	}
	ctx, cancel := context.WithTimeout(ctx, a.cfg.AskWithin*2/3) // the click that asks for the form has three seconds
	defer cancel()
	args := url.Values{}
	if id := a.web.Whoami(); id != nil && id.Org {
		args.Set("team_id", t.Team) // an organisation's token must say which workspace is meant
	}
	var answer struct {
		Groups []struct {
			ID      string `json:"id"`
			Name    string `json:"name"`
			Handle  string `json:"handle"`
			Deleted int64  `json:"date_delete"`
		} `json:"usergroups"`
	}
	if err := a.web.Ask(ctx, web.MethodGroups, t.Team, args, &answer); err != nil {
		a.log.DebugContext(ctx, "slack user groups were not listed", "err", err.Error())
		return nil
	}
	var list []bot.Option
	for _, g := range answer.Groups {
		if g.ID != "" && g.Deleted == 0 {
			list = append(list, bot.Option{Value: g.ID, Label: "@" + cmp.Or(g.Handle, g.Name, g.ID)})
		}
	}
	a.members.names.Add(t.Team, groupNames{list: list, at: a.cfg.Now()})
	return slices.Clone(list)
}

// NameOf implements bot.Namer.
func (a *Adapter) NameOf(ctx context.Context, t bot.Thread, id string) string {
	switch {
	case personID.MatchString(id):
		return a.users.name(ctx, id)
	case strings.HasPrefix(id, "S"):
		for _, g := range a.Groups(ctx, t) {
			if g.Value == id {
				return g.Label
			}
		}
	}
	return ""
}
