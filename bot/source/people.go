package source

import (
	"context"
	"regexp"
	"strings"

	"maru/bot"
	"maru/bot/audience"
	"maru/phrase"
	"maru/phrase/fit"
)

// People stores e-mail addresses of people whose platform does not provide them; see [maru/bot/audience].
type People interface {
	Set(ctx context.Context, t bot.Thread, id, mail string) error
	List(ctx context.Context, t bot.Thread) ([]audience.Person, error)
	Offer(ctx context.Context, t bot.Thread, u bot.User) (token string, err error)
}

var (
	mentioned = regexp.MustCompile(`^(?:<@!?([A-Za-z0-9]+)(?:\|[^>]*)?>|([A-Za-z0-9._-]+))$`)
	address   = regexp.MustCompile(`^(?:<mailto:[^|>]*\|)?([^\s@<>|]+@[^\s@<>|]+\.[^\s@<>|]+)>?$`)
)

// person handles changes and listings of the addresses: "people", "person @ann ann@example.com", "nobody @ann".
func (s *Sources) person(ctx context.Context, c bot.Invocation, do, text, lang string) (*bot.Card, error) {
	if s.People == nil || s.Vouched != nil && s.Vouched(c.Thread) {
		return bot.NewNotice(phrase.Say(lang, "source.people_vouched"), lang), nil
	}
	if do == "people" {
		return s.listPeople(ctx, c.Thread, lang)
	}
	words := strings.Fields(text)
	var who, mail string
	if len(words) > 0 {
		if m := mentioned.FindStringSubmatch(words[0]); m != nil {
			who = m[1] + m[2]
		}
	}
	if len(words) == 2 && do == "person" {
		if m := address.FindStringSubmatch(words[1]); m != nil {
			mail = strings.ToLower(m[1])
		}
	}
	if who == "" || do == "person" && mail == "" || do == "nobody" && len(words) != 1 {
		return bot.NewNotice(phrase.Say(lang, "source.how_people"), lang), nil
	}
	if err := s.People.Set(ctx, c.Thread, who, mail); err != nil {
		return nil, err
	}
	s.Rules.Audit(ctx, c.Thread, c.User, "sources."+do, map[string]any{"person": who, "mail": mail})
	if mail == "" {
		return bot.NewNotice(phrase.Say(lang, "source.did_nobody", who), lang), nil
	}
	return bot.NewNotice(phrase.Say(lang, "source.did_person", who, mail), lang), nil
}

// link offers the person a link by which they show which address is theirs: "link".
func (s *Sources) link(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	switch {
	case s.People == nil || s.Vouched != nil && s.Vouched(c.Thread):
		return bot.NewNotice(phrase.Say(lang, "source.people_vouched"), lang), nil
	case s.LinkAt == "":
		return bot.NewNotice(phrase.Say(lang, "source.link_off"), lang), nil
	case s.Homeless != nil && s.Homeless(c.Thread):
		return bot.NewNotice(phrase.Say(lang, "source.link_where"), lang), nil
	}
	token, err := s.People.Offer(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	s.Rules.Audit(ctx, c.Thread, c.User, "sources.link", nil)
	return bot.NewNotice(phrase.Say(lang, "source.link", strings.TrimSuffix(s.LinkAt, "/")+"/account?link="+token, phrase.Span(audience.LinkTime)), lang), nil
}

// shownPeople limits the rows listed.
const shownPeople = 100

func (s *Sources) listPeople(ctx context.Context, t bot.Thread, lang string) (*bot.Card, error) {
	list, err := s.People.List(ctx, t)
	if err != nil {
		return nil, err
	}
	card := bot.NewNotice(phrase.Say(lang, "source.no_people"), lang)
	card.Footer = phrase.Say(lang, "source.how_people")
	var lines []string
	for _, p := range list[:min(len(list), shownPeople)] {
		lines = append(lines, "- `"+p.ID+"` "+fit.Clip(fit.OneLine(p.Mail), 100))
	}
	if len(list) > shownPeople {
		lines = append(lines, phrase.Say(lang, "source.more"))
	}
	if len(lines) > 0 {
		card.Text = strings.Join(lines, "\n")
	}
	return card, nil
}
