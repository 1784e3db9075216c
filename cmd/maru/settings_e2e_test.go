package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/config"
)

// control is a field of a form that Discord was asked to open.
type control struct {
	Type        int    `json:"type"`
	CustomID    string `json:"custom_id"`
	Label       string `json:"label"`
	Description string `json:"description"`
	Value       string `json:"value"`
	Options     []struct {
		Value   string `json:"value"`
		Default bool   `json:"default"`
	} `json:"options"`
	Component  *control  `json:"component"`
	Components []control `json:"components"`
}

// decoded reads what Discord was sent into its parts.
func decoded(t *testing.T, from, into any) {
	t.Helper()
	raw, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// buttons lists a message's buttons: what they say by what they carry.
func buttons(t *testing.T, components []any) (labels map[string]string) {
	t.Helper()
	var list []control
	decoded(t, components, &list)
	labels = map[string]string{}
	for len(list) > 0 {
		c := list[0]
		list = append(list[1:], c.Components...)
		if c.Type == 2 && c.CustomID != "" {
			labels[c.CustomID] = c.Label
		}
	}
	return labels
}

// TestDiscordSettingsHaveAControlForEveryKey opens every group of the settings in
// both languages: Discord's forms take five fields, and there are more keys.
func TestDiscordSettingsHaveAControlForEveryKey(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newDiscordWorld(t, brain(t))
	korean := w.discord.AddUser("영희")
	w.discord.SetLocale(korean, "ko")
	w.discord.SetLocale(w.user, "en-US")
	w.env = append(w.env, "MARU_ADMINS="+w.user+","+korean)
	w.begin()
	for user, lang := range map[string]string{korean: "ko", w.user: "en"} {
		token := w.discord.Slash(user, w.general, "maru", "settings", map[string]string{"action": "edit", "place": "channel"})
		message, labels := "", map[string]string{}
		if err := w.discord.Await(within(t, atMost), func() bool {
			i := w.discord.Interaction(token)
			all := i.FollowUps
			if i.Original != nil {
				all = append(all, *i.Original)
			}
			for _, m := range all {
				if found := buttons(t, m.Components); len(found) > 0 {
					message, labels = m.ID, found
					if !m.Ephemeral {
						t.Error("the settings are shown to everybody")
					}
				}
			}
			return len(labels) == len(config.KeyGroups())
		}); err != nil {
			t.Fatalf("%d buttons: %v", len(labels), labels)
		}
		var keys []string
		for id, label := range labels {
			if hasHangul(label) != (lang == "ko") {
				t.Errorf("a button in %s says %q", lang, label)
			}
			for _, c := range w.opened(user, message, id).Components {
				keys = append(keys, c.Component.CustomID)
				if words := c.Label + c.Description; hasHangul(words) != (lang == "ko") {
					t.Errorf("%s in %s says %q", c.Component.CustomID, lang, words)
				}
				if want := map[string]int{"approvers": 7, "approvers_other": 3}[c.Component.CustomID]; want != 0 && c.Component.Type != want {
					t.Errorf("%s is a control of type %d, want %d", c.Component.CustomID, c.Component.Type, want)
				}
				if k, _, _ := config.KeyNamed(c.Component.CustomID); k.Kind == "bool" && len(c.Component.Options) != 2 {
					t.Errorf("%s has no switch: %+v", k.Name, c.Component)
				}
			}
		}
		want := []string{"approvers_other"} // what the menu of people and roles has not
		for _, k := range config.Keys() {
			if k.Who[config.Channel] != config.Nobody {
				want = append(want, k.Name)
			}
		}
		slices.Sort(keys)
		slices.Sort(want)
		if !slices.Equal(keys, want) {
			t.Errorf("%s: controls for %v, want %v", lang, keys, want)
		}
	}
	w.savesOnDiscord(korean)
}

// opened clicks a button and returns the form that it opens.
func (w *discordWorld) opened(user, message, button string) control {
	w.t.Helper()
	token := w.discord.Click(user, w.general, message, button)
	var form control
	if err := w.discord.Await(within(w.t, atMost), func() bool { return w.discord.Interaction(token).Kind == 9 }); err != nil {
		w.t.Fatalf("%s opens no form: %+v", button, w.discord.Interaction(token))
	}
	decoded(w.t, w.discord.Interaction(token).Data, &form)
	return form
}

// savesOnDiscord fills in one form wrongly and then well.
func (w *discordWorld) savesOnDiscord(user string) {
	w.t.Helper()
	const keeping = "m1:settings:save.channel"
	for _, step := range []struct {
		values map[string]string
		want   string
	}{
		{map[string]string{"retention": "1h"}, "하루부터 3650일"},
		{map[string]string{"retention": "30d", "memory": "off"}, "저장했어요: memory, retention"},
	} {
		token := w.discord.Submit(user, w.general, keeping, step.values)
		said := func() string {
			i := w.discord.Interaction(token)
			raw, err := json.Marshal([]any{i.Original, i.FollowUps})
			if err != nil {
				w.t.Fatal(err)
			}
			return bare(string(raw))
		}
		if err := w.discord.Await(within(w.t, atMost), func() bool { return strings.Contains(said(), step.want) }); err != nil {
			w.t.Errorf("%v is answered with %s, want %q", step.values, said(), step.want)
		}
	}
	token := w.discord.Slash(user, w.general, "maru", "settings", nil)
	if err := w.discord.Await(within(w.t, atMost), func() bool {
		i := w.discord.Interaction(token)
		raw, err := json.Marshal([]any{i.Original, i.FollowUps})
		return err == nil && strings.Contains(bare(string(raw)), "retention = 30일 (채널)")
	}); err != nil {
		w.t.Errorf("what was saved is not shown: %+v", w.discord.Interaction(token).Original)
	}
}

// TestSlackSettingsAreOneForm opens the settings in Slack, whose form has room
// for all of them.
func TestSlackSettingsAreOneForm(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newSlackWorld(t, brain(t), "MARU_ADMINS=U1,U2")
	w.slack.AddGroup("S7", "U2")
	w.start()
	last := ""
	for _, user := range []string{"U1", "U2"} {
		w.slack.Slash(user, "C1", "/maru", "settings edit channel")
		var view struct {
			Blocks []struct {
				BlockID string `json:"block_id"`
				Type    string `json:"type"`
				Label   struct {
					Text string `json:"text"`
				} `json:"label"`
				Element struct {
					Type string `json:"type"`
				} `json:"element"`
			} `json:"blocks"`
		}
		id := ""
		if err := w.slack.Wait(within(t, atMost), func() bool {
			v, ok := w.slack.LastView()
			id = v.ID
			return ok && id != last && json.Unmarshal(v.Body, &view) == nil
		}); err != nil {
			t.Fatal("no form is opened")
		}
		last = id
		korean := user == "U1"
		var keys []string
		for _, b := range view.Blocks {
			k, _, ok := config.KeyNamed(b.BlockID)
			want := "plain_text_input"
			switch b.BlockID {
			case "approvers":
				want = "multi_users_select"
			case "approvers_other": // a list of its own, which is part of the one above
				want, ok = "multi_static_select", true
			}
			if k.Kind == "bool" || k.Kind == "choice" && k.Name != "model" {
				want = "static_select"
			}
			if slices.Contains([]string{"doc_scopes", "tools_off", "tools_ask"}, k.Name) {
				want = "multi_static_select"
			}
			if !ok || b.Type != "input" || b.Element.Type != want || hasHangul(b.Label.Text) != korean {
				t.Errorf("%s: %+v", user, b)
			}
			keys = append(keys, b.BlockID)
		}
		others := slices.DeleteFunc(config.Keys(), func(k config.Key) bool { return k.Who[config.Channel] == config.Nobody })
		if len(keys) != len(others)+1 { // approvers have two
			t.Errorf("%s: %d controls %v", user, len(keys), keys)
		}
		if _, err := w.slack.Submit(user, id, map[string]string{"engage": "mention", "retention": "30d", "approvers": "U1", "approvers_other": "@admins, S7"}); err != nil {
			t.Fatal(err)
		}
	}
	w.slack.Slash("U2", "C1", "/maru", "settings")
	if err := w.slack.Wait(within(t, atMost), func() bool {
		for _, x := range w.slack.Whispers("U2") {
			if said := bare(x.Shown()); strings.Contains(said, "retention = 30 days (channel)") && strings.Contains(said, "engage = mention (channel)") {
				return true
			}
		}
		return false
	}); err != nil {
		t.Error("what was saved is not shown")
	}
	w.slack.Slash("U2", "C1", "/maru", "approvers")
	if err := w.slack.Wait(within(t, atMost), func() bool {
		return slices.ContainsFunc(w.slack.Whispers("U2"), func(x slackfake.Whisper) bool {
			said := bare(x.Shown())
			return strings.Contains(said, "(U1)") && strings.Contains(said, "all admins (@admins)") && strings.Contains(said, "@s7 (S7)")
		})
	}); err != nil {
		t.Error("the approvers that were chosen are not shown with their names")
	}
}
