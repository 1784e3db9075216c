// Package toolserver implements the part of "/maru tools" with which admins add an MCP server
// while the program runs, test it, accept its tools with their effects, limit it to channels and
// remove it. It writes rows of the record; what connects to servers follows them on every replica.
//
// It knows no protocol: a [Prober] connects.
package toolserver

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/tool/attached"
	"maru/bot"
	"maru/bot/seal"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// Rules answer what a person may do in a place.
type Rules interface {
	May(t bot.Thread, u bot.User, want config.Role) bool
	Operates(t bot.Thread, u bot.User) bool
	Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
}

// Reasons why a server's tools could not be listed.
var (
	ErrAccount  = errors.New("toolserver: each person has to sign in")           // and who looks has not
	ErrToken    = errors.New("toolserver: the server wants a token, or another") // in a header
	ErrMetadata = errors.New("toolserver: the server's sign-in cannot be used")
	ErrClient   = fmt.Errorf("%w, with a client that an admin registers", ErrAccount) // the authorization server registers none
)

// AwayError says why nobody can talk to a server.
type AwayError struct {
	Status  int  // of the server's HTTP answer; 0: there was none
	Inside  bool // the address is inside the network, and the operator does not allow it
	Answers bool // there is an MCP server, which answers with an error or too late
	Err     error
}

// Error implements error.
func (e *AwayError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *AwayError) Unwrap() error { return e.Err }

// key returns the sentence that says what is wrong and what to do.
func (e *AwayError) key() string {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](e.Err)
	switch {
	case e.Inside:
		return "toolserver.away.inside"
	case untrusted:
		return "toolserver.away.certificate"
	case e.Status == 0:
		return "toolserver.away.silent"
	case e.Status >= http.StatusMultipleChoices && e.Status < http.StatusBadRequest:
		return "toolserver.away.redirect"
	case e.Status < http.StatusBadRequest && e.Answers:
		return "toolserver.away.error"
	case e.Status < http.StatusBadRequest, e.Status == http.StatusNotFound, e.Status == http.StatusMethodNotAllowed:
		return "toolserver.away.no_mcp"
	}
	return "toolserver.away.status"
}

// Prober connects to servers. Look lists a server's present tools as seen by a person in a thread; errors other
// than the above are for the log. Reserved reports whether the configuration file has a server of that name.
// Changed announces that rows changed.
type Prober interface {
	Look(ctx context.Context, r attached.Row, t bot.Thread, user string) ([]Offer, error)
	Reserved(name string) bool
	Changed()
}

// Offer is a tool of a server, as an admin decides on it.
type Offer struct {
	Remote      string // its name at the server
	Title       phrase.Sentence
	Description string // its beginning: data
	About       string // the whole description
	Parameters  json.RawMessage
	Hash        string
	Effect      agent.Effect    // accepted, or proposed
	Whole       json.RawMessage // of a personal server
}

// Servers shows and changes the servers of a workspace. It is safe for concurrent use.
type Servers struct {
	Store  attached.Store
	Prober Prober
	Rules  Rules
	Box    seal.Box // seals the servers' tokens and clients
	Log    *slog.Logger
	Now    func() time.Time
}

// lookTime limits a listing of a server's tools.
const lookTime = 20 * time.Second

// actions lists the actions of "/maru tools" in this package.
func actions() []string {
	return []string{"add", "test", "accept", "class", "limit", "token", "client", "remove"}
}

// Handler carries out a command.
type Handler = func(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error)

// Around wraps the command "tools": it carries out this package's actions, and adds the
// workspace's servers to what next lists.
func (s *Servers) Around(next Handler) Handler {
	return func(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
		card, handled, err := s.command(ctx, c, lang)
		if handled || err != nil {
			return card, err
		}
		if card, err = next(ctx, c, lang); err != nil || card.Title == "" {
			return card, err
		}
		rows, err := s.rows(ctx, c.Thread)
		if err != nil {
			return nil, err
		}
		for i, r := range rows {
			if i == 0 {
				card.Text += "\n**" + phrase.Say(lang, "toolserver.title") + "**\n"
			}
			state := ""
			if len(r.Accepted) == 0 {
				state = phrase.Say(lang, "toolserver.none_accepted", r.Name)
			}
			card.Text += "- `" + r.Name + "` " + fit.Dots(fit.Literal(Address(r)), places(r, lang), state) + "\n"
		}
		return card, nil
	}
}

