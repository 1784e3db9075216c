package toolserver

import (
	"context"
	"encoding/json"
	"strings"

	"maru/agent/tool/attached"
	"maru/bot"
	"maru/phrase"
)

// The verbs of the button and form with which an admin gives a server's client.
const (
	verbClient     = "client"
	verbSaveClient = "save_client"
)

const (
	fieldClient = "client"
	fieldSecret = "secret"
)

// maxClient limits a client's ID and its secret, in bytes.
const maxClient = 2000

// clientAction handles clicks on the button, and the submitted form.
func (s *Servers) clientAction(ctx context.Context, a bot.Action, r attached.Row, lang string) (bot.Answer, error) {
	if !takesClient(r) {
		return bot.Answer{Card: clientCard(r, lang)}, nil
	}
	if a.Verb != verbSaveClient {
		return bot.Answer{Form: clientForm(r, lang)}, nil
	}
	card, wrong, err := s.SetClient(ctx, a.Thread, a.User, r.Name, a.Values[fieldClient], a.Values[fieldSecret], lang)
	if wrong != nil {
		form := clientForm(r, lang)
		form.Inputs[0].Value = a.Values[fieldClient] // the secret is not shown again
		return bot.Answer{Form: form, Errors: wrong}, nil
	}
	return bot.Answer{Card: card}, err
}

func clientForm(r attached.Row, lang string) *bot.Form {
	return &bot.Form{ID: Control + r.Name, Verb: verbSaveClient, Title: phrase.Say(lang, "toolserver.client.title"), Submit: phrase.Say(lang, "toolserver.token.save"), Inputs: []bot.Input{
		{ID: fieldClient, Label: phrase.Say(lang, "toolserver.client.id"), Hint: phrase.Say(lang, "toolserver.client.id_hint"), Max: maxClient},
		{ID: fieldSecret, Label: phrase.Say(lang, "toolserver.client.secret"), Hint: phrase.Say(lang, "toolserver.client.secret_hint"), Max: maxClient},
	}}
}

// takesClient reports whether people sign in at a server with a client that admins may give: not one of the configuration file.
func takesClient(r attached.Row) bool { return r.Personal && r.Team != "" }

// clientCard returns the card with the button that opens the form; it says why there is none.
func clientCard(r attached.Row, lang string) *bot.Card {
	switch {
	case !takesClient(r):
		return bot.NewFailure(phrase.Say(lang, "toolserver.client.shared", r.Name), lang)
	case len(r.Client) > 0:
		return askClient(r, phrase.Say(lang, "toolserver.client.there", r.Name), lang)
	}
	return askClient(r, phrase.Say(lang, "toolserver.client.ask", r.Name), lang)
}

func askClient(r attached.Row, text, lang string) *bot.Card {
	card := bot.NewNotice(text, lang)
	card.Footer = phrase.Say(lang, "toolserver.client.redirect")
	card.Buttons = []bot.Button{{ID: Control + r.Name, Verb: verbClient, Label: phrase.Say(lang, "toolserver.client.button"), Style: bot.ButtonPrimary}}
	return card
}

// SetClient sets the client with which people sign in at a server, or removes it if id is empty. wrong has the errors by field.
func (s *Servers) SetClient(ctx context.Context, t bot.Thread, u bot.User, name, id, secret, lang string) (card *bot.Card, wrong map[string]string, err error) {
	id, secret = strings.TrimSpace(id), strings.TrimSpace(secret)
	for _, field := range []struct{ name, value string }{{fieldClient, id}, {fieldSecret, secret}} {
		if len(field.value) > maxClient || strings.ContainsFunc(field.value, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, map[string]string{field.name: phrase.Say(lang, "toolserver.client.bad")}, nil
		}
	}
	if id == "" && secret != "" {
		return nil, map[string]string{fieldClient: phrase.Say(lang, "toolserver.client.no_id")}, nil
	}
	r, card, err := s.administered(ctx, t, u, name, lang)
	if card != nil || err != nil {
		return card, nil, err
	}
	did, said := "tools.client", "toolserver.client.kept"
	if !takesClient(r) || id == "" && len(r.Client) == 0 { // none to remove
		return clientCard(r, lang), nil, nil
	}
	if r.Client = nil; id == "" {
		did, said = "tools.client_removed", "toolserver.client.removed"
	} else {
		raw, _ := json.Marshal(attached.Client{ID: id, Secret: secret}) // texts alone
		if r.Client, err = s.Box.Seal(raw, r.AboutClient()); err != nil {
			return bot.NewNotice(phrase.Say(lang, "toolserver.token.no_key"), lang), nil, nil //nolint:nilerr // without a key: reported in the card
		}
	}
	if card, err := s.put(ctx, r, lang); card != nil || err != nil {
		return card, nil, err
	}
	s.Rules.Audit(ctx, t, u, did, map[string]any{"server": r.Name})
	return bot.NewNotice(phrase.Say(lang, said, r.Name), lang), nil, nil
}
