package cited_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"maru/bot"
	"maru/bot/cited"
)

// TestSourcesOpen: a click shows a source as it is now to whoever may read it, and a sentence to others.
func TestSourcesOpen(t *testing.T) {
	t.Parallel()
	sources := []bot.Source{{N: 1, Title: "Web", URL: "https://a.example"}, {N: 2, Title: "Leave", Chunk: "leave#2"}, {N: 3, Title: "Pay", Chunk: "pay#0"}}
	card, err := json.Marshal(bot.Card{Sources: sources})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("no record")
	ss := cited.New(cited.Config{
		Reply: func(_ context.Context, run string) (bot.Reply, error) {
			switch run {
			case "r1":
				return bot.Reply{Card: card}, nil
			case "bare":
				return bot.Reply{Card: []byte(`{}`)}, nil
			case "broken":
				return bot.Reply{}, broken
			}
			return bot.Reply{}, bot.ErrNotFound
		},
		MaySee: func(_ context.Context, _ bot.Thread, u bot.User, _ string) error {
			if u.ID == "other" {
				return &bot.Error{Code: bot.CodeMayNot}
			}
			return nil
		},
		Passage: func(_ context.Context, _ bot.Thread, u bot.User, chunk string) (cited.View, error) {
			if chunk != "leave#2" || u.Guest {
				return cited.View{}, bot.ErrNotFound
			}
			return cited.View{
				Title: "Leave *[x](y)*", Heading: "Days", Page: 3, Before: strings.Repeat("before ", 500), Text: "Fifteen days.\n\nMore.", After: strings.Repeat("after ", 500),
			}, nil
		},
	})
	for _, c := range []struct {
		run, verb, lang string
		user            bot.User
		want            []string
		buttons         int
	}{
		{"r1", "open", "en", bot.User{ID: "U1"}, []string{"**[2] Leave ·(x)(y)·** · Days · page 3", "… before", "> Fifteen days.\n> \n> More.", "after after"}, 2},
		{"r1", "2", "ko", bot.User{ID: "U1"}, []string{"3쪽"}, 2},
		{"r1", "3", "en", bot.User{ID: "U1"}, []string{"can't read source [3]"}, 2},
		{"r1", "1", "en", bot.User{ID: "U1"}, []string{"[2] Leave"}, 2},
		{"r1", "open", "ko", bot.User{ID: "G", Guest: true}, []string{"[2]번 출처는 여기서 읽을 수 없거나"}, 2},
		{"r1", "open", "en", bot.User{ID: "other"}, []string{"no longer there"}, 0},
		{"bare", "open", "en", bot.User{ID: "U1"}, []string{"no longer there"}, 0},
		{"none", "open", "ko", bot.User{ID: "U1"}, []string{"남아 있지 않아요"}, 0},
	} {
		a, err := ss.Action(t.Context(), bot.Action{ID: cited.Control + c.run, Verb: c.verb, User: c.user}, c.lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range c.want {
			if !strings.Contains(a.Card.Text, part) {
				t.Errorf("%s %s: %q is not in %q", c.run, c.verb, part, a.Card.Text)
			}
		}
		if n := len([]rune(a.Card.Text)); n > 2500 || len(a.Card.Buttons) != c.buttons {
			t.Errorf("%s %s: %d letters, %d buttons", c.run, c.verb, n, len(a.Card.Buttons))
		}
	}
	if _, err := ss.Action(t.Context(), bot.Action{ID: cited.Control + "broken"}, "en"); !errors.Is(err, broken) {
		t.Errorf("a record that is away: %v", err)
	}
	if _, ok := cited.Button("r", sources[:1], "en"); ok {
		t.Error("a web page has a button")
	}
	if b, ok := cited.Button(strings.Repeat("r", 21), sources, "ko"); !ok || len(b.ID)+len(b.Verb) > 64 {
		t.Errorf("button %v", b)
	}
}
