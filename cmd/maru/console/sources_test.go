package console_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/rag/source"
)

func TestSourcesAreListedAndChanged(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.ran(t, "m1", private)
	for name, scope := range map[string]string{"open": channel.ChannelScope(), "secret": private.ChannelScope(), "all": bot.ScopePublic} {
		row := source.Row{Name: name, Team: "slack/T1", Created: time.Now(), File: name == "all", Spec: source.Spec{Kind: source.Website, URL: "https://docs.example.com/" + name, Scope: scope}}
		if _, err := o.record.PutSource(t.Context(), row); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := o.record.LeaseSource(t.Context(), "open", "me", time.Now(), time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	why := source.WhyOf(errors.New("no"), "source.unknown", "page")
	err := o.record.SaveSource(t.Context(), "open", "me", source.Progress{Sweep: 1, Done: time.Now(), Due: time.Now().Add(time.Hour)}, []source.Entry{
		{Item: source.Item{ID: "a"}, State: source.Synced}, {Item: source.Item{ID: "b"}, State: source.Refused, Why: why}, {Item: source.Item{ID: "c"}, State: source.Pending},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := o.ListSources(t.Context(), operator, home)
	if err != nil || len(list) != 2 || list[0].Name != "all" || list[1].Name != "open" {
		t.Fatalf("sources %+v, %v", list, err)
	}
	if s := list[1]; s.Documents != 1 || s.Unread != 1 || s.Pending != 1 || len(s.Problems) != 1 || !strings.Contains(s.Problems[0], why.In("en")) || s.State != site.SourceDone {
		t.Errorf("source %+v", s)
	}
	for _, c := range []struct {
		by         bot.User
		from       bot.Thread
		name, verb string
		state      string // then
		refused    bool
	}{
		{operator, home, "secret", "sync", "", true}, {bot.User{ID: "U1"}, channel, "open", "pause", site.SourceDone, false}, {operator, home, "open", "drop", "", true},
		{bot.User{ID: "U2", Admin: true}, channel, "all", "pause", site.SourceListing, false}, {operator, home, "open", "pause", site.SourcePaused, false}, {operator, home, "open", "resume", site.SourceDone, false}, {operator, home, "all", "remove", site.SourceListing, false},
		{bot.User{ID: "U2", Admin: true}, channel, "open", "remove", site.SourceRemoving, false},
	} {
		said, err := o.ChangeSource(t.Context(), c.by, c.from, site.SourceChange{Do: c.verb, Name: c.name})
		if (err != nil) != c.refused || !c.refused && said == "" {
			t.Errorf("%s %s: %q, %v", c.verb, c.name, said, err)
		}
		list, err := o.ListSources(t.Context(), operator, home)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if s.Name == c.name && c.state != "" && s.State != c.state {
				t.Errorf("after %s %s is %s", c.verb, c.name, s.State)
			}
		}
	}
}

// TestWebsitesAreAddedOnTheConsole: readers are those chosen, other places are the operators' alone.
func TestWebsitesAreAddedOnTheConsole(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	admin := bot.User{ID: "U2", Admin: true}
	for _, c := range []struct {
		by             bot.User
		from           bot.Thread
		url            string
		place, readers string
		scope          string // of the new source, "" for none
	}{
		{operator, home, "https://a.example.com/", "", "channel", home.ChannelScope()},
		{operator, home, "https://b.example.com/", "", "public", bot.ScopePublic},
		{operator, home, "https://c.example.com/", "slack/T1/C1", "channel", bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}.ChannelScope()},
		{operator, home, "https://d.example.com/", "slack/T1", "workspace", bot.Thread{Platform: "slack", Team: "T1"}.TeamScope()},
		{operator, home, "https://e.example.com/", "slack/T1", "channel", ""}, {operator, home, "https://e.example.com/", "everywhere", "channel", ""},
		{operator, home, "docs", "", "channel", ""}, {operator, home, "https://e.example.com/ public", "", "channel", ""}, {operator, home, "https://e.example.com/", "", "all of them", ""},
		{admin, channel, "https://f.example.com/", "", "workspace", channel.TeamScope()},
		{admin, channel, "https://g.example.com/", "", "public", ""}, {admin, channel, "https://g.example.com/", "slack/T1/C2", "channel", ""},
		{bot.User{ID: "U1"}, channel, "https://h.example.com/", "", "channel", ""},
	} {
		before, err := o.record.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		said, failed := o.ChangeSource(t.Context(), c.by, c.from, site.SourceChange{Do: "add", Address: c.url, Place: c.place, Readers: c.readers})
		rows, err := o.record.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if c.scope == "" {
			if len(rows) != len(before) || failed == nil && said == "" {
				t.Errorf("%+v: %d sources after %d, said %q", c, len(rows), len(before), said)
			}
			continue
		}
		added := slices.IndexFunc(rows, func(r source.Row) bool { return r.Spec.URL == c.url && r.Spec.Scope == c.scope })
		if failed != nil || said == "" || added < 0 {
			t.Errorf("%+v: said %q, %v; sources %+v", c, said, failed, rows)
		}
	}
}

// TestTitlesAreForOperators: a member sees of a folder, whose files have readers of their own, how many could not be read.
func TestTitlesAreForOperators(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	row := source.Row{Name: "files", Team: "slack/T1", Created: time.Now(), Spec: source.Spec{Kind: source.Drive, Scope: channel.ChannelScope()}}
	if _, err := o.record.PutSource(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	if _, _, err := o.record.LeaseSource(t.Context(), "files", "me", time.Now(), time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	bad := source.Entry{Item: source.Item{ID: "b"}, State: source.Refused, Why: source.WhyOf(errors.New("no"), "source.item_away", "Layoff plan")}
	if err := o.record.SaveSource(t.Context(), "files", "me", source.Progress{Sweep: 1}, []source.Entry{bad}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		by   bot.User
		from bot.Thread
		want int
	}{{bot.User{ID: "U1"}, channel, 0}, {bot.User{ID: "U1", Admin: true}, channel, 0}, {operator, home, 1}} {
		list, err := o.ListSources(t.Context(), c.by, c.from)
		if err != nil || len(list) != 1 || list[0].Unread != 1 || len(list[0].Problems) != c.want {
			t.Errorf("%+v: %+v, %v", c.by, list, err)
		}
	}
}
