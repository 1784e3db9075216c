package audience_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/audience"
	"maru/rag/source"
)

// notes is a record in memory.
type notes map[string]string

func (n notes) Note(_ context.Context, key string) (string, error) {
	if n["fault"] != "" {
		return "", errors.New("away")
	}
	return n[key], nil
}

func (n notes) SetNote(_ context.Context, key, value string) error {
	n[key] = value
	return nil
}

// rival is a record whose note another process changes right after this one read it.
type rival struct {
	notes

	key, value string
}

func (r *rival) Note(ctx context.Context, key string) (string, error) {
	was, err := r.notes.Note(ctx, key)
	if key == r.key {
		r.notes[key], r.key = r.value, ""
	}
	return was, err
}

// TestAddressesOfTwoAdmins: of two addresses that admins set at once none is missing in the list.
func TestAddressesOfTwoAdmins(t *testing.T) {
	t.Parallel()
	r := &rival{notes: notes{"discord/mail/G1/8": "bob@x.com"}, key: "mails/discord/G1/list", value: `["8"]`}
	p, at := audience.New(audience.Config{Record: r, Now: time.Now}).People(), bot.Thread{Platform: "discord", Team: "G1"}
	if err := p.Set(t.Context(), at, "7", "ann@x.com"); err != nil {
		t.Fatal(err)
	}
	if list, err := p.List(t.Context(), at); err != nil || fmt.Sprint(list) != "[{8 bob@x.com} {7 ann@x.com}]" {
		t.Errorf("listed %v, %v", list, err)
	}
}

func (n notes) SwapNote(_ context.Context, key, before, value string) (bool, error) {
	if n[key] != before {
		return false, nil
	}
	n[key] = value
	return true, nil
}

// index has scopes.
type index []string

func (i index) Scopes(context.Context) ([]string, error) { return i, nil }

// platform is an adapter that knows its channels' readers and their addresses.
type platform struct {
	bot.Adapter

	readers map[string][]string
	mails   map[string]string
}

func (p platform) Readers(_ context.Context, t bot.Thread) ([]string, error) {
	if t.Channel == "away" {
		return nil, bot.ErrUnavailable
	}
	if p.readers[t.Channel] == nil {
		return nil, errors.New("open")
	}
	return p.readers[t.Channel], nil
}

func (platform) Facts() bot.Facts { return bot.Facts{} }

func (p platform) Mail(_ context.Context, _ bot.Thread, user string) (string, error) {
	return p.mails[user], nil
}

// table is an adapter that knows neither, and who is in which server.
type table struct {
	bot.Adapter

	in map[string]bool
}

func (table) Facts() bot.Facts { return bot.Facts{GlobalAccounts: true} }

func (p table) PersonNow(_ context.Context, t bot.Thread, id string) (bot.User, bool, error) {
	return bot.User{ID: id}, p.in[t.Team+" "+id], nil
}

type world struct {
	*audience.Audience

	now   time.Time
	notes notes
	index index
	names map[string]string // of scopes
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{now: time.Now(), notes: notes{}, names: map[string]string{}}
	for name, mails := range map[string][]string{
		"ann": {"ann@x.com"}, "both": {"ann@x.com", "bob@x.com"}, "domain": {"@x.com"}, "nobody": nil, "secret": {"ann@x.com", "bob@x.com", "eve@y.com"},
	} {
		r := source.Readers{Mails: mails}
		scope, err := r.Scope("drive", source.Spec{Scope: "team:slack/T1"})
		if err != nil {
			t.Fatal(err)
		}
		if w.index, w.names[scope] = append(w.index, scope), name; name != "secret" { // its readers are not known
			w.notes[source.ReadersNote(scope)] = fmt.Sprintf(`{"mails":%s}`, quoted(mails))
		}
	}
	w.notes[source.RightsNote("drive", "team:slack/T1")] = w.now.Add(time.Hour).Format(time.RFC3339)
	crowd := make([]string, audience.Most+1)
	for i := range crowd {
		crowd[i] = "ann"
	}
	slack := platform{
		readers: map[string][]string{"one": {"ann"}, "two": {"ann", "bob"}, "others": {"ann", "eve"}, "unknown": {"ann", "kim"}, "crowd": crowd},
		mails:   map[string]string{"ann": "Ann@x.com", "bob": "bob@x.com", "eve": "eve@y.com"},
	}
	w.Audience = audience.New(audience.Config{
		Index: w.index, Record: w.notes, Adapters: bot.Platforms{"slack": slack, "discord": table{in: map[string]bool{"G1 7": true, "G2 7": true}}}, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.now },
	})
	return w
}

