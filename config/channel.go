package config

import (
	"slices"
	"strings"
	"time"

	"maru/phrase"
)

// Bounds of people's settings.
const (
	maxPersona     = 2000          // letters: it goes into every prompt
	maxPrompts     = 1000          // letters
	maxApprovers   = 1000          // letters of the whole list
	maxListed      = 500           // letters of a list of documents' tags or of tools
	maxDailyTokens = 1_000_000_000 // a larger budget would be no limit
	maxDailyCost   = 1_000_000     // in the currency of the price table
	maxDailyCalls  = 1_000_000     // of models
	maxSchedules   = 1000          // of a person in a workspace, and of a channel
)

// How long things are kept where a place bounds it. A platform may bring a message
// a second time within the day, and it must still be known then.
const (
	minRetention = 24 * time.Hour
	maxRetention = 3650 // days
)

// Level is how wide a place is in which a setting can be set.
type Level int

// The levels, the widest first. A narrower one wins.
const (
	Program Level = iota
	Workspace
	Channel
	InThread
	Person
)

// String names the level.
func (l Level) String() string {
	return [...]string{"program", "workspace", "channel", "thread", "person"}[l]
}

// Role is the role required to change a setting at a level.
type Role int

// The roles, each including the ones before it.
const (
	Member       Role = iota // anybody but guests
	ChannelAdmin             // may manage the channel
	Admin                    // may manage the workspace
	Nobody                   // it cannot be set there
)

// Key is a setting that people can change in a place.
type Key struct {
	Name   string
	Kind   string           // "text", "choice", "number", "decimal", "bool", "list" (separated by commas), "time" (such as 72h or 7d), "zone" (Asia/Seoul) or "hours" (22:00-08:00)
	Values []string         // of a choice or a list; some come from the program, see [Offers]
	Max    int              // letters of a text or a list, the greatest number, or the days of a time
	Who    [Person + 1]Role // by Level; Program is always Nobody
}

// Offers are the program's values for keys with installation-dependent values.
type Offers struct {
	Agents []string
	Models []string // that a place may choose from, as the operator allows
	Tools  []string
}

// offered returns the values of k, nil if it is free.
func (k Key) offered(o Offers) []string {
	switch k.Name {
	case "agent":
		return o.Agents
	case "model":
		return o.Models
	case "tools_off", "tools_ask":
		return o.Tools
	}
	return k.Values
}

