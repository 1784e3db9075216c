package site

import (
	"context"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Names names the workspaces and channels of platforms for a visitor.
//
// NamePlaces returns the names of workspaces ("slack/T1") and channels ("slack/T1/C1") by key; all is false if a
// platform did not answer in time. A channel that the visitor may not know has the words for a private one. Channels
// lists the channels with runs of the last months that are no private conversations of others; all is false if they
// cannot be read now. PersonID returns the ID of the person with this name in any workspace, or text itself if nobody
// has it.
type Names interface {
	NamePlaces(ctx context.Context, by bot.User, from bot.Thread, keys []string) (names map[string]string, all bool)
	Channels(ctx context.Context, by bot.User, from bot.Thread) (keys []string, all bool)
	PersonID(ctx context.Context, by bot.User, text string) (string, error)
}

// consoleTeam is the workspace of the console's owner, terminalTeam that of commands such as `maru ask`.
const (
	consoleTeam  = "web/local"
	terminalTeam = "console/local"
)

// placeKey returns a thread's channel in the form of the filters.
func placeKey(t bot.Thread) string { return t.TeamKey() + "/" + bot.Esc(t.Channel) }

// teamOf returns the workspace of a place.
func teamOf(key string) string {
	if parts := strings.SplitN(key, "/", 3); len(parts) == 3 {
		return parts[0] + "/" + parts[1]
	}
	return key
}

// name looks up the names of places for a page.
func (s *Site) name(r *http.Request, b *base, keys ...string) {
	d, ok := s.desk.(Names)
	if !ok {
		return
	}
	keys = slices.Clone(keys) // the caller's order stays
	for _, k := range keys {
		keys = append(keys, teamOf(k))
	}
	slices.Sort(keys)
	keys = slices.DeleteFunc(slices.Compact(keys), func(k string) bool { return k == "" || teamOf(k) == consoleTeam || teamOf(k) == terminalTeam })
	if len(keys) > 0 {
		names, all := d.NamePlaces(r.Context(), b.User, b.Thread, keys)
		maps.Copy(names, b.names)
		b.names, b.unnamed = names, b.unnamed || !all
	}
}

// keysOf lists the places of a page's rows.
func keysOf[T any](rows []T, key func(T) string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = key(row)
	}
	return out
}

// placeField is a page's field for a channel.
type placeField struct {
	Place  string // a name, or what was typed
	Places []option
	Key    string // that Place means, such as "slack/T1/C1"; the text itself if it names nothing
	Late   bool   // Place names nothing, but some names could not be looked up

	list []string // keys of Places
}

// placeField reads the field, and names the channels that it suggests: the desk's and those of the page.
func (s *Site) placeField(r *http.Request, b *base, text string, keys ...string) placeField {
	f := placeField{Place: strings.TrimSpace(text)}
	all := true
	if d, ok := s.desk.(Names); ok {
		f.list, all = d.Channels(r.Context(), b.User, b.Thread)
	}
	suggest(s, r, b, &f, keys...)
	f.Key = keyOf(f.Place, f.list, b.PlaceWord)
	team, _ := placed(f.Key)
	f.Late = f.Place != "" && team == "" && (b.unnamed || !all)
	f.Place = f.shown()
	return f
}

// suggest adds channels and workspaces of the page to the names, and the channels to the suggestions.
func suggest(s *Site, r *http.Request, b *base, f *placeField, keys ...string) {
	f.list = append(f.list, keys...)
	slices.Sort(f.list)
	f.list = slices.DeleteFunc(slices.Compact(f.list), func(key string) bool { return teamOf(key) == key }) // whole workspaces
	s.name(r, b, slices.Concat(keys, f.list)...)
	f.Places = options(f.list, b.PlaceWord)
	f.Place = f.shown()
}

// shown returns what the field shows: the suggested name of its channel, or else the typed text.
func (f placeField) shown() string {
	if i := slices.Index(f.list, f.Key); i >= 0 {
		return f.Places[i].Value
	}
	return f.Place
}

// thread returns the channel or workspace that the field means, or an error for people if it names none.
func (f placeField) thread(lang string) (bot.Thread, *bot.Error) {
	team, channel := placed(f.Key)
	platform, id, ok := strings.Cut(team, "/")
	switch {
	case f.Late:
		return bot.Thread{}, &bot.Error{Code: bot.CodeTimeout, Say: phrase.Say(lang, "web.place.late")}
	case !ok:
		return bot.Thread{}, &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "web.place.unknown", fit.Clip(oneLine(f.Place), maxPlace))}
	}
	return bot.Thread{Platform: bot.Unesc(platform), Team: bot.Unesc(id), Channel: channel}, nil
}

