package toolserver_test

import (
	"context"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/tool/attached"
	"maru/bot"
	bottools "maru/bot/toolserver"
)

// offering connects to servers with one tool, unless they are away.
type offering struct{ away error }

func (o offering) Look(context.Context, attached.Row, bot.Thread, string) ([]bottools.Offer, error) {
	return []bottools.Offer{{Remote: "find", Hash: "h1", Effect: agent.EffectReads}}, o.away
}
func (offering) Reserved(string) bool { return false }
func (offering) Changed()             {}

// TestServersOfTheFileAreTheOperators: an admin of one workspace sees neither the address of a server of the configuration file nor an
// action that is refused, and accepts none of its tools; an operator does.
func TestServersOfTheFileAreTheOperators(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	store := &shelf{rows: []attached.Row{{Name: "notes", Version: 1, URL: "https://inside.example.com/mcp", Personal: true}}}
	var acts []string
	s := &bottools.Servers{Store: store, Prober: offering{}, Rules: admins{&acts}, Log: o.logger(), Now: o.now}
	next := func(context.Context, bot.Invocation, string) (*bot.Card, error) {
		return &bot.Card{Title: "Tools"}, nil
	}
	say := func(u bot.User, args string) *bot.Card {
		t.Helper()
		card, err := s.Around(next)(t.Context(), bot.Invocation{Name: "tools", Args: args, Thread: channel, User: u}, "en")
		if err != nil {
			t.Fatal(err)
		}
		if all := card.Text + card.Footer + card.Title; strings.Contains(all, "inside.example.com") || strings.Contains(all, "tools class") {
			t.Errorf("%q shows %+v", args, card)
		}
		return card
	}
	if got := say(ann, ""); !strings.Contains(got.Text, "`notes` in the configuration file") {
		t.Errorf("the list: %q", got.Text)
	}
	_, digest := bottools.Waiting(store.rows[0], []bottools.Offer{{Remote: "find", Hash: "h1", Effect: agent.EffectReads}})
	accept := "accept notes " + digest
	if got := say(ann, "test notes"); !strings.Contains(got.Footer, accept) {
		t.Errorf("the tools: %+v", got)
	}
	if got := say(ann, accept); !got.Failed || !strings.Contains(got.Text, "MARU_ADMINS") || len(store.rows[0].Accepted) > 0 {
		t.Errorf("an admin accepts: %+v", got)
	}
	if len(acts) != 1 || !strings.HasPrefix(acts[0], "command.refused") {
		t.Errorf("audited %q", acts)
	}
	operator := ann
	operator.Operator = true
	if got := say(operator, accept); got.Failed || len(store.rows[0].Accepted) != 1 {
		t.Errorf("an operator accepts: %+v", got)
	}
	for _, away := range []error{context.DeadlineExceeded, bottools.ErrMetadata} {
		s.Prober = offering{away}
		if got := say(ann, "test notes"); !strings.Contains(got.Text, "`notes`") {
			t.Errorf("%v: %q", away, got.Text)
		}
	}
}