// command carries out an action. handled is false if it does not belong to this package, or if it
// accepts a tool of a server of the configuration file.
func (s *Servers) command(ctx context.Context, c bot.Invocation, lang string) (card *bot.Card, handled bool, err error) {
	words := strings.Fields(cmp.Or(c.Args, c.Options["action"]+" "+c.Options["name"]+" "+c.Options["hash"]))
	if len(words) == 0 {
		return nil, false, nil
	}
	do, args := phrase.Choice(words[0], "toolserver.also.", actions()...), words[1:]
	if do == "" {
		return nil, false, nil
	}
	for i := range args {
		args[i] = strings.Trim(args[i], "`")
	}
	rows, err := s.rows(ctx, c.Thread)
	if err != nil {
		return nil, true, err
	}
	i := -1
	if len(args) > 0 {
		i = slices.IndexFunc(rows, func(r attached.Row) bool { return strings.EqualFold(r.Name, args[0]) })
	}
	if do == "accept" && i < 0 {
		return nil, false, nil
	}
	if !s.Rules.May(c.Thread, c.User, config.Admin) {
		s.Rules.Audit(ctx, c.Thread, c.User, "command.refused", map[string]any{"command": "tools " + do})
		return nil, true, &bot.Error{Code: bot.CodeMayNot, Noted: true}
	}
	switch {
	case do == "add":
		card, err = s.add(ctx, c, args, lang)
	case i < 0:
		card = bot.NewFailure(phrase.Say(lang, "toolserver.unknown", fit.Literal(fit.Quoted(strings.Join(args, " "), 60))), lang)
	default:
		card, err = s.change(ctx, c, rows[i], do, args[1:], lang)
	}
	return card, true, err
}

// rows returns the servers of the workspace, and those of the configuration file, which belong to no workspace.
func (s *Servers) rows(ctx context.Context, t bot.Thread) ([]attached.Row, error) {
	rows, err := s.Store.ToolServers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list tool servers: %w", err)
	}
	return slices.DeleteFunc(rows, func(r attached.Row) bool { return r.Team != "" && r.Team != t.TeamKey() }), nil
}

// administered returns the server of a name, which an admin may change. The card says that there is none.
func (s *Servers) administered(ctx context.Context, t bot.Thread, u bot.User, name, lang string) (r attached.Row, unknown *bot.Card, err error) {
	if !s.Rules.May(t, u, config.Admin) {
		return r, nil, &bot.Error{Code: bot.CodeMayNot}
	}
	rows, err := s.rows(ctx, t)
	if err != nil {
		return r, nil, err
	}
	if i := slices.IndexFunc(rows, func(r attached.Row) bool { return r.Name == name }); i >= 0 {
		return rows[i], nil, nil
	}
	return r, bot.NewNotice(phrase.Say(lang, "toolserver.unknown", fit.Literal(fit.Quoted(name, 60))), lang), nil
}

// change does something with one server.
func (s *Servers) change(ctx context.Context, c bot.Invocation, r attached.Row, do string, args []string, lang string) (*bot.Card, error) {
	if r.Team == "" && do != "test" && do != "accept" {
		return bot.NewFailure(phrase.Say(lang, "toolserver.of_file", r.Name), lang), nil
	}
	switch do {
	case "test":
		return s.show(ctx, r, c.Thread, c.User.ID, lang, args...), nil
	case "token": // never in a command's text
		return askToken(r, phrase.Say(lang, "toolserver.token.ask", r.Name), lang), nil
	case "client":
		return clientCard(r, lang), nil
	case "accept":
		return s.accept(ctx, c, r, args, lang)
	case "class":
		return s.class(ctx, c, r, args, lang)
	case "limit":
		return s.limit(ctx, c, r, args, lang)
	}
	return s.remove(ctx, c, r, lang)
}

