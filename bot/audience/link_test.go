package audience_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/audience"
)

// TestLinks: a link gives its account one address, once, for half an hour; a newer one replaces it.
func TestLinks(t *testing.T) {
	t.Parallel()
	at, ann, bob := bot.Thread{Platform: "discord", Team: "G/1"}, bot.User{ID: "7", Name: "Ann"}, bot.User{ID: "8", Name: "Bob"}
	for name, c := range map[string]struct {
		before func(t *testing.T, w *world, link string) string // returns what is shown instead of the link
		mail   string
		want   error
	}{
		"once":             {mail: "Ann@X.com"},
		"in time":          {before: func(_ *testing.T, w *world, link string) string { w.now = w.now.Add(29 * time.Minute); return link }, mail: "ann@x.com"},
		"too late":         {before: func(_ *testing.T, w *world, link string) string { w.now = w.now.Add(30 * time.Minute); return link }, mail: "ann@x.com", want: audience.ErrLink},
		"made up":          {before: func(*testing.T, *world, string) string { return "bWFkZS91cC8xLzI" }, mail: "ann@x.com", want: audience.ErrLink},
		"empty":            {before: func(*testing.T, *world, string) string { return "" }, mail: "ann@x.com", want: audience.ErrLink},
		"not even base64":  {before: func(*testing.T, *world, string) string { return "?" }, mail: "ann@x.com", want: audience.ErrLink},
		"another letter":   {before: func(_ *testing.T, _ *world, link string) string { return strings.ToLower(link) }, mail: "ann@x.com", want: audience.ErrLink},
		"replaced":         {before: func(t *testing.T, w *world, link string) string { w.offer(t, at, ann); return link }, mail: "ann@x.com", want: audience.ErrLink},
		"another's beside": {before: func(t *testing.T, w *world, link string) string { w.offer(t, at, bob); return link }, mail: "ann@x.com"},
		"address is taken": {before: func(t *testing.T, w *world, link string) string {
			if err := w.People().Set(t.Context(), at, "8", "ann@x.com"); err != nil {
				t.Fatal(err)
			}
			return link
		}, mail: "ANN@x.com", want: audience.ErrTaken},
		"own address again": {before: func(t *testing.T, w *world, link string) string {
			if err := w.People().Set(t.Context(), at, "7", "ann@x.com"); err != nil {
				t.Fatal(err)
			}
			return link
		}, mail: "ann@x.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			link := w.offer(t, at, ann)
			if c.before != nil {
				link = c.before(t, w, link)
			}
			l, err := w.People().Redeem(t.Context(), link, c.mail)
			if !errors.Is(err, c.want) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			if err != nil {
				return
			}
			mail, err := w.People().Mail(t.Context(), at, "7")
			if err != nil || mail != "ann@x.com" || l.ID != "7" || l.Name != "Ann" || l.Thread.TeamKey() != at.TeamKey() {
				t.Errorf("%q, %v: %+v", mail, err, l)
			}
			if _, err := w.People().Redeem(t.Context(), link, "eve@x.com"); !errors.Is(err, audience.ErrLink) {
				t.Errorf("used again: %v", err)
			}
		})
	}
}

func (w *world) offer(t *testing.T, at bot.Thread, u bot.User) string {
	t.Helper()
	link, err := w.People().Offer(t.Context(), at, u)
	if err != nil {
		t.Fatal(err)
	}
	return link
}
