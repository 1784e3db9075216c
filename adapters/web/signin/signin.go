package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Names of the sign-in methods, as used in paths and settings.
const (
	WayOIDC    = "oidc"
	WaySlack   = "slack"
	WayDiscord = "discord"
)

// Identity is a person as authenticated by a provider at sign-in.
type Identity struct {
	Platform string `json:"p"` // "slack", "discord", or "web" for accounts of an OIDC provider
	Team     string `json:"t"` // workspace or guild; "oidc" for accounts of an OIDC provider
	User     string `json:"u"`
	Name     string `json:"n,omitempty"`
	Mail     string `json:"m,omitempty"` // address that an OIDC provider has verified
	Place    string `json:"w,omitempty"` // name of the workspace or guild, for a choice among several
	Role     Role   `json:"r,omitempty"` // of an OIDC account; platforms are asked for a person's rights at each request
	Rules    string `json:"g,omitempty"` // digest of the settings that gave the role
}

// Key names the person over all platforms.
func (i Identity) Key() string { return i.Platform + "/" + i.Team + "/" + i.User }

// Way is a sign-in method, for the sign-in page.
type Way struct {
	ID   string
	Host string // of the OIDC provider
}

// Problem is the reason, for people, why a sign-in failed.
type Problem struct {
	Key    string // of the sentence, below "web."
	Status int
	Err    error // for the log; nil for ordinary failures
}

