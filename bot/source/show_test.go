package source_test

import (
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
	all  bool // restricted pages are documents too
}

const title = "Layoff plan"

func (s shelf) Sources(context.Context) ([]source.Row, error) {
	return []source.Row{{Name: "files", Team: "slack/T1", Spec: source.Spec{Kind: s.kind, Scope: bot.ScopePublic, Restricted: s.all}, Progress: source.Progress{Sweep: 1}}}, nil
}

func (s shelf) CountItems(context.Context, string) (map[source.State]int, error) {
	return map[source.State]int{source.Refused: 1}, nil
}

func (s shelf) SourceItems(context.Context, string, source.Query) ([]source.Entry, error) {
	return []source.Entry{{Item: source.Item{ID: "1"}, State: source.Refused, Why: source.WhyOf(errors.New("no"), "source.item_away", title)}}, nil
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
