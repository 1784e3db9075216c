package interact

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"maru/adapters/discord/render"
	"maru/adapters/lanes/cache"
	"maru/bot"
	"maru/phrase"
)

// Discord takes no form as the answer to a form, and none at all after three
// seconds. A form that was filled in wrongly, or that came too late, is kept for a
// while behind a button that opens it, with what was typed. See
// adapters/discord/README.md.

const (
	draftID   = "again" // replaces the row's ID in the button's custom ID
	maxDrafts = 256
)

// draft is a form that a person may reopen.
type draft struct {
	user    string
	thread  bot.Thread // the form's thread, whatever message opens it now
	message string
	form    bot.Form
	wrong   map[string]string // by field: why it was rejected
}

// drafts are the forms that people may open once more.
type drafts struct{ kept *cache.Cache[string, draft] }

func newDrafts() *drafts { return &drafts{kept: cache.New[string, draft](maxDrafts)} }

// store stores a form for the actor and returns its key.
func (ds *drafts) store(act bot.Action, f bot.Form, wrong map[string]string) string {
	mark := rand.Text()[:16]
	ds.kept.Add(mark, draft{user: act.User.ID, thread: act.Thread, message: act.Message, form: f, wrong: wrong})
	return mark
}

// of returns a form only to the person it was stored for.
func (ds *drafts) of(mark, user string) (draft, bool) {
	d, ok := ds.kept.Get(mark)
	return d, ok && d.user == user
}

// reopen opens a stored form: each rejected field shows its reason.
func (h *Handler) reopen(ctx context.Context, v visit, mark string) {
	d, ok := h.drafts.of(mark, v.u.ID)
	if !ok {
		r, _ := privately(bot.Card{Kind: bot.CardNotice, Text: phrase.Say(v.u.Locale, "discord.form.expired")})
		h.sendFirst(ctx, v.out, r)
		return
	}
	h.sendFirst(ctx, v.out, response{Type: answerModal, Data: render.Modal(d.form.Flawed(d.wrong), mark, h.places.IsRole)})
}

// keptAs returns the key of a stored form in a custom ID.
func keptAs(customID string) string {
	_, mark, _ := strings.Cut(customID, "#")
	return mark
}

// belated returns the notice for a form that could not be opened in time.
func (h *Handler) belated(act bot.Action, f bot.Form) *bot.Card {
	lang := act.User.Locale
	return &bot.Card{
		Kind: bot.CardNotice, Language: lang, Text: phrase.Say(lang, "discord.form.late"),
		Buttons: []bot.Button{{ID: draftID, Verb: h.drafts.store(act, f, nil), Label: phrase.Say(lang, "discord.form.open"), Style: bot.ButtonPrimary}},
	}
}

// flawed returns the notice for an invalid form: the rejected fields by label, with the reasons.
func (h *Handler) flawed(act bot.Action, f *bot.Form, wrong map[string]string) *bot.Card {
	lang := act.User.Locale
	c := &bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "discord.form.check_again"), Language: lang}
	said := map[string]bool{}
	if f != nil {
		for _, in := range f.Inputs {
			if why := wrong[in.ID]; why != "" {
				c.Fields, said[in.ID] = append(c.Fields, bot.Field{Label: cmp.Or(render.OneLine(in.Label), in.ID), Value: why}), true
			}
		}
		c.Buttons = []bot.Button{{ID: draftID, Verb: h.drafts.store(act, *f, wrong), Label: phrase.Say(lang, "discord.form.correct"), Style: bot.ButtonPrimary}}
	}
	var rest []string
	for id := range wrong {
		if !said[id] {
			rest = append(rest, id)
		}
	}
	slices.Sort(rest)
	for _, id := range rest {
		c.Fields = append(c.Fields, bot.Field{Label: id, Value: wrong[id]})
	}
	return c
}
