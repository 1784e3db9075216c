package people

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

// ids knows Slack's ids of people and groups.
type ids struct{}

// Picks implements bot.Picker: Slack's menu of people has people alone.
func (ids) Picks(_ bot.Thread, id string) bool { return personID.MatchString(id) }

// IsID implements bot.Picker.
func (ids) IsID(id string) bool { return personID.MatchString(id) || groupID.MatchString(id) }

// listGroups returns the workspace's user groups. What Slack does
// not tell in time is left out: a form opens without it.
func (m *Members) listGroups(ctx context.Context, t bot.Thread) []bot.Option {
	if known, ok := m.names.Get(t.Team); ok && m.web.Now().Sub(known.at) < namesFresh {
		return slices.Clone(known.list)
	}
	ctx, cancel := context.WithTimeout(ctx, m.web.AskWithin*2/3) // the click that asks for the form has three seconds
	defer cancel()
	args := url.Values{}
	if id := m.web.Whoami(); id != nil && id.Org {
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
	if err := m.web.Ask(ctx, web.MethodGroups, t.Team, args, &answer); err != nil {
		m.web.Log.DebugContext(ctx, "slack user groups were not listed", "err", err.Error())
		return nil
	}
	var list []bot.Option
	for _, g := range answer.Groups {
		if g.ID != "" && g.Deleted == 0 {
			list = append(list, bot.Option{Value: g.ID, Label: "@" + cmp.Or(g.Handle, g.Name, g.ID)})
		}
	}
	m.names.Add(t.Team, groupNames{list: list, at: m.web.Now()})
	return slices.Clone(list)
}

// nameOf returns what a person or a user group is called, "" if Slack does not say.
func (m *Members) nameOf(ctx context.Context, t bot.Thread, id string) string {
	switch {
	case personID.MatchString(id):
		return m.users.Name(ctx, id)
	case strings.HasPrefix(id, "S"):
		for _, g := range m.listGroups(ctx, t) {
			if g.Value == id {
				return g.Label
			}
		}
	}
	return ""
}
