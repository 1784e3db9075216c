package config

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// Entry is a value that was set at a level.
type Entry struct {
	Level Level
	Key   string
	Value json.RawMessage
}

// Resolved holds one person's settings in one thread.
type Resolved struct {
	Agent         string
	Language      string
	Engage        string
	ReplyInThread bool // default: the platform's; see bot.Facts
	React         bool
	Persona       string
	Guests        string             // rights of guests and people of other workspaces
	Budget        int                // tokens a day of the narrowest level that has one, 0 for none
	Budgets       [Person + 1]int    // by level: each of them holds
	Prompts       string             // suggested prompts, one a line; "" for the program's own
	Quiet         string             // quiet hours without unsolicited messages, as [ParseHours] reads them
	TimeZone      string             // IANA name of the narrowest level that has one, or the program's
	Zones         [Person + 1]string // by level, "" where none is set
	Schedules     Schedules
	PerPerson     Limits // a day in a workspace
	PerRun        Limits
	DailyCost     float64             // money a day of the narrowest level that has a bound, 0 for none
	Costs         [Person + 1]float64 // by level: each of them holds
	Means         Means
	Approvals     Approvals
	Decisions     Decisions
	NoteOffers    bool          // statements that hold from now on are offered as notes of their channel
	Memory        bool          // off at any level is off
	MemoryShare   bool          // lessons about this person may be used in all of the workspace
	OnLeave       string        // data of a workspace that uninstalls the bot
	Retention     time.Duration // age at which messages are removed; 0: never

	From map[string]Level // by key: the level a value comes from; absent: the program's default
}

// Schedules are how many schedules there may be; 0 switches them off.
type Schedules struct {
	Person  int // of one owner in one workspace; default 20
	Channel int // of one channel; default 50
}

// Limits bound the use of models; a field that is 0 bounds nothing.
type Limits struct {
	Calls  int
	Tokens int     // input and output together
	Cost   float64 // in the currency of the price table
}

// Means are the model settings of a place's runs. A waiting run keeps its original ones.
type Means struct {
	Model       string   `json:"model,omitempty"`       // "": the program's own
	Temperature *float64 `json:"temperature,omitempty"` // nil: the agent's own
	DocScopes   []string `json:"doc_scopes,omitempty"`  // restriction of the readable scopes; none: all of them
	DocTags     []string `json:"doc_tags,omitempty"`    // only documents with all of these
	ToolsOff    []string `json:"tools_off,omitempty"`   // neither offered nor run
	ToolsAsk    []string `json:"tools_ask,omitempty"`   // a person decides before every call
	Allowed     []string `json:"allowed,omitempty"`     // tools that admins of the channel allowed for a time, "name@digest"; never restored: see bot/place
}

// Resolve applies entries to the program's defaults: person over thread over
// channel over workspace over program. Of the approvals, an individual key wins
// over "hitl" at the same level, and a narrower level over a wider one. A value
// of the wrong type, or at a level where its key cannot be set, changes nothing.
func Resolve(c Config, entries []Entry) Resolved {
	r := Resolved{
		Agent: c.Place.Agent, Language: c.Place.Language, Engage: c.Place.Engage, React: c.Place.React,
		Persona: c.Place.Persona, TimeZone: c.Place.TimeZone, Schedules: c.Place.Schedules, PerPerson: c.Limits.Person, PerRun: c.Limits.Run, ReplyInThread: true, Approvals: c.Approvals, Decisions: c.Decisions,
		Memory: c.Memory.On, Guests: GuestsChat, OnLeave: c.Place.OnLeave, Retention: c.Place.Retention, Means: Means{Temperature: c.Model.Temperature}, Quiet: Hours{}.String(), From: map[string]Level{},
	}
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b Entry) int {
		if a.Level != b.Level {
			return int(a.Level - b.Level)
		}
		return order(a.Key) - order(b.Key)
	})
	for _, e := range sorted {
		if e.Key == "model" && !c.offersModel(e.Value) { // the operator has taken it away since
			continue
		}
		r.apply(e)
	}
	return r
}

// offersModel reports whether places may choose a model or a set, by its stored name.
func (c Config) offersModel(stored json.RawMessage) bool {
	var name string
	return json.Unmarshal(stored, &name) == nil && slices.Contains(c.ModelChoices(), name)
}

// order puts "hitl" before the keys that refine it.
func order(key string) int {
	if key == "hitl" {
		return 0
	}
	return 1
}