func quoted(list []string) string {
	out := "["
	for i, s := range list {
		if i > 0 {
			out += ","
		}
		out += `"` + s + `"`
	}
	return out + "]"
}

// reads names the sets of readers whose documents are read in a thread.
func (w *world) reads(ctx context.Context, t bot.Thread, u bot.User, within ...string) string {
	var out []string
	for _, s := range w.Scopes(ctx, t, u, within) {
		out = append(out, w.names[s])
	}
	slices.Sort(out)
	return fmt.Sprint(out)
}

// TestScopes: an answer uses what all its readers may read, and nothing where one of them is not known.
func TestScopes(t *testing.T) {
	t.Parallel()
	direct := bot.Thread{Platform: "slack", Team: "T1", Channel: "D1", Direct: true}
	in := func(channel string) bot.Thread { return bot.Thread{Platform: "slack", Team: "T1", Channel: channel} }
	ann := bot.User{ID: "ann"}
	for name, c := range map[string]struct {
		thread bot.Thread
		user   bot.User
		want   string
	}{
		"direct message of one":       {direct, ann, "[ann both domain]"},
		"direct message of another":   {direct, bot.User{ID: "bob"}, "[both domain]"},
		"somebody of no set":          {direct, bot.User{ID: "eve"}, "[]"},
		"somebody without an address": {direct, bot.User{ID: "kim"}, "[]"},
		"somebody of another company": {direct, bot.User{ID: "ann", External: true}, "[]"},
		"nobody":                      {direct, bot.User{}, "[]"},
		"channel of one":              {in("one"), ann, "[ann both domain]"},
		"channel of two":              {in("two"), ann, "[both domain]"},
		"channel with one of no set":  {in("others"), ann, "[]"},
		"channel with an unknown":     {in("unknown"), ann, "[]"},
		"channel that is open":        {in("public"), ann, "[]"},
		"channel of too many":         {in("crowd"), ann, "[]"},
		"asked from outside":          {in("one"), bot.User{ID: "bob"}, "[both domain]"},
		"platform that knows nobody":  {bot.Thread{Platform: "discord", Team: "T1", Channel: "one"}, ann, "[]"},
		"platform that is not there":  {bot.Thread{Platform: "web", Team: "T1", Direct: true}, ann, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if got := w.reads(t.Context(), c.thread, c.user, "public", "team:slack/T1"); got != c.want {
				t.Errorf("read %s, want %s", got, c.want)
			}
			if got := w.reads(t.Context(), c.thread, c.user, "public", "team:slack/T2"); got != "[]" {
				t.Errorf("outside of the source's readers %s are read", got)
			}
			w.now = w.now.Add(2 * time.Hour)
			if got := w.reads(t.Context(), c.thread, c.user, "public", "team:slack/T1"); got != "[]" {
				t.Errorf("when rights do not count %s are read", got)
			}
			w.notes["fault"] = "yes"
			if got := w.reads(t.Context(), c.thread, c.user, "public", "team:slack/T1"); got != "[]" {
				t.Errorf("without the record %s are read", got)
			}
		})
	}
}