// Keys returns every setting of a place, as commands and forms list them.
func Keys() []Key {
	channelAdmins := [...]Role{Nobody, Admin, ChannelAdmin, Member, Nobody}
	adminsOnly := [...]Role{Nobody, Admin, ChannelAdmin, ChannelAdmin, Nobody}
	alsoPersonal := [...]Role{Nobody, Admin, ChannelAdmin, Member, Member}
	return []Key{
		{"agent", "choice", nil, 0, adminsOnly},
		{"language", "choice", languages(), 0, alsoPersonal},
		{"model", "choice", nil, 0, adminsOnly},
		{"temperature", "decimal", nil, 2, adminsOnly},
		{"engage", "choice", []string{EngageMention, EngageFollow, EngageDocuments, EngageAlways, EngageNever}, 0, channelAdmins},
		{"reply_in_thread", "bool", nil, 0, channelAdmins},
		{"quiet_hours", "hours", nil, 0, alsoPersonal},
		{"time_zone", "zone", nil, 0, [...]Role{Nobody, Admin, ChannelAdmin, Nobody, Member}},
		{"schedules_person", "number", nil, maxSchedules, [...]Role{Nobody, Admin, Nobody, Nobody, Nobody}},
		{"schedules_channel", "number", nil, maxSchedules, [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
		{"react", "bool", nil, 0, channelAdmins},
		{"persona", "text", nil, maxPersona, adminsOnly},
		{"prompts", "text", nil, maxPrompts, adminsOnly},
		{"guests", "choice", []string{GuestsNone, GuestsChat, GuestsMember}, 0, [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
		{"daily_tokens", "number", nil, maxDailyTokens, [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
		{"daily_cost", "decimal", nil, maxDailyCost, [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
		{"person_calls", "number", nil, maxDailyCalls, [...]Role{Nobody, Admin, Nobody, Nobody, Nobody}},
		{"person_tokens", "number", nil, maxDailyTokens, [...]Role{Nobody, Admin, Nobody, Nobody, Nobody}},
		{"person_cost", "decimal", nil, maxDailyCost, [...]Role{Nobody, Admin, Nobody, Nobody, Nobody}},
		{"run_calls", "number", nil, maxDailyCalls, [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
		{"run_tokens", "number", nil, maxDailyTokens, [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
		{"run_cost", "decimal", nil, maxDailyCost, [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
		{"doc_scopes", "list", []string{ScopePublic, ScopeChannel, ScopeWorkspace}, maxListed, adminsOnly},
		{"doc_tags", "list", nil, maxListed, adminsOnly},
		{"tools_off", "list", nil, maxListed, adminsOnly},
		{"tools_ask", "list", nil, maxListed, adminsOnly},
		{"hitl", "bool", nil, 0, adminsOnly},
		{"approve_clarification", "bool", nil, 0, adminsOnly},
		{"approve_plan", "bool", nil, 0, adminsOnly},
		{"approve_step", "bool", nil, 0, adminsOnly},
		{"auto_steps", "bool", nil, 0, adminsOnly},
		{"approvers", "list", nil, maxApprovers, adminsOnly},
		{"two_people", "bool", nil, 0, adminsOnly},
		{"approval_expires", "time", nil, 365, adminsOnly},
		{"approval_reminder", "time", nil, 365, adminsOnly},
		{"while_busy", "choice", []string{BusyQueue, BusyReject, BusyInterrupt, BusyRollback}, 0, channelAdmins},
		{"on_edit", "choice", []string{EditRestart, EditAgain, EditKeep}, 0, channelAdmins},
		{"feedback", "bool", nil, 0, channelAdmins},
		{"note_offers", "bool", nil, 0, channelAdmins},
		{"memory", "bool", nil, 0, [...]Role{Nobody, Admin, ChannelAdmin, Nobody, Member}},
		{"retention", "time", nil, maxRetention, [...]Role{Nobody, Admin, ChannelAdmin, ChannelAdmin, Member}},
		{"on_leave", "choice", []string{LeaveKeep, LeavePurge}, 0, [...]Role{Nobody, Admin, Nobody, Nobody, Nobody}},
		{"memory_share", "bool", nil, 0, [...]Role{Nobody, Nobody, Nobody, Nobody, Member}},
	}
}

// Help returns k's description in a person's language.
func (k Key) Help(language string) string { return phrase.Say(language, "setting."+k.Name) }

// Label returns the meaning of one of k's choices in a person's language. An operator's own value, such as a model's
// name, is its own label.
func (k Key) Label(value, language string) string {
	key := "setting." + k.Name + "." + value
	if k.Kind == "bool" {
		key = "setting." + value
	}
	if !phrase.Has(key) {
		return value
	}
	return phrase.Say(language, key)
}

// KeyNamed finds a key by its name in the code or any language; near is the closest name if there is none.
func KeyNamed(name string) (key Key, near string, ok bool) {
	keys := Keys()
	if i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name }); i >= 0 {
		return keys[i], "", true
	}
	var begin []string
	typed, least := folded(name), tooFar
	for _, k := range keys {
		if isCalled(name, k.names()) {
			return k, "", true
		}
		if d := distance(name, k.names()); d < least {
			near, least = k.Name, d
		}
		if len(typed) > 2 && strings.HasPrefix(folded(k.Name), typed) { // its beginning: "temper"
			begin = append(begin, k.Name)
		}
	}
	if near == "" && len(begin) == 1 {
		near = begin[0]
	}
	return Key{}, near, false
}

// languages returns the values of the setting "language".
func languages() []string { return append([]string{LanguageAuto}, phrase.Languages()...) }