func (r *Resolved) apply(e Entry) {
	key, _, ok := KeyNamed(e.Key)
	if !ok || key.Name != e.Key || e.Level <= Program || e.Level > Person || key.Who[e.Level] == Nobody {
		return
	}
	if e.Key == "hitl" {
		var on bool
		if exact(e.Value, &on) {
			r.Approvals = Approvals{on, on, on}
			for _, k := range []string{"hitl", "approve_clarification", "approve_plan", "approve_step"} {
				r.From[k] = e.Level
			}
		}
		return
	}
	if e.Key == "memory" {
		// A yes of one level does not override another's no.
		on := true
		if exact(e.Value, &on) && !on {
			r.Memory, r.From[e.Key] = false, e.Level
		}
		return
	}
	if e.Key == "retention" && e.Level == Person {
		// What is theirs may go sooner than the place's, never later.
		var own time.Duration
		if exact(e.Value, lapse{&own}) && Sooner(own, r.Retention) {
			r.Retention, r.From[e.Key] = own, e.Level
		}
		return
	}
	if exact(e.Value, r.fields()[e.Key]) {
		r.From[e.Key] = e.Level
		switch e.Key {
		case "daily_tokens":
			r.Budgets[e.Level] = r.Budget
		case "daily_cost":
			r.Costs[e.Level] = r.DailyCost
		case "time_zone":
			r.Zones[e.Level] = r.TimeZone
		}
	}
}

// lapse reads a stored time into a duration.
type lapse struct{ into *time.Duration }

// UnmarshalJSON implements json.Unmarshaler.
func (l lapse) UnmarshalJSON(raw []byte) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	d, err := time.ParseDuration(s)
	if err == nil {
		*l.into = d
	}
	return err
}

// names reads a stored list into one of its own: the one that is there belongs
// to the program's settings.
type names struct{ into *[]string }

// UnmarshalJSON implements json.Unmarshaler.
func (n names) UnmarshalJSON(raw []byte) error {
	var fresh []string
	if err := json.Unmarshal(raw, &fresh); err != nil {
		return err
	}
	*n.into = fresh
	return nil
}

// degree reads a stored number into one of its own.
type degree struct{ into **float64 }

// UnmarshalJSON implements json.Unmarshaler.
func (d degree) UnmarshalJSON(raw []byte) error {
	var fresh float64
	if err := json.Unmarshal(raw, &fresh); err != nil {
		return err
	}
	*d.into = &fresh
	return nil
}

// fields returns the places of the keys' values. "hitl" stands for several.
func (r *Resolved) fields() map[string]any {
	return map[string]any{
		"agent": &r.Agent, "language": &r.Language, "engage": &r.Engage, "persona": &r.Persona, "prompts": &r.Prompts,
		"reply_in_thread": &r.ReplyInThread, "react": &r.React, "memory": &r.Memory, "note_offers": &r.NoteOffers, "memory_share": &r.MemoryShare,
		"daily_tokens": &r.Budget, "daily_cost": &r.DailyCost, "guests": &r.Guests, "on_leave": &r.OnLeave, "retention": lapse{&r.Retention}, "quiet_hours": &r.Quiet,
		"time_zone": &r.TimeZone, "schedules_person": &r.Schedules.Person, "schedules_channel": &r.Schedules.Channel,
		"person_calls": &r.PerPerson.Calls, "person_tokens": &r.PerPerson.Tokens, "person_cost": &r.PerPerson.Cost,
		"run_calls": &r.PerRun.Calls, "run_tokens": &r.PerRun.Tokens, "run_cost": &r.PerRun.Cost,
		"model": &r.Means.Model, "temperature": degree{&r.Means.Temperature},
		"doc_scopes": names{&r.Means.DocScopes}, "doc_tags": names{&r.Means.DocTags}, "tools_off": names{&r.Means.ToolsOff}, "tools_ask": names{&r.Means.ToolsAsk},
		"approve_clarification": &r.Approvals.Clarification, "approve_plan": &r.Approvals.Plan, "approve_step": &r.Approvals.Step,
		"approvers": names{&r.Decisions.Approvers}, "two_people": &r.Decisions.TwoPeople,
		"approval_expires": lapse{&r.Decisions.Expires}, "approval_reminder": lapse{&r.Decisions.Remind},
		"while_busy": &r.Decisions.WhileBusy, "on_edit": &r.Decisions.OnEdit, "feedback": &r.Decisions.Feedback, "auto_steps": &r.Decisions.AutoSteps,
	}
}

// Value returns a key's value: a bool, a string, a number, a list, a time, or nil for an unknown key.
func (r *Resolved) Value(key string) any {
	if key == "hitl" {
		return r.Approvals.Clarification && r.Approvals.Plan && r.Approvals.Step
	}
	switch f := r.fields()[key].(type) {
	case *string:
		return *f
	case *bool:
		return *f
	case *int:
		return *f
	case *float64:
		return *f
	case degree:
		if *f.into != nil {
			return **f.into
		}
	case names:
		return *f.into
	case lapse:
		return *f.into
	}
	return nil
}

// Sooner reports whether one bound on how long things are kept ends before
// another; 0 never ends.
func Sooner(one, other time.Duration) bool { return one > 0 && (other <= 0 || one < other) }

// exact decodes a value of exactly the wanted type; null is of no type.
func exact(value json.RawMessage, into any) bool {
	if bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
		return false
	}
	if u, ok := into.(json.Unmarshaler); ok { // a lapse, names or a degree, which are no pointers
		return u.UnmarshalJSON(value) == nil
	}
	return json.Unmarshal(value, into) == nil
}