// Error implements error.
func (p *Problem) Error() string {
	if p.Err == nil {
		return "sign-in: " + p.Key
	}
	return "sign-in: " + p.Key + ": " + p.Err.Error()
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// Problems of a sign-in.
func foreign() *Problem { return &Problem{Key: "signin.foreign", Status: http.StatusForbidden} }

func unreachable(err error) *Problem {
	return &Problem{Key: "signin.unreachable", Status: http.StatusBadGateway, Err: err}
}

func refused(err error) *Problem {
	return &Problem{Key: "signin.refused", Status: http.StatusForbidden, Err: err}
}

// IsForeign reports whether err means that this browser has no such sign-in in progress: it began elsewhere, has ended, or
// expired.
func IsForeign(err error) bool {
	var p *Problem
	return errors.As(err, &p) && p.Key == foreign().Key
}

// Config configures the sign-in methods. Those that are nil are not offered.
type Config struct {
	PublicURL string // how browsers reach the console, without "/" at the end
	Key       []byte // seals the browser's state during a sign-in; shared by replicas
	OIDC      *OIDC
	Slack     *Slack
	Discord   *Discord
	Client    *http.Client // nil: the default one; without a timeout it has one of 10 s
	Now       func() time.Time
	Random    io.Reader // nil: crypto/rand
	Log       *slog.Logger
}

// provider is one sign-in method. authorize returns the address to which the browser is redirected; redeem
// exchanges the returned code for the identities from which the person chooses.
type provider interface {
	way() Way
	authorize(ctx context.Context, f flow, redirect string) (string, error)
	redeem(ctx context.Context, f flow, redirect, code string) ([]Identity, error)
	ready(ctx context.Context) error
}

// SignIn carries out sign-ins. It is safe for concurrent use and stateless.
type SignIn struct {
	cfg  Config
	box  box
	ways []provider
}

// Limits of a request to a provider and its response.
const (
	callTime  = 10 * time.Second
	maxAnswer = 1 << 20
)

// New returns the configured ways of signing in.
func New(c Config) (*SignIn, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Client == nil {
		c.Client = &http.Client{}
	}
	client := *c.Client
	client.Timeout, client.Transport = cmp.Or(client.Timeout, callTime), bounded{client.Transport}
	client.CheckRedirect = func(*http.Request, []*http.Request) error {
		return errors.New("the provider redirects a request that is not a browser's")
	}
	b, err := newBox(c.Key, c.Random)
	if err != nil {
		return nil, err
	}
	s := &SignIn{cfg: c, box: b}
	if c.PublicURL == "" {
		return nil, errors.New("sign-in: the public address is not known")
	}
	if c.OIDC != nil {
		s.ways = append(s.ways, newOIDC(*c.OIDC, &client, c.Now))
	}
	if c.Slack != nil {
		s.ways = append(s.ways, newSlack(*c.Slack, &client, c.Now))
	}
	if c.Discord != nil {
		s.ways = append(s.ways, &discord{Discord: *c.Discord, client: &client})
	}
	return s, nil
}

// Ways lists the ways of signing in.
func (s *SignIn) Ways() []Way {
	out := make([]Way, len(s.ways))
	for i, p := range s.ways {
		out[i] = p.way()
	}
	return out
}

func (s *SignIn) provider(id string) provider {
	if i := slices.IndexFunc(s.ways, func(p provider) bool { return p.way().ID == id }); i >= 0 {
		return s.ways[i]
	}
	return nil
}

// Rules returns the digest stored in identities of an OIDC provider while the settings give them their role; ""
// without a provider.
func (s *SignIn) Rules() string {
	if s.cfg.OIDC == nil {
		return ""
	}
	return s.cfg.OIDC.digest()
}

func (s *SignIn) redirect(way string) string {
	return strings.TrimSuffix(s.cfg.PublicURL, "/") + "/signin/" + url.PathEscape(way) + "/callback"
}

// Begin returns the provider's page for the browser; next is the local path to which the person returns. Errors
// are *[Problem].
func (s *SignIn) Begin(w http.ResponseWriter, r *http.Request, way, next string) (string, error) {
	p := s.provider(way)
	if p == nil {
		return "", &Problem{Key: "signin.no_way", Status: http.StatusNotFound}
	}
	f := flow{Way: way, State: s.box.random(), Nonce: s.box.random(), Verifier: s.box.random() + s.box.random(), Next: next, Until: s.cfg.Now().Add(flowTime)}
	if len(next) > maxNext {
		f.Next = "/"
	}
	page, err := p.authorize(r.Context(), f, s.redirect(way))
	if err != nil {
		return "", s.failed(err)
	}
	return page, s.addFlow(w, r, f)
}

// End completes the sign-in with which the provider sends the browser back, and returns the identities that the person may
// choose among. Its state is taken out of the cookie.
func (s *SignIn) End(w http.ResponseWriter, r *http.Request, way string) ([]Identity, string, error) {
	p := s.provider(way)
	if p == nil {
		return nil, "", &Problem{Key: "signin.no_way", Status: http.StatusNotFound}
	}
	q := r.URL.Query()
	f, ok := s.takeFlow(w, r, way, q.Get("state"))
	if !ok {
		return nil, "/", foreign()
	}
	switch code := q.Get("error"); {
	case code == "access_denied":
		return nil, f.Next, &Problem{Key: "signin.denied", Status: http.StatusForbidden}
	case code != "" || q.Get("code") == "" || len(q.Get("code")) > maxCode:
		return nil, f.Next, refused(fmt.Errorf("the provider sent the browser back with %.40q", code))
	}
	list, err := p.redeem(r.Context(), f, s.redirect(way), q.Get("code"))
	if err != nil {
		return nil, f.Next, s.failed(err)
	}
	return list, f.Next, nil
}

// failed converts an error to a problem.
func (s *SignIn) failed(err error) error {
	var p *Problem
	if errors.As(err, &p) {
		return err
	}
	return refused(err)
}

// Check asks the provider of a way for its configuration.
func (s *SignIn) Check(ctx context.Context, way string) error {
	if p := s.provider(way); p != nil {
		return p.ready(ctx)
	}
	return nil
}

// Watch calls the providers until each has answered once, and logs those that do not; every sign-in attempt tries
// them again.
func (s *SignIn) Watch(ctx context.Context) {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		silent := 0
		for _, p := range s.ways {
			if err := p.ready(ctx); err != nil && ctx.Err() == nil {
				silent++
				s.cfg.Log.WarnContext(ctx, "sign-in provider unreachable, will retry", "way", p.way().ID, "err", err, "again_after", wait.String())
			}
		}
		if silent == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// bounded limits the size of providers' responses.
type bounded struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	base := b.base
	if base == nil {
		base = http.DefaultTransport
	}
	res, err := base.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxAnswer), res.Body}
	}
	return res, err
}
