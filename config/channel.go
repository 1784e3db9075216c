package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/phrase"
)

// The values of the settings "language", beside those that there is a catalogue
// of (see [phrase.Languages]), and "engage".
const (
	LanguageAuto = "auto"

	EngageMention = "mention" // only when it is spoken to
	EngageFollow  = "follow"  // and in threads that it takes part in
	EngageAlways  = "always"  // every message
	EngageNever   = "never"

	GuestsNone   = "none"   // guests and people of other workspaces are not answered
	GuestsChat   = "chat"   // they may ask, and read public documents
	GuestsMember = "member" // they are as members are, in this place

	LeaveKeep  = "keep"  // what is kept of a workspace stays when it sends the bot away
	LeavePurge = "purge" // it is removed; the audit log stays
)

// The values of the setting "while_busy": what a message does that comes while
// a run works in its thread.
const (
	BusyQueue     = "queue"     // it waits for its turn
	BusyReject    = "reject"    // it is not taken
	BusyInterrupt = "interrupt" // the run stops, what it did stays
	BusyRollback  = "rollback"  // the run stops and is forgotten
)

// The values of the setting "on_edit": what it does that a person edits a
// question.
const (
	EditRestart = "restart" // a run that answers it begins again with the new words
	EditAgain   = "again"   // and one that was answered is answered again
	EditKeep    = "keep"    // a run answers what it was asked
)

// maxApprovers bounds the list of approvers in letters.
const maxApprovers = 1000

// maxPersona bounds the persona in letters: it goes into every prompt.
const maxPersona = 2000

// maxPrompts bounds the suggested prompts in letters.
const maxPrompts = 1000

// The values of the setting "doc_scopes": which documents are searched, of those
// that may be read.
const (
	ScopePublic    = "public"    // for everybody, such as the handbook
	ScopeChannel   = "channel"   // of this channel
	ScopeWorkspace = "workspace" // of every member
)

// maxListed bounds lists of names in letters, maxDailyCost the daily budget.
const (
	maxListed    = 500
	maxDailyCost = 1_000_000
)

// How long things are kept where a place bounds it: from a day, which a message
// that the platform brings twice needs, to so many days.
const (
	minRetention = 24 * time.Hour
	maxRetention = 3650
)

// maxDailyTokens bounds the daily budget: more is no budget.
const maxDailyTokens = 1_000_000_000

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

// Role is what somebody must be to change a setting at a level.
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
	Kind   string           // "text", "choice", "number", "decimal", "bool", "list" (separated by commas), "time" (such as 72h or 7d) or "hours" (22:00-08:00)
	Values []string         // of a choice or a list; some come from the program, see [Offers]
	Max    int              // letters of a text or a list, the greatest number, or the days of a time
	Who    [Person + 1]Role // by Level; Program is always Nobody
}

// Offers are the values that the program has for keys whose values are not the
// same everywhere.
type Offers struct {
	Agents []string
	Models []string // that a place may choose from, as the operator allows
	Tools  []string
}

