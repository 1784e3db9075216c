package account

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/approval"
	"maru/phrase"
	"maru/phrase/fit"
)

// Rules tell what holds in a place.
type Rules interface {
	Language(ctx context.Context, t bot.Thread, u bot.User, text string) string
	Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
}

// Questions are the questions for a sign-in; see [approval.Questions].
type Questions interface {
	SignIn(ctx context.Context, a bot.Action, lang string) (approval.SignIn, *bot.Answer, error)
	SignedIn(ctx context.Context, t bot.Thread, u bot.User, server string, refused bool) error
}

// Desk signs people in. It is safe for concurrent use.
type Desk struct {
	Vault     *Vault
	Questions Questions
	Rules     Rules
	PublicURL string // of the program, "" if it has none
	NewID     func() string
	Log       *slog.Logger
}

// Action carries out a click on the button of a question for a sign-in: the person gets a link that nobody else sees.
func (d *Desk) Action(ctx context.Context, a bot.Action) (bot.Answer, error) {
	lang := d.Rules.Language(ctx, a.Thread, a.User, "")
	q, refusal, err := d.Questions.SignIn(ctx, a, lang)
	if err != nil || refusal != nil {
		if refusal == nil {
			refusal = &bot.Answer{}
		}
		return *refusal, err
	}
	if d.Vault.Has(ctx, q.Thread, a.User.ID, q.Server) { // elsewhere, meanwhile
		return bot.Answer{}, d.Questions.SignedIn(ctx, q.Thread, a.User, q.Server, false)
	}
	card, err := d.link(ctx, q.Thread, a.User, q.Server, lang)
	return bot.Answer{Card: card}, err
}

// Command carries out "/maru accounts".
func (d *Desk) Command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	args := strings.Fields(c.Args)
	if len(c.Options) > 0 { // a platform that has typed options also joins them
		args = strings.Fields(c.Options["action"] + " " + c.Options["name"])
	}
	servers, err := d.Vault.servers(ctx, c.Thread)
	if err != nil {
		return nil, err
	}
	do := "list"
	if len(args) > 0 {
		do = phrase.Choice(args[0], "account.also.", "list", "connect", "disconnect")
	}
	if do == "list" {
		return d.list(ctx, c, lang)
	}
	name := ""
	if len(args) == 2 {
		name = strings.Trim(args[1], "`")
	}
	there := false
	for _, r := range servers {
		there = there || r.Name == name
	}
	switch {
	case do == "", name == "":
		return bot.NewFailure(phrase.Say(lang, "account.how"), lang), nil
	case !there && do == "connect":
		return bot.NewFailure(phrase.Say(lang, "account.unknown", fit.Clip(fit.OneLine(name), 60)), lang), nil
	case do == "connect":
		return d.link(ctx, c.Thread, c.User, name, lang)
	}
	return d.disconnect(ctx, c, name, there, lang)
}

