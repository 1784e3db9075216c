package console_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/adapters/web/site"
	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/label"
	"maru/cmd/maru/console"
)

// towns is a platform with a workspace T1, a public channel C1, a private one C2 that U1 reads, and IDs without names.
type towns struct {
	bot.Adapter

	asked  *atomic.Int32
	silent *atomic.Bool // answers nothing until the question ends
}

func (towns) Platform() string { return "slack" }

func (towns) IDs(text string) []string {
	if slices.Contains([]string{"C1", "C2", "C3"}, text) {
		return []string{text}
	}
	return nil
}

func (s towns) LabelOf(ctx context.Context, m bot.Message, id string) label.Label {
	s.asked.Add(1)
	if s.silent.Load() {
		<-ctx.Done()
		return label.Label{}
	}
	switch {
	case id == "T1":
		return label.Label{Kind: label.Server, Name: "Hanbit"}
	case id == "C1":
		return label.Label{Kind: label.Channel, Name: "#general"}
	case id == "C2" && m.Thread.Direct && m.User.ID == "U1":
		return label.Label{Kind: label.Channel, Name: "#layoffs"}
	case id == "C2":
		return label.Label{Kind: label.Private, Name: "#layoffs"}
	}
	return label.Label{}
}

// newTown returns an office with that platform.
func newTown(t *testing.T, change ...func(*console.Config)) (office, towns) {
	town := towns{bottest.New("slack"), &atomic.Int32{}, &atomic.Bool{}}
	with := func(c *console.Config) { c.Adapters = []bot.Adapter{town} }
	return newOffice(t, append(change, with)...), town
}

// TestPlacesAreNamedForTheirReaders: a private channel has its name only for a person who reads it.
func TestPlacesAreNamedForTheirReaders(t *testing.T) {
	t.Parallel()
	now := time.Now()
	o, town := newTown(t, func(c *console.Config) { c.Now = func() time.Time { return now } })
	keys := []string{"slack/T1", "slack/T1/C1", "slack/T1/C2", "slack/T1/C3", "slack/T1/words", "discord/G1/1", "web/local", "nonsense"}
	korean := operator
	korean.Locale = "ko"
	for name, c := range map[string]struct {
		by      bot.User
		from    bot.Thread
		private string
	}{
		"the owner":                {operator, home, "Private channel C2"},
		"in Korean":                {korean, home, "비공개 채널 C2"},
		"a reader":                 {bot.User{ID: "U1", Locale: "en"}, channel, "#layoffs"},
		"another person":           {bot.User{ID: "U2", Locale: "en"}, channel, "Private channel C2"},
		"of another workspace":     {bot.User{ID: "U1", Locale: "en"}, bot.Thread{Platform: "slack", Team: "T2"}, "Private channel C2"},
		"of another platform":      {bot.User{ID: "U1", Locale: "en"}, bot.Thread{Platform: "discord", Team: "T1"}, "Private channel C2"},
		"an operator who reads it": {bot.User{ID: "U1", Operator: true, Locale: "en"}, channel, "#layoffs"},
	} {
		want := map[string]string{"slack/T1": "Hanbit", "slack/T1/C1": "#general", "slack/T1/C2": c.private}
		if got, all := o.NamePlaces(t.Context(), c.by, c.from, keys); !maps.Equal(got, want) || !all {
			t.Errorf("%s: %q (all: %t), want %q", name, got, all, want)
		}
	}
	before := town.asked.Load()
	o.NamePlaces(t.Context(), operator, home, keys)
	if n := town.asked.Load() - before; n != 0 {
		t.Errorf("asked %d times again", n)
	}
	now = now.Add(11 * time.Minute)
	o.NamePlaces(t.Context(), operator, home, keys)
	if n := town.asked.Load() - before; n != 4 {
		t.Errorf("asked %d times after ten minutes, want 4", n)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the page is gone"))
	if got, _ := o.NamePlaces(ended, operator, home, keys); got["slack/T1/C1"] != "#general" {
		t.Errorf("known names are lost: %q", got)
	}
}

// TestPlacesOfASilentPlatform: a platform that does not answer in time takes no name away, and is asked again for the next page.
func TestPlacesOfASilentPlatform(t *testing.T) {
	t.Parallel()
	now := time.Now()
	o, town := newTown(t, func(c *console.Config) { c.Now = func() time.Time { return now } })
	known, unknown := []string{"slack/T1/C1"}, []string{"slack/T1/C1", "slack/T1/C2"}
	names := func(keys []string) (map[string]string, bool) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		return o.NamePlaces(ctx, operator, home, keys)
	}
	if got, all := o.NamePlaces(t.Context(), operator, home, known); got["slack/T1/C1"] != "#general" || !all {
		t.Fatalf("%q, %t", got, all)
	}
	now = now.Add(11 * time.Minute)
	town.silent.Store(true)
	for range 2 {
		if got, all := names(known); got["slack/T1/C1"] != "#general" || !all {
			t.Errorf("while nothing is answered: %q, %t", got, all)
		}
	}
	if got, all := names(unknown); len(got) != 1 || all {
		t.Errorf("with a place that was never named: %q, %t", got, all)
	}
	town.silent.Store(false)
	if got, all := o.NamePlaces(t.Context(), operator, home, unknown); len(got) != 2 || !all {
		t.Errorf("when it answers again: %q, %t", got, all)
	}
}