// offered are the values of k, nil if it is free.
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
		{"engage", "choice", []string{EngageMention, EngageFollow, EngageAlways, EngageNever}, 0, channelAdmins},
		{"reply_in_thread", "bool", nil, 0, channelAdmins},
		{"quiet_hours", "hours", nil, 0, alsoPersonal},
		{"react", "bool", nil, 0, channelAdmins},
		{"persona", "text", nil, maxPersona, adminsOnly},
		{"prompts", "text", nil, maxPrompts, adminsOnly},
		{"guests", "choice", []string{GuestsNone, GuestsChat, GuestsMember}, 0, [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
		{"daily_tokens", "number", nil, maxDailyTokens, [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
		{"daily_cost", "decimal", nil, maxDailyCost, [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
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
		{"memory", "bool", nil, 0, [...]Role{Nobody, Admin, ChannelAdmin, Nobody, Member}},
		{"retention", "time", nil, maxRetention, [...]Role{Nobody, Admin, ChannelAdmin, ChannelAdmin, Member}},
		{"on_leave", "choice", []string{LeaveKeep, LeavePurge}, 0, [...]Role{Nobody, Admin, Nobody, Nobody, Nobody}},
		{"memory_share", "bool", nil, 0, [...]Role{Nobody, Nobody, Nobody, Nobody, Member}},
	}
}

// Help says in a person's language what k is.
func (k Key) Help(language string) string { return phrase.Say(language, "setting."+k.Name) }

// Label says in a person's language what one of k's choices means. A value of the
// operator's own, such as the name of a model, stands for itself.
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

// KeyNamed finds a key; near is the closest name when there is none.
func KeyNamed(name string) (key Key, near string, ok bool) {
	var names []string
	for _, k := range Keys() {
		if k.Name == name {
			return k, "", true
		}
		names = append(names, k.Name)
	}
	near, _ = nearest(strings.ToLower(name), names, 3)
	return Key{}, near, false
}

// languages are the values of the setting "language".
func languages() []string { return append([]string{LanguageAuto}, phrase.Languages()...) }

// Letters is how many characters a person may write for k, 0 when that is not
// what bounds it.
func (k Key) Letters() int {
	if k.Kind == "text" || k.Kind == "list" {
		return k.Max
	}
	return 0
}

// Check reads what a person wrote for k and returns the value as it is stored.
func (k Key) Check(text string, offers Offers) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	switch k.Kind {
	case "bool":
		on, err := parseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%s: use on or off", k.Name)
		}
		return json.Marshal(on)
	case "list":
		if len([]rune(text)) > k.Max {
			return nil, fmt.Errorf("%s: use at most %d characters", k.Name, k.Max)
		}
		named := append([]string{}, list(text)...)
		if values := k.offered(offers); values != nil {
			for _, one := range named {
				if !slices.Contains(values, one) {
					return nil, fmt.Errorf("%s: use some of %s", k.Name, strings.Join(values, ", "))
				}
			}
		}
		return json.Marshal(named)
	case "time":
		if _, bare := strconv.Atoi(text); bare == nil && k.least() >= day { // nobody means seconds
			text += "d"
		}
		d, err := ParseSpan(text)
		if err != nil || d < 0 || d > time.Duration(k.Max)*day || d != 0 && d < k.least() || d == 0 && k.Name == "approval_expires" {
			return nil, fmt.Errorf("%s: use a time such as 30m, 72h or 7d, %d days at most", k.Name, k.Max)
		}
		return json.Marshal(d.String())
	case "hours":
		h, err := ParseHours(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		return json.Marshal(h.String())
	case "decimal":
		f, err := parseFloat(text)
		if err != nil || f < 0 || f > float64(k.Max) {
			return nil, fmt.Errorf("%s: use a number from 0 to %d", k.Name, k.Max)
		}
		return json.Marshal(f)
	case "choice":
		values := k.offered(offers)
		if !slices.Contains(values, text) {
			return nil, fmt.Errorf("%s: use one of %s", k.Name, strings.Join(values, ", "))
		}
	case "number":
		n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
		if err != nil || n < 0 || n > k.Max {
			return nil, fmt.Errorf("%s: use a whole number from 0 to %d", k.Name, k.Max)
		}
		return json.Marshal(n)
	default:
		if len([]rune(text)) > k.Max {
			return nil, fmt.Errorf("%s: use at most %d characters", k.Name, k.Max)
		}
	}
	return json.Marshal(text)
}

// least is the shortest time that k takes, beside none at all.
func (k Key) least() time.Duration {
	if k.Name == "retention" {
		return minRetention
	}
	return 0
}

// Choices are the values that a form offers for k, nil if it is free.
func (k Key) Choices(offers Offers) []string {
	switch k.Kind {
	case "bool":
		return []string{"on", "off"}
	case "list":
		return nil
	}
	return k.offered(offers)
}

// Blank reports whether nothing is a value of k: no words, or none of a list.
func (k Key) Blank() bool { return k.Kind == "text" || k.Kind == "list" }

// Text is a value of k as people write it; [Key.Check] reads it.
func (k Key) Text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		if v {
			return "on"
		}
		return "off"
	case []string:
		return strings.Join(v, ", ")
	case time.Duration:
		return SpanText(v)
	case float64: // 1000000 and not 1e+06
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// Takes says in a person's language what k takes.
func (k Key) Takes(offers Offers, language string) string {
	if c := k.Choices(offers); len(c) > 0 {
		return phrase.Say(language, "setting.takes_choice", strings.Join(c, ", "))
	}
	if values := k.offered(offers); k.Kind == "list" && values != nil {
		return phrase.Say(language, "setting.takes_some", strings.Join(values, ", "))
	}
	if k.Kind == "choice" { // the operator has named none
		return phrase.Say(language, "setting.takes_none")
	}
	switch k.Kind {
	case "time":
		if k.Name == "retention" {
			return phrase.Say(language, "setting.takes_days", k.Max)
		}
		return phrase.Say(language, "setting.takes_time")
	case "hours":
		return phrase.Say(language, "setting.takes_hours")
	case "decimal":
		return phrase.Say(language, "setting.takes_decimal", k.Max)
	case "number":
		return phrase.Say(language, "setting.takes_number", k.Max)
	}
	return phrase.Say(language, "setting.takes_text", k.Max)
}

// DecisionDefaults returns how people decide where neither the operator nor
// anybody else has set anything.
func DecisionDefaults() Decisions {
	return Decisions{Expires: 7 * 24 * time.Hour, Remind: 24 * time.Hour, WhileBusy: BusyQueue, OnEdit: EditRestart}
}

// PlaceDefaults returns what holds in a place when neither the operator nor
// anybody else has set anything.
func PlaceDefaults() Place {
	return Place{Agent: "chat", Language: LanguageAuto, Engage: EngageFollow, TimeZone: "Local", OnLeave: LeaveKeep}
}
