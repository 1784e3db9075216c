package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The values of the settings "language" and "engage".
const (
	LanguageKorean  = "ko"
	LanguageEnglish = "en"
	LanguageAuto    = "auto"

	EngageMention = "mention" // only when it is spoken to
	EngageFollow  = "follow"  // and in threads that it takes part in
	EngageAlways  = "always"  // every message
	EngageNever   = "never"
)

// The values of the setting "while_busy": what a message does that comes while
// a run works in its thread.
const (
	BusyQueue     = "queue"     // it waits for its turn
	BusyReject    = "reject"    // it is not taken
	BusyInterrupt = "interrupt" // the run stops, what it did stays
	BusyRollback  = "rollback"  // the run stops and is forgotten
)

// maxApprovers bounds the list of approvers in letters.
const maxApprovers = 1000

// maxPersona bounds the persona in letters: it goes into every prompt.
const maxPersona = 2000

// maxPrompts bounds the suggested prompts in letters.
const maxPrompts = 1000

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
	Kind   string   // "text", "choice", "bool", "list" (separated by commas) or "time" (such as 72h)
	Values []string // of a choice; the agent's come from the program, see [Key.Check]
	Max    int      // letters of a text
	Help   map[string]string
	Who    [Person + 1]Role // by Level; Program is always Nobody
}

// Keys returns every setting of a place, as commands and forms list them.
func Keys() []Key {
	channelAdmins := [...]Role{Nobody, Admin, ChannelAdmin, Member, Nobody}
	adminsOnly := [...]Role{Nobody, Admin, ChannelAdmin, ChannelAdmin, Nobody}
	alsoPersonal := [...]Role{Nobody, Admin, ChannelAdmin, Member, Member}
	return []Key{
		{"agent", "choice", nil, 0, both("답하는 에이전트", "the agent that answers"), adminsOnly},
		{"language", "choice", []string{LanguageAuto, LanguageKorean, LanguageEnglish}, 0, both("답변 언어", "language of answers"), alsoPersonal},
		{"engage", "choice", []string{EngageMention, EngageFollow, EngageAlways, EngageNever}, 0, both("언제 말할지", "when to speak"), channelAdmins},
		{"reply_in_thread", "bool", nil, 0, both("스레드에서 답하기", "answer in a thread"), channelAdmins},
		{"react", "bool", nil, 0, both("받은 메시지에 👀 표시", "mark messages that were taken with 👀"), channelAdmins},
		{"persona", "text", nil, maxPersona, both("말투와 역할에 대한 추가 지시", "extra words for the system prompt"), adminsOnly},
		{"prompts", "text", nil, maxPrompts, both("추천 질문: 한 줄에 하나, 최대 4개 (제목 | 보낼 말)", "suggested prompts: one a line, at most 4 (title | message)"), adminsOnly},
		{"hitl", "bool", nil, 0, both("모든 확인 절차 켜기", "ask people: clarification, plan and step together"), adminsOnly},
		{"approve_clarification", "bool", nil, 0, both("불분명한 작업은 먼저 묻기", "ask when a task is unclear"), adminsOnly},
		{"approve_plan", "bool", nil, 0, both("계획을 실행 전에 확인받기", "ask before a plan runs"), adminsOnly},
		{"approve_step", "bool", nil, 0, both("각 단계를 실행 전에 확인받기", "ask before each step"), adminsOnly},
		{"auto_steps", "bool", nil, 0, both("읽기만 하는 단계는 지난 결정에 따라 자동으로 승인하기", "approve steps that only read by this person's past decisions"), adminsOnly},
		{"approvers", "list", nil, maxApprovers, both("질문한 사람 말고도 결정할 수 있는 사람: 사람·역할·그룹의 아이디, @admins", "who may decide besides who asked: ids of people, roles or groups, @admins"), adminsOnly},
		{"two_people", "bool", nil, 0, both("무언가를 바꾸는 일은 두 사람이 승인하기", "what changes something needs two people"), adminsOnly},
		{"approval_expires", "time", nil, 0, both("확인을 기다리는 시간", "how long a question waits"), adminsOnly},
		{"approval_reminder", "time", nil, 0, both("확인을 한 번 더 부탁하기까지의 시간, 0은 안 함", "when to remind of a question once, 0 for never"), adminsOnly},
		{"while_busy", "choice", []string{BusyQueue, BusyReject, BusyInterrupt, BusyRollback}, 0, both("일하는 동안 온 메시지를 어떻게 할지", "what a message does while a run works"), channelAdmins},
		{"feedback", "bool", nil, 0, both("답에 👍 👎 붙이기", "👍 and 👎 under answers"), channelAdmins},
		{"memory", "bool", nil, 0, both("사람에 대해 기억하기", "remember things about people"), [...]Role{Nobody, Admin, ChannelAdmin, Nobody, Member}},
		{"memory_share", "bool", nil, 0, both("배운 것을 워크스페이스 어디서나 쓰기", "use what was learned anywhere in the workspace"), [...]Role{Nobody, Nobody, Nobody, Nobody, Member}},
	}
}

