package config_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/config"
	"maru/phrase"
)

func entry(level config.Level, key, value string) config.Entry {
	return config.Entry{Level: level, Key: key, Value: json.RawMessage(value)}
}

func TestResolveNarrowerPlaceWins(t *testing.T) {
	t.Parallel()
	c, _, err := from(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	r := config.Resolve(c, []config.Entry{ // in no particular order
		entry(config.Person, "language", `"ko"`),
		entry(config.Channel, "language", `"en"`),
		entry(config.InThread, "agent", `"guide"`),
		entry(config.Workspace, "agent", `"orchestrator"`),
		entry(config.Workspace, "engage", `"always"`),
		entry(config.Channel, "react", `true`),
	})
	if r.Language != "ko" || r.Agent != "guide" || r.Engage != "always" || !r.React {
		t.Errorf("got %+v", r)
	}
	if r.From["language"] != config.Person || r.From["engage"] != config.Workspace {
		t.Errorf("comes from %v", r.From)
	}
	if _, set := r.From["persona"]; set || !r.ReplyInThread {
		t.Errorf("a default is not one: %+v", r)
	}
}

func TestResolveRetention(t *testing.T) {
	t.Parallel()
	const week, month = `"168h0m0s"`, `"720h0m0s"`
	for name, tc := range map[string]struct {
		env     string
		entries []config.Entry
		days    int
		from    config.Level
	}{
		"nothing is set":                 {},
		"the program's":                  {env: "MARU_RETENTION=2400h", days: 100},
		"a place's may be longer":        {env: "MARU_RETENTION=24h", entries: []config.Entry{entry(config.Workspace, "retention", week), entry(config.Channel, "retention", month)}, days: 30, from: config.Channel},
		"a place may keep for good":      {env: "MARU_RETENTION=24h", entries: []config.Entry{entry(config.Channel, "retention", `"0s"`)}, from: config.Channel},
		"a person's may be shorter":      {entries: []config.Entry{entry(config.Person, "retention", week), entry(config.Workspace, "retention", month)}, days: 7, from: config.Person},
		"a person's may not be longer":   {entries: []config.Entry{entry(config.Person, "retention", month), entry(config.Channel, "retention", week)}, days: 7, from: config.Channel},
		"a person may not keep for good": {entries: []config.Entry{entry(config.Person, "retention", `"0s"`), entry(config.Channel, "retention", week)}, days: 7, from: config.Channel},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _, err := from([]string{tc.env}, "")
			if err != nil {
				t.Fatal(err)
			}
			r := config.Resolve(c, tc.entries)
			if r.Retention != time.Duration(tc.days)*24*time.Hour || r.From["retention"] != tc.from {
				t.Errorf("got %v from %v, want %d days from %v", r.Retention, r.From["retention"], tc.days, tc.from)
			}
		})
	}
	if _, _, err := from([]string{"MARU_RETENTION=1h"}, ""); err == nil {
		t.Error("an hour is taken: a copy of a message may come later than that")
	}
}

