package source_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/audience"
	sources "maru/bot/source"
)

// people is the table with whatever was set last.
type people struct{ id, mail string }

func (p *people) Set(_ context.Context, _ bot.Thread, id, mail string) error {
	p.id, p.mail = id, mail
	return nil
}

func (p *people) List(context.Context, bot.Thread) ([]audience.Person, error) {
	return []audience.Person{{ID: p.id, Mail: p.mail}}, nil
}

func (*people) Offer(context.Context, bot.Thread, bot.User) (string, error) { return "TOKEN", nil }

// TestPeople gives the commands as Slack does, as words, and as Discord does, as options and as the same words joined.
func TestPeople(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ action, what, says, id, mail string }{
		{"person", "<@7> ann@example.com", "ann@example.com", "7", "ann@example.com"},
		{"person", "<@!7> ANN@Example.com", "ann@example.com", "7", "ann@example.com"},
		{"person", "<@U7|ann> <mailto:ann@example.com|ann@example.com>", "ann@example.com", "U7", "ann@example.com"},
		{"사람", "<@7> ann@example.com", "ann@example.com", "7", "ann@example.com"},
		{"person", "<@7>", "sources person", "", ""},
		{"person", "ann@example.com", "sources person", "", ""},
		{"person", "<@7> ann@example", "sources person", "", ""},
		{"person", "<@7> ann@example.com too@example.com", "sources person", "", ""},
		{"person", "@ann ann@example.com", "sources person", "", ""},
		{"person", "", "sources person", "", ""},
		{"nobody", "<@7>", "no e-mail address here any more", "7", ""},
		{"해제", "<@7>", "no e-mail address here any more", "7", ""},
		{"nobody", "", "sources person", "", ""},
		{"nobody", "<@7> <@8>", "sources person", "", ""},
		{"link", "", "https://maru.test/account?link=TOKEN", "", ""},
		{"본인", "", "https://maru.test/account?link=TOKEN", "", ""},
	} {
		for name, in := range map[string]bot.Invocation{
			"words":   {Args: strings.TrimSpace(c.action + " " + c.what)},
			"options": {Args: strings.TrimSpace(c.action + " " + c.what), Options: map[string]string{"action": c.action, "what": c.what}},
			"only":    {Options: map[string]string{"action": c.action, "what": c.what}},
		} {
			p := &people{}
			in.Thread, in.User = bot.Thread{Platform: "discord", Team: "G", Channel: "C"}, bot.User{ID: "1"}
			s := &sources.Sources{Store: shelf{}, Rules: rules{}, Now: time.Now, People: p, LinkAt: "https://maru.test/"}
			card, err := s.Command(t.Context(), in, "en")
			if err != nil || !strings.Contains(card.Text, c.says) || p.id != c.id || p.mail != c.mail {
				t.Errorf("%s of %s %s: %q is %q, %v: %+v", name, c.action, c.what, p.id, p.mail, err, card)
			}
		}
	}
}

// TestLinkNeedsASignIn: whoever can't link an address learns what is to be set or where to ask.
func TestLinkNeedsASignIn(t *testing.T) {
	t.Parallel()
	yes := func(bot.Thread) bool { return true }
	for want, s := range map[string]*sources.Sources{
		"MARU_PUBLIC_URL": {},
		"of that server":  {LinkAt: "https://maru.test", Homeless: yes},
		"The platform":    {LinkAt: "https://maru.test", Vouched: yes},
	} {
		s.Store, s.Rules, s.Now, s.People = shelf{}, rules{}, time.Now, &people{}
		card, err := s.Command(t.Context(), bot.Invocation{Args: "link", Thread: bot.Thread{Platform: "discord", Team: "G", Channel: "C"}}, "en")
		if err != nil || !strings.Contains(card.Text, want) {
			t.Errorf("%v: %+v, want %q", err, card, want)
		}
	}
}
