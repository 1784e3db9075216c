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
	// namesFresh is the maximum age of user groups' names: they grant no permission.
	namesFresh = 10 * time.Minute
	maxTeams   = 1024 // workspaces with cached group names
)

// groupNames caches the names of a workspace's user groups.
type groupNames struct {
	list []bot.Option
	at   time.Time
}

// personID matches Slack's IDs of people, groupID those of user groups.
var (
	personID = regexp.MustCompile(`^[UW][A-Z0-9]{1,30}$`)
	groupID  = regexp.MustCompile(`^S[A-Z0-9]{1,30}$`)
)

// ids recognises Slack's IDs of people and groups.
type ids struct{}

// Picks implements bot.Picker: Slack's people menu lists only people.
func (ids) Picks(_ bot.Thread, id string) bool { return personID.MatchString(id) }

// IsID implements bot.Picker.
func (ids) IsID(id string) bool { return personID.MatchString(id) || groupID.MatchString(id) }

// listGroups returns the workspace's user groups, or those that Slack returns in time: the
// form opens without the rest.
func (m *Members) listGroups(ctx context.Context, t bot.Thread) []bot.Option {
	if known, ok := m.names.Get(t.Team); ok && m.web.Now().Sub(known.at) < namesFresh {
		return slices.Clone(known.list)
	}
	ctx, cancel := context.WithTimeout(ctx, m.web.AskWithin*2/3) // the click that opens the form expires after three seconds
	defer cancel()
	args := url.Values{}
	if id := m.web.Whoami(); id != nil && id.Org {
		args.Set("team_id", t.Team) // an organisation's token must name the workspace
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

// nameOf returns the name of a person or user group, "" if the look-up fails.
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
