package site

import (
	"slices"
	"testing"

	"maru/bot"
)

func TestPlaceWord(t *testing.T) {
	t.Parallel()
	one := map[string]string{"slack/T1": "Hanbit", "slack/T1/C1": "#general"}
	two := map[string]string{"slack/T1": "Hanbit", "slack/T1/C1": "#general", "discord/G1/9": "#general"}
	b := base{Visitor: Visitor{Lang: "en", Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: "C7"}}}
	for _, c := range []struct {
		names            map[string]string
		key, word, scope string
	}{
		{nil, "slack/T1/C1", "slack/T1/C1", "Channel slack/T1/C1"},
		{one, "slack/T1/C1", "#general", "#general"},
		{two, "slack/T1/C1", "#general · Hanbit", "#general · Hanbit"},
		{two, "discord/G1/9", "#general · discord/G1", "#general · discord/G1"},
		{one, "slack/T1", "Hanbit", "Workspace Hanbit"},
		{one, "slack/T1/C7", "slack/T1/C7", "Only here"},
		{one, "web/local/home", "This console", "Channel This console"},
		{one, "console/local/terminal", "Terminal", "Channel Terminal"},
		{one, "web/slack-T1/U1", "Private conversations", "Channel Private conversations"},
	} {
		b.names = c.names
		kind := "channel:"
		if teamOf(c.key) == c.key {
			kind = "team:"
		}
		if word, scope := b.PlaceWord(c.key), b.ScopeWord(kind+c.key); word != c.word || scope != c.scope {
			t.Errorf("%s is called %q and %q, want %q and %q", c.key, word, scope, c.word, c.scope)
		}
	}
	b.names = map[string]string{"slack/T1/C1": "<b>#\u202egeneral"}
	if got := b.Named(`slack/T1/C1`); got != `<span title="slack/T1/C1">&lt;b&gt;#general</span>` {
		t.Errorf("an odd name is written as %q", got)
	}
}

func TestFilterTexts(t *testing.T) {
	t.Parallel()
	keys := []string{"slack/T1/C1", "slack/T1/C2", "slack/T1/C3", "slack/T2/C4"}
	word := func(key string) string {
		return map[string]string{keys[0]: "#general", keys[1]: "#HR", keys[3]: "#hr"}[key]
	}
	for text, want := range map[string]string{
		"#general": keys[0], " General ": keys[0], keys[0]: keys[0], "hr": "hr", keys[1]: keys[1], "slack/T1/C9": "slack/T1/C9", "nothing": "nothing", "": "",
	} {
		if got := keyOf(text, keys, word); got != want {
			t.Errorf("%q means %q, want %q", text, got, want)
		}
	}
	want := []option{{"#general", keys[0]}, {keys[1], "#HR"}, {keys[3], "#hr"}}
	if got := options([]string{keys[0], keys[1], keys[3]}, word); !slices.Equal(got, want) {
		t.Errorf("suggested %q, want %q", got, want)
	}
	twins := map[string]string{"discord/G1/1": "#general", "discord/G1/2": "general"}
	want = []option{{"discord/G1/1", "#general"}, {"discord/G1/2", "general"}}
	if got := options([]string{"discord/G1/1", "discord/G1/2"}, func(key string) string { return twins[key] }); !slices.Equal(got, want) {
		t.Errorf("a channel and a thread of one name: %q, want %q", got, want)
	}
}
