package toolserver

import (
	"cmp"
	"context"
	"errors"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"maru/agent/tool/attached"
	"maru/bot"
	"maru/config"
	"maru/phrase"
)

// Control is the prefix of the IDs of the button and form with which an admin sets a server's token; the server's
// name follows. It grants nothing.
const Control = "toolserver/"

// The verbs of that button and form.
const (
	verbToken = "token"
	verbSave  = "save"
)

const (
	fieldHeader = "header"
	fieldToken  = "token"
)

const (
	maxHeader = 64
	maxToken  = 4096
)

// Action handles clicks on the button, and the submitted form.
func (s *Servers) Action(ctx context.Context, a bot.Action, lang string) (bot.Answer, error) {
	name := strings.TrimPrefix(a.ID, Control)
	if !s.Rules.May(a.Thread, a.User, config.Admin) {
		s.Rules.Audit(ctx, a.Thread, a.User, "command.refused", map[string]any{"command": "tools token"})
		card := (&bot.Error{Code: bot.CodeMayNot}).Notice(lang)
		return bot.Answer{Card: &card}, nil
	}
	r, unknown, err := s.administered(ctx, a.Thread, a.User, name, lang)
	switch {
	case err != nil || unknown != nil:
		return bot.Answer{Card: unknown}, err
	case a.Verb == verbClient, a.Verb == verbSaveClient:
		return s.clientAction(ctx, a, r, lang)
	case r.Personal:
		return bot.Answer{Card: bot.NewNotice(phrase.Say(lang, "toolserver.token.personal", name), lang)}, nil
	case a.Verb != verbSave:
		return bot.Answer{Form: tokenForm(r, lang)}, nil
	}
	card, wrong, err := s.SetToken(ctx, a.Thread, a.User, name, a.Values[fieldHeader], a.Values[fieldToken], lang)
	if wrong != nil {
		form := tokenForm(r, lang)
		form.Inputs[0].Value = a.Values[fieldHeader] // the token is not shown again
		return bot.Answer{Form: form, Errors: wrong}, nil
	}
	return bot.Answer{Card: card}, err
}

func tokenForm(r attached.Row, lang string) *bot.Form {
	header := cmp.Or(r.Header, "Authorization")
	return &bot.Form{ID: Control + r.Name, Verb: verbSave, Title: phrase.Say(lang, "toolserver.token.title"), Submit: phrase.Say(lang, "toolserver.token.save"), Inputs: []bot.Input{
		{ID: fieldHeader, Label: phrase.Say(lang, "toolserver.token.header"), Value: header, Required: true, Max: maxHeader},
		{ID: fieldToken, Label: phrase.Say(lang, "toolserver.token.value"), Hint: phrase.Say(lang, "toolserver.token.hint"), Max: 3000},
	}}
}

// askToken returns the card with the button that opens the form.
func askToken(r attached.Row, text, lang string) *bot.Card {
	card := bot.NewNotice(text, lang)
	card.Buttons = []bot.Button{{ID: Control + r.Name, Verb: verbToken, Label: phrase.Say(lang, "toolserver.token.button"), Style: bot.ButtonPrimary}}
	return card
}

var headerShape = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]{1,64}$`)

// ours are the headers set by the protocol and its transport.
var ours = []string{"Accept", "Connection", "Content-Length", "Content-Type", "Cookie", "Host", "Last-Event-Id", "Mcp-Protocol-Version", "Mcp-Session-Id", "Transfer-Encoding", "Upgrade"}

// SetToken sets a server's header with a token, or removes it if empty, and shows its tools. wrong has the errors
// by field.
func (s *Servers) SetToken(ctx context.Context, t bot.Thread, u bot.User, name, header, token, lang string) (card *bot.Card, wrong map[string]string, err error) {
	header, token = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(header)), strings.TrimSpace(token)
	header = cmp.Or(header, "Authorization")
	unfit := func(r rune) bool { return r < ' ' || r > '~' }
	switch {
	case !headerShape.MatchString(header) || slices.Contains(ours, header):
		return nil, map[string]string{fieldHeader: phrase.Say(lang, "toolserver.token.bad_header")}, nil
	case len(token) > maxToken || strings.ContainsFunc(token, unfit):
		return nil, map[string]string{fieldToken: phrase.Say(lang, "toolserver.token.bad_value")}, nil
	}
	r, card, err := s.administered(ctx, t, u, name, lang)
	if card != nil || err != nil {
		return card, nil, err
	}
	did := "tools.token"
	if r.Personal {
		return bot.NewNotice(phrase.Say(lang, "toolserver.token.personal", r.Name), lang), nil, nil
	}
	if header == "Authorization" && token != "" && !strings.Contains(token, " ") {
		token = "Bearer " + token
	}
	r.Header, r.Secret = header, nil
	if token == "" {
		r.Header, did = "", "tools.token_removed"
	} else if r.Secret, err = s.Box.Seal([]byte(token), r.About()); err != nil {
		return bot.NewNotice(phrase.Say(lang, "toolserver.token.no_key"), lang), nil, nil //nolint:nilerr // without a key: reported in the card
	}
	if card, err := s.put(ctx, r, lang); card != nil || err != nil {
		return card, nil, err
	}
	s.Rules.Audit(ctx, t, u, did, map[string]any{"server": r.Name, "header": header})
	if token == "" {
		return bot.NewNotice(phrase.Say(lang, "toolserver.token.removed", r.Name), lang), nil, nil
	}
	r.Version++
	card = s.show(ctx, r, t, u.ID, lang)
	card.Text = phrase.Say(lang, "toolserver.token.kept", r.Name) + "\n" + card.Text
	return card, nil, nil
}

// Missing returns the card for a server that requires a sign-in or token; nil for another error.
func Missing(r attached.Row, err error, lang string) *bot.Card {
	switch {
	case errors.Is(err, ErrClient):
		return askClient(r, phrase.Say(lang, "toolserver.client.wanted", r.Name), lang)
	case errors.Is(err, ErrAccount):
		card := bot.NewNotice(phrase.Say(lang, "toolserver.personal", r.Name), lang)
		card.Footer = phrase.Say(lang, "toolserver.personal_next", r.Name)
		return card
	case errors.Is(err, ErrToken) && len(r.Secret) > 0:
		return askToken(r, phrase.Say(lang, "toolserver.token.refused", r.Name), lang)
	case errors.Is(err, ErrToken):
		return askToken(r, phrase.Say(lang, "toolserver.token.wanted", r.Name), lang)
	case errors.Is(err, ErrMetadata):
		return bot.NewNotice(Away(r, err, lang), lang)
	}
	return nil
}