func both(ko, en string) map[string]string { return map[string]string{"ko": ko, "en": en} }

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

// Check reads what a person wrote for k and returns the value as it is stored.
// agents are the names of the agents there are.
func (k Key) Check(text string, agents []string) (json.RawMessage, error) {
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
		return json.Marshal(append([]string{}, list(text)...))
	case "time":
		d, err := parseDuration(text)
		if err != nil || d < 0 || d > 365*24*time.Hour || d == 0 && k.Name == "approval_expires" {
			return nil, fmt.Errorf("%s: use a time such as 30m or 72h, a year at most", k.Name)
		}
		return json.Marshal(d.String())
	case "choice":
		values := k.Values
		if k.Name == "agent" {
			values = agents
		}
		if !slices.Contains(values, text) {
			return nil, fmt.Errorf("%s: use one of %s", k.Name, strings.Join(values, ", "))
		}
	default:
		if len([]rune(text)) > k.Max {
			return nil, fmt.Errorf("%s: use at most %d characters", k.Name, k.Max)
		}
	}
	return json.Marshal(text)
}

// Entry is a value that was set at a level.
type Entry struct {
	Level Level
	Key   string
	Value json.RawMessage
}

// Resolved is what holds for one person in one thread.
type Resolved struct {
	Agent         string
	Language      string
	Engage        string
	ReplyInThread bool
	React         bool
	Persona       string
	Prompts       string // suggested prompts, one a line; "" for the program's own
	Approvals     Approvals
	Decisions     Decisions
	Memory        bool // off at any level is off
	MemoryShare   bool // what is learned of this person may be used in all of the workspace

	From map[string]Level // by key: the level a value comes from; absent: the program's default
}

// Resolve applies entries to the program's defaults: person over thread over
// channel over workspace over program. Of the approvals, an individual key wins
// over "hitl" at the same level, and a narrower level over a wider one. A value
// of the wrong type, or at a level where its key cannot be set, changes nothing.
func Resolve(c Config, entries []Entry) Resolved {
	r := Resolved{
		Agent: c.Place.Agent, Language: c.Place.Language, Engage: c.Place.Engage, React: c.Place.React,
		Persona: c.Place.Persona, ReplyInThread: c.Discord.AnswerInThread, Approvals: c.Approvals, Decisions: c.Decisions,
		Memory: c.Memory.On, From: map[string]Level{},
	}
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b Entry) int {
		if a.Level != b.Level {
			return int(a.Level - b.Level)
		}
		return order(a.Key) - order(b.Key)
	})
	for _, e := range sorted {
		r.apply(e)
	}
	return r
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
	if !ok || e.Level <= Program || e.Level > Person || key.Who[e.Level] == Nobody {
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
		// A yes of one level is no answer to another's no.
		on := true
		if exact(e.Value, &on) && !on {
			r.Memory, r.From[e.Key] = false, e.Level
		}
		return
	}
	into := map[string]any{
		"agent": &r.Agent, "language": &r.Language, "engage": &r.Engage, "persona": &r.Persona, "prompts": &r.Prompts,
		"reply_in_thread": &r.ReplyInThread, "react": &r.React, "memory_share": &r.MemoryShare, "approve_clarification": &r.Approvals.Clarification,
		"approve_plan": &r.Approvals.Plan, "approve_step": &r.Approvals.Step,
		"approvers": names{&r.Decisions.Approvers}, "two_people": &r.Decisions.TwoPeople,
		"approval_expires": lapse{&r.Decisions.Expires}, "approval_reminder": lapse{&r.Decisions.Remind},
		"while_busy": &r.Decisions.WhileBusy, "feedback": &r.Decisions.Feedback, "auto_steps": &r.Decisions.AutoSteps,
	}[e.Key]
	if exact(e.Value, into) {
		r.From[e.Key] = e.Level
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

// exact decodes a value of exactly the wanted type; null is of no type.
func exact(value json.RawMessage, into any) bool {
	return !bytes.Equal(bytes.TrimSpace(value), []byte("null")) && json.Unmarshal(value, into) == nil
}

// DecisionDefaults returns how people decide where neither the operator nor
// anybody else has set anything.
func DecisionDefaults() Decisions {
	return Decisions{Expires: 7 * 24 * time.Hour, Remind: 24 * time.Hour, WhileBusy: BusyQueue}
}

// PlaceDefaults returns what holds in a place when neither the operator nor
// anybody else has set anything.
func PlaceDefaults() Place {
	return Place{Agent: "chat", Language: LanguageAuto, Engage: EngageFollow, TimeZone: "Local"}
}
