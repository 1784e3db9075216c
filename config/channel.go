package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
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

	GuestsNone   = "none"   // guests and people of other workspaces are not answered
	GuestsChat   = "chat"   // they may ask, and read public documents
	GuestsMember = "member" // they are as members are, in this place
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
	Kind   string   // "text", "choice", "number", "bool", "list" (separated by commas) or "time" (such as 72h)
	Values []string // of a choice; the agent's come from the program, see [Key.Check]
	Max    int      // letters of a text, or the greatest number
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
		{"guests", "choice", []string{GuestsNone, GuestsChat, GuestsMember}, 0, both("게스트와 다른 워크스페이스 사람", "guests and people of other workspaces"), [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
		{"daily_tokens", "number", nil, maxDailyTokens, both("하루 토큰 한도 (0이면 없음)", "tokens a day, 0 for no limit"), [...]Role{Nobody, Admin, Admin, Nobody, Nobody}},
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

// Choices are the values that a form offers for k, nil if it is free.
func (k Key) Choices(agents []string) []string {
	switch {
	case k.Kind == "bool":
		return []string{"on", "off"}
	case k.Name == "agent":
		return agents
	}
	return k.Values
}

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
	}
	return fmt.Sprint(value)
}

// Takes says in a person's language what k takes.
func (k Key) Takes(agents []string, language string) string {
	en, ko := fmt.Sprintf("at most %d characters", k.Max), fmt.Sprintf("%d자까지 쓸 수 있어요", k.Max)
	switch k.Kind {
	case "time":
		en, ko = "a time such as 30m or 72h", "30m이나 72h 같은 시간을 적어 주세요"
	case "number":
		en, ko = fmt.Sprintf("a whole number from 0 to %d", k.Max), fmt.Sprintf("0부터 %d까지의 정수를 적어 주세요", k.Max)
	}
	if c := k.Choices(agents); len(c) > 0 {
		list := strings.Join(c, ", ")
		en, ko = "one of "+list, list+" 중에서 골라 주세요"
	}
	if language == LanguageKorean {
		return ko
	}
	return en
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