func TestResolveApprovals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env     string
		entries []config.Entry
		want    config.Approvals
	}{
		"program":               {env: "ENABLE_STEP_APPROVAL=false", want: config.Approvals{Clarification: true, Plan: true}},
		"hitl sets all":         {entries: []config.Entry{entry(config.Channel, "hitl", "false")}},
		"individual key wins":   {entries: []config.Entry{entry(config.Channel, "approve_plan", "true"), entry(config.Channel, "hitl", "false")}, want: config.Approvals{Plan: true}},
		"narrower level wins":   {entries: []config.Entry{entry(config.InThread, "hitl", "true"), entry(config.Workspace, "approve_plan", "false")}, want: config.Approvals{Clarification: true, Plan: true, Step: true}},
		"a person cannot":       {entries: []config.Entry{entry(config.Person, "hitl", "false")}, want: config.Approvals{Clarification: true, Plan: true, Step: true}},
		"wrong type is ignored": {entries: []config.Entry{entry(config.Channel, "hitl", `"false"`), entry(config.Channel, "approve_plan", "null")}, want: config.Approvals{Clarification: true, Plan: true, Step: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _, err := from([]string{tc.env}, "")
			if err != nil {
				t.Fatal(err)
			}
			if got := config.Resolve(c, tc.entries).Approvals; got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestResolveIgnoresWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	c, _, _ := from(nil, "")
	r := config.Resolve(c, []config.Entry{
		entry(config.Program, "agent", `"x"`), entry(config.Channel, "agnet", `"x"`), entry(config.Channel, "agent", `7`),
		entry(config.Level(9), "agent", `"x"`), entry(config.Person, "persona", `"be rude"`), entry(config.Channel, "react", ``),
	})
	if r.Agent != "chat" || r.Persona != "" || len(r.From) != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestKeyCheck(t *testing.T) {
	t.Parallel()
	offers := config.Offers{Agents: []string{"chat", "guide"}, Models: []string{"big", "small"}, Tools: []string{"python", "wikipedia"}}
	for _, tc := range []struct{ key, text, want, wrong string }{
		{"agent", " guide ", `"guide"`, ""},
		{"agent", "nobody", "", "use one of chat, guide"},
		{"language", "ko", `"ko"`, ""},
		{"language", "fr", "", "use one of auto, en, ko"},
		{"engage", "never", `"never"`, ""},
		{"react", "On", "true", ""},
		{"model", "small", `"small"`, ""},
		{"model", "gpt-9", "", "use one of big, small"},
		{"temperature", "0", "0", ""},
		{"temperature", "0.7", "0.7", ""},
		{"temperature", "2.1", "", "use a number from 0 to 2"},
		{"temperature", "NaN", "", "use a number from 0 to 2"},
		{"quiet_hours", "22:00 ~ 08:00", `"22:00-08:00"`, ""},
		{"quiet_hours", "off", `"off"`, ""},
		{"quiet_hours", "8:00-25:00", "", "two different times"},
		{"quiet_hours", "08:00-08:00", "", "two different times"},
		{"time_zone", "Asia/Seoul", `"Asia/Seoul"`, ""},
		{"time_zone", "뉴욕", `"America/New_York"`, ""},
		{"time_zone", "New York", `"America/New_York"`, ""},
		{"time_zone", "Local", "", "use a time zone such as Asia/Seoul"},
		{"time_zone", "Mars/Base", "", "use a time zone such as Asia/Seoul"},
		{"time_zone", "", "", "use a time zone such as Asia/Seoul"},
		{"schedules_person", "0", "0", ""},
		{"schedules_person", "없음", "0", ""},
		{"schedules_channel", "1001", "", "use a whole number from 0 to 1000"},
		{"doc_scopes", "channel, public", `["channel","public"]`, ""},
		{"doc_scopes", "", `[]`, ""},
		{"doc_scopes", "slack/T2/C9", "", "use some of public, channel, workspace"},
		{"doc_tags", "hr, 2026", `["hr","2026"]`, ""},
		{"tools_off", "python", `["python"]`, ""},
		{"tools_off", "pyhton", "", "use some of python, wikipedia"},
		{"daily_cost", "2.5", "2.5", ""},
		{"daily_cost", "-1", "", "use a number from 0"},
		{"approval_expires", "7d", `"168h0m0s"`, ""},
		{"approval_expires", "400d", "", "365 days at most"},
		{"retention", "30", `"720h0m0s"`, ""},
		{"retention", "400d", `"9600h0m0s"`, ""},
		{"retention", "0", `"0s"`, ""},
		{"retention", "23h", "", "3650 days at most"},
		{"retention", "4000d", "", "3650 days at most"},
		{"retention", "-1d", "", "3650 days at most"},
		{"react", "maybe", "", "use on or off"},
		{"persona", "친절하게", `"친절하게"`, ""},
		{"persona", strings.Repeat("가", 2001), "", "at most 2000"},
	} {
		key, _, ok := config.KeyNamed(tc.key)
		if !ok {
			t.Fatalf("no key %s", tc.key)
		}
		got, err := key.Check(tc.text, offers)
		if tc.wrong == "" && (err != nil || string(got) != tc.want) {
			t.Errorf("%s %q: got %s, %v", tc.key, tc.text, got, err)
		}
		if tc.wrong != "" && (err == nil || !strings.Contains(err.Error(), tc.wrong)) {
			t.Errorf("%s %.20q: got %v", tc.key, tc.text, err)
		}
	}
	if _, near, ok := config.KeyNamed("langauge"); ok || near != "language" {
		t.Errorf("near is %q", near)
	}
}

func TestMemoryIsOffWhereAnybodySwitchedItOff(t *testing.T) {
	t.Parallel()
	no, yes := json.RawMessage("false"), json.RawMessage("true")
	for name, tc := range map[string]struct {
		set  []config.Entry
		want bool
	}{
		"nobody_said":          {nil, true},
		"my_own_no":            {[]config.Entry{{Level: config.Person, Key: "memory", Value: no}}, false},
		"my_yes_in_a_channel":  {[]config.Entry{{Level: config.Channel, Key: "memory", Value: no}, {Level: config.Person, Key: "memory", Value: yes}}, false},
		"a_channel_of_its_own": {[]config.Entry{{Level: config.Workspace, Key: "memory", Value: no}, {Level: config.Channel, Key: "memory", Value: yes}}, false},
		"not_by_a_thread":      {[]config.Entry{{Level: config.InThread, Key: "memory", Value: no}}, true},
		"no_boolean":           {[]config.Entry{{Level: config.Person, Key: "memory", Value: json.RawMessage(`"off"`)}}, true},
	} {
		if got := config.Resolve(config.Config{Memory: config.Memory{On: true}}, tc.set).Memory; got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if config.Resolve(config.Config{}, []config.Entry{{Level: config.Person, Key: "memory", Value: yes}}).Memory {
		t.Error("a person switches on what the operator switched off")
	}
}

func TestKeysSayWhoMaySetThem(t *testing.T) {
	t.Parallel()
	for _, k := range config.Keys() {
		personal := k.Who[config.Workspace] == config.Nobody && k.Who[config.Person] == config.Member
		if k.Who[config.Program] != config.Nobody || k.Who[config.Workspace] != config.Admin && !personal || k.Help("ko") == "" || k.Help("en") == "" {
			t.Errorf("%s: %+v", k.Name, k)
		}
		if strings.HasPrefix(k.Name, "approve") && (k.Who[config.Person] != config.Nobody || k.Who[config.InThread] < config.ChannelAdmin) {
			t.Errorf("%s can be switched off by anybody", k.Name)
		}
	}
}

func TestDecisionsArePutTogetherFromEverySetting(t *testing.T) {
	t.Parallel()
	c := config.Config{Decisions: config.DecisionDefaults()}
	c.Decisions.Approvers = []string{"@admins"}
	var set []config.Entry
	for name, text := range map[string]string{
		"approvers": "U1, S2 ,@admins", "two_people": "on", "approval_expires": "90m", "approval_reminder": "0", "while_busy": "reject", "on_edit": "again", "feedback": "yes",
	} {
		key, _, ok := config.KeyNamed(name)
		if !ok {
			t.Fatalf("no key %s", name)
		}
		value, err := key.Check(text, config.Offers{})
		if err != nil {
			t.Fatal(err)
		}
		set = append(set, config.Entry{Level: config.Channel, Key: name, Value: value})
	}
	got := config.Resolve(c, set).Decisions
	want := config.Decisions{Approvers: []string{"U1", "S2", "@admins"}, TwoPeople: true, Expires: 90 * time.Minute, WhileBusy: config.BusyReject, OnEdit: config.EditAgain, Feedback: true}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !slices.Equal(c.Decisions.Approvers, []string{"@admins"}) {
		t.Errorf("a place changed the program's approvers to %q", c.Decisions.Approvers)
	}
	for name, bad := range map[string][]string{"approval_expires": {"0", "-1h", "soon", "9000h"}, "while_busy": {"hurry"}, "on_edit": {"ask"}, "two_people": {"2"}} {
		key, _, _ := config.KeyNamed(name)
		for _, text := range bad {
			if v, err := key.Check(text, config.Offers{}); err == nil {
				t.Errorf("%s %q became %s", name, text, v)
			}
		}
	}
}

// TestEveryChoiceHasALabel: a form says in both languages what each choice means;
// what the operator names stands for itself.
func TestEveryChoiceHasALabel(t *testing.T) {
	t.Parallel()
	offers := config.Offers{Agents: []string{"chat", "orchestrator", "guide", "contract", "autonomous"}, Models: []string{"big"}}
	seen := 0
	for _, k := range config.Keys() {
		for _, lang := range phrase.Languages() {
			labels := map[string]string{}
			for _, v := range k.Choices(offers) {
				label := k.Label(v, lang)
				if k.Name == "model" {
					if label != v {
						t.Errorf("the model %s is called %q", v, label)
					}
					continue
				}
				if seen++; label == v || label == "" || len([]rune(label)) > 75 { // Slack's bound of an option
					t.Errorf("%s = %s has the label %q in %s", k.Name, v, label, lang)
				}
				if labels[label] != "" {
					t.Errorf("%s: %s and %s are both %q", k.Name, v, labels[label], label)
				}
				labels[label] = v
				if _, err := k.Check(v, offers); err != nil {
					t.Errorf("the raw value is not taken: %v", err)
				}
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d labels", seen)
	}
}

// TestTheServersZoneHasAName: people do not read the name that Go has for the machine's time zone.
func TestTheServersZoneHasAName(t *testing.T) {
	t.Parallel()
	k, _, ok := config.KeyNamed("time_zone")
	for lang, want := range map[string]string{"en": "The server's", "ko": "서버의 시간대"} {
		if got := k.Label("Local", lang); !ok || got != want {
			t.Errorf("%s: %q", lang, got)
		}
	}
	if got := k.Label("Asia/Seoul", "en"); got != "Asia/Seoul" {
		t.Errorf("a city's zone is called %q", got)
	}
}