// list shows a person their accounts.
func (d *Desk) list(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	accounts, err := d.Vault.List(ctx, c.Thread, c.User.ID)
	if err != nil {
		return nil, err
	}
	card := bot.NewNotice(phrase.Say(lang, "account.none"), lang)
	card.Own = true
	var lines []string
	for _, a := range accounts {
		line := "- `" + a.Server + "` · " + phrase.Say(lang, "account.not_signed_in")
		if a.Gone {
			line = "- `" + a.Server + "` · ⚠️ " + phrase.Say(lang, "account.gone", since(a.Since), a.Server)
		} else if !a.Since.IsZero() {
			line = "- `" + a.Server + "` · " + phrase.Say(lang, "account.signed_in", since(a.Since))
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		card.Text, card.Footer = strings.Join(lines, "\n"), phrase.Say(lang, "account.footer")
	}
	return card, nil
}

func since(at time.Time) phrase.Timed {
	return phrase.Local(at, at.UTC().Format("2006-01-02 15:04 UTC"))
}

// Account is a person's account at a server; Since is zero if they are not signed in.
type Account struct {
	Server string
	Since  time.Time
	Gone   bool // an admin removed or moved the server since: the account is kept and used nowhere
}

// List lists the personal servers of a workspace, as they are for a person, and the accounts that outlived their server.
func (v *Vault) List(ctx context.Context, t bot.Thread, user string) ([]Account, error) {
	servers, err := v.servers(ctx, t)
	if err != nil {
		return nil, err
	}
	names, err := v.names(ctx, holderOf(t, user, ""))
	if err != nil {
		return nil, err
	}
	var out []Account
	for _, r := range servers {
		k, err := v.any(ctx, holderOf(t, user, r.Name))
		if err != nil {
			return nil, err
		}
		a := Account{Server: r.Name}
		if k != nil {
			a.Since, a.Gone = k.Since, k.Server != identity(r)
		}
		out = append(out, a)
		names = slices.DeleteFunc(names, func(n string) bool { return n == r.Name })
	}
	for _, name := range names {
		k, err := v.any(ctx, holderOf(t, user, name))
		if err != nil {
			return nil, err
		}
		if k != nil {
			out = append(out, Account{Server: name, Since: k.Since, Gone: true})
		}
	}
	return out, nil
}

// disconnect ends an account: here, and at its authorization server if that answers. Its server may have been removed.
func (d *Desk) disconnect(ctx context.Context, c bot.Invocation, name string, there bool, lang string) (*bot.Card, error) {
	h := holderOf(c.Thread, c.User.ID, name)
	k, err := d.Vault.any(ctx, h)
	if err != nil {
		return nil, err
	}
	if k == nil && !there {
		return bot.NewFailure(phrase.Say(lang, "account.unknown", fit.Clip(fit.OneLine(name), 60)), lang), nil
	}
	if err := d.Vault.Record.SetNote(ctx, h.key("account"), ""); err != nil {
		return nil, err
	}
	if k == nil {
		return bot.NewNotice(phrase.Say(lang, "account.was_not", name), lang), nil
	}
	d.Rules.Audit(ctx, c.Thread, c.User, "accounts.disconnect", map[string]any{"server": name})
	short, cancel := context.WithTimeout(ctx, revokeTime)
	defer cancel()
	if err := d.Vault.Grants.Revoke(short, k.Token); err != nil {
		d.Log.WarnContext(ctx, "revoke a token at its server", "server", name, "err", err)
		return bot.NewNotice(phrase.Say(lang, "account.disconnected_here", name), lang), nil
	}
	return bot.NewNotice(phrase.Say(lang, "account.disconnected", name), lang), nil
}

// revokeTime bounds the request that revokes a token: the person waits for it.
const revokeTime = 2 * time.Second

// link returns a private card with a link that signs a person in.
func (d *Desk) link(ctx context.Context, t bot.Thread, u bot.User, name, lang string) (*bot.Card, error) {
	switch {
	case d.PublicURL == "":
		return bot.NewFailure(phrase.Say(lang, "account.no_url", name), lang), nil
	case d.Vault.Box.Closed():
		return bot.NewFailure(phrase.Say(lang, "account.no_key", name), lang), nil
	}
	r, err := d.Vault.server(ctx, t, name)
	if errors.Is(err, bot.ErrNotFound) {
		return bot.NewFailure(phrase.Say(lang, "account.unknown", name), lang), nil
	}
	if err != nil {
		return nil, err
	}
	state, err := d.start(ctx, t, u, r, lang)
	if err != nil {
		return nil, err
	}
	card := bot.NewNotice(phrase.Say(lang, "account.link", name, hostOf(r.URL)), lang)
	card.Buttons = []bot.Button{{Label: phrase.Say(lang, "account.button", name), URL: strings.TrimSuffix(d.PublicURL, "/") + "/oauth/start?s=" + url.QueryEscape(state), Style: bot.ButtonPrimary}}
	return card, nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
