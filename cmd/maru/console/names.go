package console

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/bot"
	"maru/phrase"
)

// names names a workspace's people as the record last saw them, and its channels by their IDs.
type names struct {
	team, lang string
	people     map[string]string
}

// namesOf returns the names of a workspace, such as "slack/T1", for a reader.
func namesOf(ctx context.Context, r Record, by bot.User, team string) (names, error) {
	n := names{team, by.Locale, map[string]string{}}
	rows, err := r.People(ctx, maxPeople)
	if err != nil {
		return n, fmt.Errorf("list people: %w", err)
	}
	for _, p := range rows {
		if team == "" || (bot.Thread{Platform: p.Platform, Team: p.Team}).TeamKey() == team {
			n.people[p.User] = p.Name
		}
	}
	return n, nil
}

// Person implements sentence.Names. Workflows note their authors with their workspace.
func (n names) Person(id string) string {
	_, user := split(id)
	if user == "owner" && slices.Contains([]string{own, "console/local", ""}, n.team) {
		return phrase.Say(n.lang, "audited.owner")
	}
	return cmp.Or(n.people[user], user)
}

// asker names who asked. The console's owner is called by the word for them in the language of that time.
func asker(m bot.Message, lang string) string {
	if m.Thread.TeamKey() == own && m.User.ID == "owner" {
		return phrase.Say(lang, "web.owner")
	}
	return cmp.Or(m.User.Name, m.User.ID)
}

// Channel implements sentence.Names.
func (n names) Channel(key string) string {
	_, id := split(key)
	return id
}

// Team implements sentence.Names.
func (names) Team(key string) string {
	_, id := split(key)
	return id
}

// split separates the ID at the end of a key from what is before it.
func split(key string) (before, id string) {
	i := strings.LastIndex(key, "/")
	return key[:max(i, 0)], bot.Unesc(key[i+1:])
}
