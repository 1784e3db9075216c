package site

import (
	"context"
	"net/http"

	"maru/bot"
)

// Health examines the parts of the program, as the command doctor does.
type Health interface {
	Examine(ctx context.Context, by bot.User, from bot.Thread) (bot.Card, error)
}

func (s *Site) health(w http.ResponseWriter, r *http.Request, d Health) {
	b := s.base(r)
	card, err := d.Examine(r.Context(), b.User, b.Thread)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.show(w, r, "health", b.T("health"), struct {
		base

		Card bot.Card
		Body any
		Foot any
	}{b, card, s.frame.Markdown(card.Text, b.Lang), s.frame.Markdown(card.Footer, b.Lang)})
}
