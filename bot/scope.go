package bot

import (
	"errors"
	"strings"

	"maru/rag"
)

// ScopePublic is the scope of documents that everybody may read.
const ScopePublic = "public"

// TeamScope returns the scope of documents that every member of the workspace may read.
func (t Thread) TeamScope() string { return "team:" + t.TeamKey() }

// ChannelScope returns the scope of documents for the readers of the channel.
func (t Thread) ChannelScope() string { return PlaceScope(t.Places(User{})[1]) }

// PlaceScope is [Thread.ChannelScope] for a channel's settings key.
func PlaceScope(place string) string { return "channel:" + place }

// NotePrefix is the prefix of the adders of notes; see [Thread.NoteBy].
const NotePrefix = "note:"

// NoteBy returns the adder of a person's notes, documents that they asked to have remembered for a channel. No
// other document has such an adder.
func (t Thread) NoteBy(u User) string { return NotePrefix + t.Person(u) }

// PersonPlace is the prefix of the settings keys of people.
const PersonPlace = "user:"

// ScopePlace returns the workspace, as [Thread.TeamKey], and the channel of a scope's documents; both "" for those of everybody.
func ScopePlace(scope string) (team, channel string, err error) {
	kind, place, _ := strings.Cut(scope, ":")
	parts := strings.Split(place, "/")
	switch {
	case scope == ScopePublic || scope == rag.ScopeSample:
		return "", "", nil
	case kind == "team" && len(parts) == 2:
		return place, "", nil
	case kind == "channel" && len(parts) == 3:
		return parts[0] + "/" + parts[1], Unesc(parts[2]), nil
	}
	return "", "", errors.New("bot: not the scope of a channel or person")
}