// maxPlace bounds a field's text in a sentence, in characters.
const maxPlace = 60

// PlaceWord names a channel, or a workspace, by its key in words.
func (b base) PlaceWord(key string) string {
	team := teamOf(key)
	switch {
	case team == key, team == consoleTeam, team == terminalTeam:
		return b.TeamWord(team)
	case strings.HasPrefix(team, "web/"):
		return b.T("usage.private")
	case b.names[key] == "":
		return key
	}
	name := oneLine(b.names[key])
	for k := range b.names {
		if teamOf(k) != team { // the same name may be of several workspaces
			return name + " · " + b.TeamWord(team)
		}
	}
	return name
}

// Named is PlaceWord as an element that shows the key under the pointer.
func (b base) Named(key string) template.HTML { return titled(b.PlaceWord(key), key) }

// In returns a thread's channel as [base.Named].
func (b base) In(t bot.Thread) template.HTML { return b.Named(placeKey(t)) }

// Titled is titled for templates.
func (base) Titled(word, key string) template.HTML { return titled(word, key) }

// titled returns a word as an element that shows a key under the pointer.
func titled(word, key string) template.HTML {
	word, key = template.HTMLEscapeString(oneLine(word)), template.HTMLEscapeString(oneLine(key))
	if key == "" || key == word {
		return template.HTML(word) //nolint:gosec // G203: escaped
	}
	return template.HTML(`<span title="` + key + `">` + word + `</span>`) //nolint:gosec // G203: escaped
}

// option is a suggestion of a filter: a name, or an ID where names are missing or the same.
type option struct{ Value, Label string }

// options returns the suggestions for keys with these words: names where they are unique.
func options(keys []string, word func(string) string) []option {
	count := map[string]int{}
	for _, k := range keys {
		count[plainName(word(k))]++
	}
	out := make([]option, len(keys))
	for i, k := range keys {
		if out[i] = (option{Value: k, Label: word(k)}); count[plainName(out[i].Label)] == 1 {
			out[i] = option{Value: out[i].Label, Label: k}
		}
	}
	return out
}

// plainName returns what names are compared by: without case and "#".
func plainName(s string) string {
	return strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), "#")
}

// keyOf returns the key that a filter's text means: the one with this name, with or without a "#", if there is
// exactly one, else the text itself.
func keyOf(text string, keys []string, word func(string) string) string {
	if text == "" {
		return ""
	}
	found := ""
	for _, k := range keys {
		switch {
		case k == text:
			return text
		case plainName(word(k)) == plainName(text):
			if found != "" {
				return text
			}
			found = k
		}
	}
	if found != "" {
		return found
	}
	return text
}

// TeamWord names a workspace.
func (b base) TeamWord(team string) string {
	switch team {
	case consoleTeam:
		return b.T("team.console")
	case terminalTeam:
		return b.T("team.terminal")
	case "":
		return b.T("team.program")
	}
	if name := b.names[team]; name != "" {
		return oneLine(name)
	}
	return team
}

// ScopeWord names the readers of a scope.
func (b base) ScopeWord(scope string) string {
	kind, place, ok := strings.Cut(scope, ":")
	switch {
	case scope == bot.ScopePublic:
		return b.T("scope.public")
	case !ok:
	case kind == "team":
		return b.T("scope.team") + " " + b.TeamWord(place)
	case kind == "channel" && place == placeKey(b.Thread):
		return b.T("scope.here")
	case kind == "channel" && b.names[place] != "":
		return b.PlaceWord(place)
	case kind == "channel":
		return b.T("scope.channel") + " " + b.PlaceWord(place)
	}
	return b.T("scope.sample")
}

// ReadBy is ScopeWord as an element that shows the place's key under the pointer.
func (b base) ReadBy(scope string) template.HTML {
	return titled(b.ScopeWord(scope), placeOfScope(scope))
}

// placeOfScope returns the place of a scope's readers, "" for those of everybody.
func placeOfScope(scope string) string {
	_, place, _ := strings.Cut(scope, ":")
	return place
}
