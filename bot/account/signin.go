package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"maru/agent/tool/attached"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// linkLife is how long a link works.
const linkLife = 10 * time.Minute

// flow is a sign-in on its way, as the record keeps it, sealed. There is one for each person and server: the newest.
type flow struct {
	ID      string          `json:"id"`
	Server  string          `json:"server"` // its identity
	URL     string          `json:"url"`
	Thread  bot.Thread      `json:"thread"` // where runs wait for it
	User    bot.User        `json:"user"`
	Lang    string          `json:"lang"`
	Expires time.Time       `json:"expires"`
	Browser string          `json:"browser,omitempty"` // digest of what the browser that began it keeps
	Keep    json.RawMessage `json:"keep,omitempty"`
}

// ticket is the sealed content of a sign-in link: whose flow it is.
type ticket struct {
	holder

	ID string
}

const aboutTicket = "account/link"

// start makes a flow and returns the state of its link.
func (d *Desk) start(ctx context.Context, t bot.Thread, u bot.User, r attached.Row, lang string) (string, error) {
	h := holderOf(t, u.ID, r.Name)
	f := flow{
		ID: d.NewID(), Server: identity(r), URL: r.URL, Thread: t, User: bot.User{ID: u.ID, Name: u.Name, Locale: u.Locale}, Lang: lang,
		Expires: d.Vault.Now().Add(linkLife),
	}
	if err := d.keep(ctx, h, f); err != nil {
		return "", err
	}
	raw, err := json.Marshal(ticket{h, f.ID})
	if err != nil {
		return "", err
	}
	sealed, err := d.Vault.Box.Seal(raw, aboutTicket)
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

func (d *Desk) keep(ctx context.Context, h holder, f flow) error {
	text, err := d.Vault.close(f, h.key("account-flow"))
	if err == nil {
		err = d.Vault.Record.SetNote(ctx, h.key("account-flow"), text)
	}
	if err != nil {
		return fmt.Errorf("keep a sign-in: %w", err)
	}
	return nil
}

// Page is what a browser is shown on the way.
type Page struct {
	Lang  string
	Title string
	Text  string
	Go    string // label of the button that leads on, "" for none
	Leave string // under it: what to do if this is not for the reader
}

// find returns the flow of a state. The page says why there is none.
func (d *Desk) find(ctx context.Context, state, lang string) (ticket, flow, *Page, error) {
	var t ticket
	var f flow
	over := d.page(lang, "account.page.over")
	sealed, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil || len(sealed) > 2<<10 {
		return t, f, over, nil
	}
	raw, err := d.Vault.Box.Open(sealed, aboutTicket)
	if err != nil || json.Unmarshal(raw, &t) != nil {
		return t, f, over, nil
	}
	text, err := d.Vault.Record.Note(ctx, t.key("account-flow"))
	if err != nil {
		return t, f, nil, fmt.Errorf("read a sign-in: %w", err)
	}
	if text == "" || d.Vault.open(text, t.key("account-flow"), &f) != nil || f.ID != t.ID || !d.Vault.Now().Before(f.Expires) {
		return t, f, over, nil
	}
	r, err := d.Vault.server(ctx, f.Thread, t.Server)
	if err != nil && !errors.Is(err, bot.ErrNotFound) {
		return t, f, nil, err
	}
	if err != nil || identity(r) != f.Server {
		return t, f, d.page(f.Lang, "account.page.gone", t.Server), nil
	}
	return t, f, nil, nil
}

// page returns a page without a button.
func (d *Desk) page(lang, key string, args ...any) *Page {
	return &Page{Lang: lang, Title: phrase.Say(lang, "account.page.title"), Text: phrase.Say(lang, key, args...)}
}

// Open returns the page behind a link: whose sign-in it is, and where it leads. It changes nothing, so that previews of links do
// no harm.
func (d *Desk) Open(ctx context.Context, state, lang string) (Page, error) {
	t, f, problem, err := d.find(ctx, state, lang)
	if err != nil {
		return Page{}, err
	}
	if problem != nil {
		return *problem, nil
	}
	name, who := fit.Clip(fit.OneLine(fit.Visible(f.User.Name)), 80), f.User.ID
	if name == "" {
		name = who
	} else { // two people may have one name
		who = name + " (" + who + ")"
	}
	return Page{
		Lang: f.Lang, Title: phrase.Say(f.Lang, "account.page.title"),
		Text:  phrase.Say(f.Lang, "account.page.ask", t.Server, hostOf(f.URL), who, strings.TrimSpace(platformName(t.Platform)+" "+t.Team)),
		Go:    phrase.Say(f.Lang, "account.page.go", name),
		Leave: phrase.Say(f.Lang, "account.page.leave"),
	}, nil
}

// platformName returns a platform as its people write it.
func platformName(p string) string {
	if p == "" {
		return p
	}
	return strings.ToUpper(p[:1]) + p[1:]
}

// Begin sends a person to where they sign in. browser is what their browser has to show when it comes back. The page says why
// it cannot.
func (d *Desk) Begin(ctx context.Context, state, lang string) (address, browser string, problem *Page, err error) {
	t, f, problem, err := d.find(ctx, state, lang)
	if err != nil || problem != nil {
		return "", "", problem, err
	}
	address, keep, err := d.Vault.Grants.Begin(ctx, t.Server, f.URL, Callback(d.PublicURL), state)
	switch {
	case errors.Is(err, ErrBad):
		d.Log.WarnContext(ctx, "a server's sign-in cannot be used", "server", t.Server, "err", err)
		return "", "", d.page(f.Lang, "account.page.bad", t.Server), nil
	case errors.Is(err, ErrRefused):
		d.Log.WarnContext(ctx, "a server's sign-in refused Maru", "server", t.Server, "err", err)
		return "", "", d.page(f.Lang, "account.page.not_known", t.Server), nil
	case err != nil:
		d.Log.WarnContext(ctx, "a server's sign-in does not answer", "server", t.Server, "err", err)
		return "", "", d.page(f.Lang, "account.page.away", t.Server), nil
	}
	// The server took its time: a newer link may have replaced this one, or the account may be there.
	if _, _, problem, err = d.find(ctx, state, lang); err != nil || problem != nil {
		return "", "", problem, err
	}
	browser = rand.Text()
	f.Browser, f.Keep = digest(browser), keep
	return address, browser, nil, d.keep(ctx, t.holder, f)
}

// Callback returns where authorization servers send browsers back to, below the public URL.
func Callback(public string) string { return strings.TrimSuffix(public, "/") + "/oauth/callback" }

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// Return takes the answer with which a browser comes back: the account is kept and the runs that wait for it go on; a refusal
// lets them go on without it.
func (d *Desk) Return(ctx context.Context, answer url.Values, browser, lang string) (Page, error) {
	t, f, problem, err := d.find(ctx, answer.Get("state"), lang)
	if err != nil {
		return Page{}, err
	}
	if problem == nil && (f.Browser == "" || subtle.ConstantTimeCompare([]byte(digest(browser)), []byte(f.Browser)) != 1) {
		problem = d.page(f.Lang, "account.page.other_browser")
	}
	if problem != nil {
		return *problem, nil
	}
	mine := rand.Text()
	whose, err := d.Vault.Record.FirstNote(ctx, t.key("account-used/"+f.ID), mine)
	if err != nil {
		return Page{}, fmt.Errorf("use a sign-in: %w", err)
	}
	if whose != mine {
		return *d.page(f.Lang, "account.page.over"), nil
	}
	if err := d.Vault.Record.SetNote(ctx, t.key("account-flow"), ""); err != nil {
		return Page{}, fmt.Errorf("end a sign-in: %w", err)
	}
	if answer.Get("error") != "" {
		return d.declined(ctx, t, f, answer.Get("error"))
	}
	tok, err := d.Vault.Grants.Finish(ctx, f.Keep, answer)
	if err != nil {
		d.Log.WarnContext(ctx, "a sign-in failed", "server", t.Server, "err", err)
		return *d.page(f.Lang, "account.page.failed", t.Server), nil
	}
	now := d.Vault.Now()
	if err := d.Vault.write(ctx, t.holder, kept{Server: f.Server, Since: now, Got: now, Token: tok}); err != nil {
		return Page{}, err
	}
	d.Rules.Audit(ctx, f.Thread, f.User, "accounts.connect", map[string]any{"server": t.Server})
	if err := d.Questions.SignedIn(ctx, f.Thread, f.User, t.Server, false); err != nil { // the sweep does it again
		d.Log.WarnContext(ctx, "go on after a sign-in", "server", t.Server, "err", err)
	}
	return *d.page(f.Lang, "account.page.done", t.Server), nil
}

// declined lets the runs go on without the account.
func (d *Desk) declined(ctx context.Context, t ticket, f flow, why string) (Page, error) {
	d.Log.InfoContext(ctx, "a sign-in was refused", "server", t.Server, "why", fit.Clip(fit.OneLine(why), 60))
	d.Rules.Audit(ctx, f.Thread, f.User, "accounts.refused", map[string]any{"server": t.Server})
	if why != "access_denied" { // of the server itself: they may try again
		return *d.page(f.Lang, "account.page.failed", t.Server), nil
	}
	if err := d.Questions.SignedIn(ctx, f.Thread, f.User, t.Server, true); err != nil {
		return Page{}, err
	}
	return *d.page(f.Lang, "account.page.declined", t.Server), nil
}
