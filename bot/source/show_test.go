package source_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"maru/bot"
	sources "maru/bot/source"
	"maru/config"
	"maru/phrase"
	"maru/rag/source"
)

// shelf has one source with an item that could not be read.
type shelf struct {
	source.Store
	kind source.Kind
	all  bool   // restricted pages are documents too
	item string // title of the item; "" means title

	counts map[source.State]int // of its items; nil means one that could not be read
}

const title = "Layoff plan"

func (s shelf) Sources(context.Context) ([]source.Row, error) {
	return []source.Row{{Name: "files", Team: "slack/T1", Spec: source.Spec{Kind: s.kind, Scope: bot.ScopePublic, Restricted: s.all}, Progress: source.Progress{Sweep: 1}}}, nil
}

func (s shelf) CountItems(context.Context, string) (map[source.State]int, error) {
	if s.counts == nil {
		return map[source.State]int{source.Refused: 1}, nil
	}
	return s.counts, nil
}

func (s shelf) SourceItems(context.Context, string, source.Query) ([]source.Entry, error) {
	return []source.Entry{{Item: source.Item{ID: "1"}, State: source.Refused, Why: source.WhyOf(errors.New("no"), "source.item_away", cmp.Or(s.item, title))}}, nil
}

// TestAnEmptySourceIsNamed: a website of which nothing became a document or a refusal is not shown as all well; other sources may be
// empty.
func TestAnEmptySourceIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind   source.Kind
		counts map[source.State]int
		want   bool
	}{{source.Website, map[source.State]int{}, true}, {source.Website, map[source.State]int{source.Refused: 1}, false}, {source.GitHub, map[source.State]int{}, false}} {
		s := &sources.Sources{Store: shelf{kind: c.kind, counts: c.counts}, Rules: rules{}, Now: time.Now}
		card, err := s.Command(t.Context(), bot.Invocation{Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}}, "en")
		if err != nil || strings.Contains(card.Text, "found nothing there that I can read") != c.want {
			t.Errorf("%+v: %+v, %v", c, card, err)
		}
	}
}

type rules struct{ operator bool }

func (rules) MembersOnly(context.Context, bot.Thread, bot.User, string) error     { return nil }
func (rules) May(bot.Thread, bot.User, config.Role) bool                          { return true }
func (r rules) Operates(bot.Thread, bot.User) bool                                { return r.operator }
func (rules) ZoneOf(bot.User) *time.Location                                      { return time.UTC }
func (rules) Audit(context.Context, bot.Thread, bot.User, string, map[string]any) {}

// TestTitlesAreForOperators: an item that could not be read is named to members only if every member may read the source.
func TestTitlesAreForOperators(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind          source.Kind
		all, operator bool
		named         bool
	}{
		{source.Website, false, false, true}, {source.Drive, false, false, false}, {source.Drive, false, true, true},
		{source.Confluence, false, false, false}, {source.Confluence, false, true, true}, {source.Confluence, true, false, true},
	} {
		s := &sources.Sources{Store: shelf{kind: c.kind, all: c.all}, Rules: rules{c.operator}, Now: time.Now}
		card, err := s.Command(t.Context(), bot.Invocation{Args: "files", Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}}, "en")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(card.Text, title) != c.named || !strings.Contains(card.Text, phrase.Say("en", "source.unread", 1)) {
			t.Errorf("%+v: %s", c, card.Text)
		}
	}
}

// TestTitlesHideNothing: whoever names a page cannot hide a part of its title from those who pause or remove the source.
func TestTitlesHideNothing(t *testing.T) {
	t.Parallel()
	for hidden, want := range map[string]string{
		"a <!-- b --> c": `a \<!-- b --> c`, "[a](https://b.example)": `\[a](https://b.example)`, "a\u200bb": "a⟦U+200B⟧b", "a&#8203;b": `a\&#8203;b`,
	} {
		s := &sources.Sources{Store: shelf{kind: source.Website, item: hidden}, Rules: rules{}, Now: time.Now}
		card, err := s.Command(t.Context(), bot.Invocation{Args: "files", Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}}, "en")
		if err != nil || !strings.Contains(card.Text, want) {
			t.Errorf("%q: %v: %s", hidden, err, card.Text)
		}
	}
}

// writable is a shelf that keeps the row put last.
type writable struct {
	shelf

	put *source.Row
}

func (w writable) PutSource(_ context.Context, r source.Row) (int64, error) {
	*w.put = r
	return 1, nil
}

// TestAddressWithoutScheme adds a website as people type it, and no other words.
func TestAddressWithoutScheme(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"docs.example.com": "https://docs.example.com", "docs.example.com/handbook workspace": "https://docs.example.com/handbook",
		"http://docs.example.com/": "http://docs.example.com/", "docs": "", "docs.": "", "ftp://docs.example.com": "", "user@docs.example.com": "", "": "",
	} {
		var got source.Row
		s := &sources.Sources{Store: writable{put: &got}, Rules: rules{}, Now: time.Now, Every: time.Hour}
		card, err := s.Command(t.Context(), bot.Invocation{Args: "add " + typed, Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}}, "en")
		if err != nil || got.Spec.URL != want || (want == "") != strings.Contains(card.Text, "Tell me the address") {
			t.Errorf("%q: %q, %v: %s", typed, got.Spec.URL, err, card.Text)
		}
	}
}

// TestUnknownSourceIsNamed: a name that no source here has is answered so, not with the list of the others.
func TestUnknownSourceIsNamed(t *testing.T) {
	t.Parallel()
	for args, known := range map[string]bool{"flies": false, "list flies": false, "files": true, "list files": true, "list": true, "": true} {
		s := &sources.Sources{Store: shelf{}, Rules: rules{}, Now: time.Now}
		card, err := s.Command(t.Context(), bot.Invocation{Args: args, Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}}, "en")
		if err != nil || strings.Contains(card.Text, "no source named “flies”") == known {
			t.Errorf("%q: %v: %s", args, err, card.Text)
		}
	}
}