// most limits the servers that admins of one workspace add.
const most = 20

// freeName derives an unused name from a host: crm_example_com, crm_example_com2.
func (s *Servers) freeName(u *url.URL, all []attached.Row) string {
	base := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(u.Hostname()))
	if base[0] < 'a' || base[0] > 'z' {
		base = "s" + base
	}
	base = strings.Trim(base[:min(len(base), 20)], "_")
	name := base
	taken := func(r attached.Row) bool { return r.Name == name }
	for n := 2; s.Prober.Reserved(name) || slices.ContainsFunc(all, taken); n++ {
		name = fmt.Sprint(base, n)
	}
	return name
}

// look lists a server's tools; the card explains a failure.
func (s *Servers) look(ctx context.Context, r attached.Row, t bot.Thread, user, lang string) ([]Offer, *bot.Card) {
	offers, err := s.probe(ctx, r, t, user)
	return offers, s.bad(ctx, r, offers, err, lang)
}

func (s *Servers) probe(ctx context.Context, r attached.Row, t bot.Thread, user string) ([]Offer, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	return s.Prober.Look(ctx, r, t, user)
}

// Address returns a server's address as people see it: "" for one of the configuration file, whose addresses are the operator's.
func Address(r attached.Row) string {
	if r.Team == "" {
		return ""
	}
	return fit.Clip(fit.OneLine(fit.Visible(r.URL)), 200)
}

// Away explains that a server cannot be reached, or that nobody can sign in there.
func Away(r attached.Row, err error, lang string) string {
	where := cmp.Or(fit.Literal(Address(r)), "`"+r.Name+"`")
	away, ok := errors.AsType[*AwayError](err)
	switch {
	case errors.Is(err, ErrMetadata):
		return phrase.Say(lang, "toolserver.bad_metadata", where)
	case !ok:
		away = &AwayError{}
	case away.key() == "toolserver.away.status":
		return phrase.Say(lang, away.key(), where, away.Status)
	}
	return phrase.Say(lang, away.key(), where)
}

// bad explains why a listing is unusable, nil if it is usable.
func (s *Servers) bad(ctx context.Context, r attached.Row, offers []Offer, err error, lang string) *bot.Card {
	if err == nil && len(offers) <= maxTools {
		return nil
	}
	if card := Missing(r, err, lang); card != nil {
		return card
	}
	said := Away(r, err, lang)
	if err == nil {
		said = phrase.Say(lang, "toolserver.too_many_tools", maxTools)
	} else {
		s.Log.WarnContext(ctx, "list tools of an MCP server", "server", r.Name, "err", err)
	}
	return bot.NewFailure(said, lang)
}

// maxTools limits the tools of an added server, since a card shows all of them.
const maxTools = 40

// waiting returns the tools that are not, or no longer, accepted.
func waiting(r attached.Row, offers []Offer) []Offer {
	return slices.DeleteFunc(slices.Clone(offers), func(o Offer) bool { return r.Accepted[o.Remote].Hash == o.Hash })
}

// Waiting returns the tools that are not, or no longer, accepted, and the digest that accepts exactly these.
func Waiting(r attached.Row, offers []Offer) (wait []Offer, accepts string) {
	wait = waiting(r, offers)
	return wait, digest(r, wait)
}

// digest names exactly these tools with these effects.
func digest(r attached.Row, offers []Offer) string {
	var of [][]string
	for _, o := range offers {
		of = append(of, []string{o.Remote, o.Hash, string(o.Effect)})
	}
	text, _ := json.Marshal([]any{r.Name, r.URL, of}) // strings alone
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// put stores a row; the card reports a conflict with another person's change.
func (s *Servers) put(ctx context.Context, r attached.Row, lang string) (*bot.Card, error) {
	_, err := s.Store.PutToolServer(ctx, r)
	if errors.Is(err, attached.ErrChanged) {
		return bot.NewFailure(phrase.Say(lang, "toolserver.changed", r.Name), lang), nil
	}
	if err != nil {
		return nil, fmt.Errorf("store a tool server: %w", err)
	}
	s.Prober.Changed()
	return nil, nil //nolint:nilnil // nothing to say
}