// TestPeople: an admin's table gives addresses where the platform has none. In direct messages of no server those of the
// servers count in which the person is.
func TestPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := source.Readers{Mails: []string{"ann@x.com"}}
	scope, err := r.Scope("drive", source.Spec{Scope: "team:discord/G1"})
	if err != nil {
		t.Fatal(err)
	}
	w.index[0], w.names[scope] = scope, "server"
	w.notes[source.ReadersNote(scope)] = `{"mails":["ann@x.com"]}`
	w.notes[source.RightsNote("drive", "team:discord/G1")] = w.now.Add(time.Hour).Format(time.RFC3339)
	at := bot.Thread{Platform: "discord", Team: "G1"}
	direct := bot.Thread{Platform: "discord", Team: "dm", Channel: "D", Direct: true}
	reads := func(id string) string { return w.reads(t.Context(), direct, bot.User{ID: id}, "team:discord/dm") }
	p := w.People()
	for _, c := range []struct{ id, mail, reads, list string }{
		{"8", "ann@x.com", "[]", "[{8 ann@x.com}]"}, // in no server
		{"7", "ann@x.com", "[server]", "[{8 ann@x.com} {7 ann@x.com}]"},
		{"7", "bob@x.com", "[]", "[{8 ann@x.com} {7 bob@x.com}]"},
		{"7", "", "[]", "[{8 ann@x.com}]"},
	} {
		if err := p.Set(t.Context(), at, c.id, c.mail); err != nil {
			t.Fatal(err)
		}
		list, err := p.List(t.Context(), at)
		if err != nil || reads(c.id) != c.reads || fmt.Sprint(list) != c.list {
			t.Errorf("with %s for %s: read %s, listed %v, %v", c.mail, c.id, reads(c.id), list, err)
		}
	}
	if err := p.Set(t.Context(), bot.Thread{Platform: "discord", Team: "G2"}, "7", "ann@x.com"); err != nil || reads("7") != "[]" {
		t.Errorf("the address of another server counts: %s, %v", reads("7"), err)
	}
	if got := w.reads(t.Context(), at, bot.User{ID: "7"}, "team:discord/G1"); got != "[]" {
		t.Errorf("in a channel whose readers are not known %s are read", got)
	}
}

// TestHold: a run that goes on where others read along is refused what it had read.
func TestHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := []string{"public", w.index[0]}, []string{"public", w.index[0], w.index[1]}
	for i, c := range []struct {
		run    string
		from   []string
		scopes []string
		want   bool
	}{
		{"r1", nil, one, true}, {"r1", []string{"r1"}, one, true}, {"r1", []string{"r1"}, two, true}, {"r1", []string{"r1"}, one, false},
		{"r1", []string{"r1"}, nil, false}, {"r2", []string{"r2"}, nil, true}, {"r2", []string{"r2", "r1"}, one, false}, {"r2", []string{"r2", "r1"}, two, true},
		{"r3", nil, []string{"public"}, true}, {"r3", []string{"r3"}, nil, true},
	} {
		err := w.Hold(t.Context(), bot.Thread{Platform: "slack", Team: "T1", Channel: "open"}, bot.User{ID: "ann"}, c.run, c.from, c.scopes, "en")
		var no *bot.Error
		if (err == nil) != c.want || err != nil && (!errors.As(err, &no) || no.Code != bot.CodeMayNot) {
			t.Errorf("%d: %v, want %v", i, err, c.want)
		}
	}
	for key, text := range w.notes {
		if strings.HasPrefix(key, "granted/") && (!strings.HasPrefix(key, "granted/slack/T1/") || len(text) > 2*13) {
			t.Errorf("%s: %q", key, text)
		}
	}
	if w.notes["granted/slack/T1/r3"] != "" {
		t.Error("a run without restricted documents left a note")
	}
}

// TestHoldWaits: if looking up the readers fails temporarily, the run is retried, not refused.
func TestHoldWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	both := ""
	for scope, name := range w.names {
		if name == "both" {
			both = scope
		}
	}
	hold := func(channel string, from []string, scopes ...string) error {
		return w.Hold(t.Context(), bot.Thread{Platform: "slack", Team: "T1", Channel: channel}, bot.User{ID: "ann"}, "r1", from, append(scopes, "team:slack/T1"), "en")
	}
	if err := hold("two", nil, both); err != nil {
		t.Fatal(err)
	}
	for channel, again := range map[string]bool{"away": true, "two": true, "others": false, "nowhere": false} { // of two they are known again by now
		err := hold(channel, []string{"r1"})
		if err == nil || bot.AsError(err).OfRecord() != again {
			t.Errorf("%s: %v", channel, err)
		}
	}
}
