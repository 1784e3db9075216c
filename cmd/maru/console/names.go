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

// names names a workspace's people as the record last saw them, and places as platforms name them for a reader.
type names struct {
	team, lang string
	people     map[string]string
	place      func(key string) string
}

// namesIn returns the names of a workspace's people, such as those of "slack/T1", for a reader; see [names.placed] for places.
func namesIn(ctx context.Context, d *Desk, by bot.User, team string) (names, error) {
	n := names{team, by.Locale, map[string]string{}, func(string) string { return "" }}
	rows, err := d.cfg.Record.People(ctx, maxPeople)
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

// placed returns n with the names of all places that say asks for, looked up at once.
func (n names) placed(ctx context.Context, d *Desk, by bot.User, from bot.Thread, say func(names)) names {
	var keys []string
	n.place = func(key string) string {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		return ""
	}
	say(n)
	found, _ := d.NamePlaces(ctx, by, from, keys)
	n.place = func(key string) string { return found[key] }
	return n
}

// Person implements sentence.Names. Workflows note their authors with their workspace.
func (n names) Person(id string) string {
	_, user := split(id)
	if user == "owner" && (n.team == "" || owners(n.team)) {
		return phrase.Say(n.lang, "audited.owner")
	}
	return cmp.Or(n.people[user], user)
}

// asker names who asked. The console's owner is called by the word for them in the language of that time.
func asker(m bot.Message, lang string) string {
	if owners(m.Thread.TeamKey()) && m.User.ID == "owner" {
		return phrase.Say(lang, "web.owner")
	}
	return cmp.Or(m.User.Name, m.User.ID)
}

// id returns the ID of the person with this name, the text itself if there is not exactly one.
func (n names) id(text string) string {
	found := ""
	for id := range n.people {
		switch {
		case id == text:
			return text
		case strings.EqualFold(n.Person(id), strings.TrimSpace(text)) && found != "":
			return text
		case strings.EqualFold(n.Person(id), strings.TrimSpace(text)):
			found = id
		}
	}
	return cmp.Or(found, text)
}

// Channel implements sentence.Names.
func (n names) Channel(key string) string {
	_, id := split(key)
	return cmp.Or(n.place(key), id)
}

// Team implements sentence.Names.
func (n names) Team(key string) string { return n.Channel(key) }

// split separates the ID at the end of a key from the rest.
func split(key string) (before, id string) {
	i := strings.LastIndex(key, "/")
	return key[:max(i, 0)], bot.Unesc(key[i+1:])
}