// TestChannelsForFilters: channels with runs, the busiest first, without private conversations of others.
func TestChannelsForFilters(t *testing.T) {
	t.Parallel()
	o, _ := newTown(t)
	o.ran(t, "m1", private)
	today := time.Now().UTC().Format(time.DateOnly)
	for i, u := range []bot.Used{
		{Team: "slack/T1", Channel: "C2"}, {Team: "slack/T1", Channel: "C1"}, {Team: "slack/T1", Channel: "C1"}, {Team: "slack/T1", Channel: private.Channel},
		{Team: "web/slack-T1", Channel: "U1"}, {Team: "web/local", Channel: "home"}, {Team: "slack/T1"},
	} {
		u.Day, u.User, u.Kind, u.Runs, u.Usage = today, string(rune('a'+i)), bot.SpentTools, 1, agent.Usage{Calls: 1}
		if err := o.record.Spend(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	list, all := o.Channels(t.Context(), operator, home)
	slices.Sort(list)
	if !all || !slices.Equal(list, []string{"slack/T1/C1", "slack/T1/C2", "web/local/home"}) {
		t.Errorf("%q, %t", list, all)
	}
	if list, all := o.Channels(t.Context(), bot.User{ID: "U1"}, channel); len(list) > 0 || !all {
		t.Errorf("a member is offered %q, %t", list, all)
	}
}

// TestChannelsThatCannotBeRead: pages go on without suggestions.
func TestChannelsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	o, _ := newTown(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if list, all := o.Channels(ended, operator, home); len(list) > 0 || all {
		t.Errorf("%q, %t", list, all)
	}
}

// TestPersonOfAFilter: a name means the one person who has it, in any workspace.
func TestPersonOfAFilter(t *testing.T) {
	t.Parallel()
	o, _ := newTown(t)
	o.ran(t, "m1", channel) // by alice, U1
	for _, c := range []struct {
		by         bot.User
		text, want string
	}{
		{operator, " Alice ", "U1"}, {operator, "U1", "U1"}, {operator, "bob", "bob"}, {operator, "", ""},
		{bot.User{ID: "U2", Name: "Bob"}, "alice", "alice"}, {bot.User{ID: "U2", Name: "Bob"}, "bob", "U2"},
	} {
		if got, err := o.PersonID(t.Context(), c.by, c.text); got != c.want || err != nil {
			t.Errorf("%q means %q, %v; want %q", c.text, got, err, c.want)
		}
	}
}

// TestTheAuditLogNamesPlaces: sentences have names, the filter takes a person's name.
func TestTheAuditLogNamesPlaces(t *testing.T) {
	t.Parallel()
	o, town := newTown(t)
	o.ran(t, "m1", channel) // by alice, U1
	for _, place := range []string{"slack/T1/C1", "slack/T1/C2", "slack/T1"} {
		o.NoteAct(t.Context(), channel, bot.User{ID: "U1"}, "setting.set", map[string]any{"place": place, "key": "agent", "value": "chat"})
	}
	o.NoteAct(t.Context(), channel, bot.User{ID: "U2"}, "memory.forget", nil)
	list, err := o.AuditEntries(t.Context(), operator, home, site.AuditFilter{Team: "slack/T1", Who: "Alice"})
	var said []string
	for _, e := range list {
		said = append(said, e.Words)
	}
	all := strings.Join(said, "\n")
	if err != nil || len(list) != 3 || !strings.Contains(all, "for #general") || !strings.Contains(all, "Private channel C2") || !strings.Contains(all, "the workspace Hanbit") {
		t.Errorf("%d entries, %v:\n%s", len(list), err, all)
	}
	town.silent.Store(true)
	o.NoteAct(t.Context(), channel, bot.User{ID: "U1"}, "setting.set", map[string]any{"place": "slack/T1/C3", "key": "agent", "value": "chat"})
	list, err = o.AuditEntries(t.Context(), operator, home, site.AuditFilter{Team: "slack/T1", Who: "Alice"})
	if err != nil || len(list) != 4 || !strings.Contains(list[0].Words, "C3") || !strings.Contains(list[3].Words, "#general") {
		t.Errorf("while Slack is silent: %+v, %v", list, err)
	}
}
