package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"maru/adapters/lanes/conn"
	"maru/adapters/slack/gateway"
	"maru/adapters/slack/web"
	"maru/bot"
)

// defaultAPI is the base URL of Slack's Web API.
const defaultAPI = "https://slack.com/api/"

// Config configures the adapter. BotToken is required, and one of AppToken (Socket Mode) and
// SigningSecret (HTTP endpoints).
type Config struct {
	BotToken      string       // xoxb-…
	AppToken      string       // xapp-…; selects Socket Mode
	SigningSecret string       // verifies HTTP deliveries
	APIURL        string       // base of the Web API, default https://slack.com/api/
	Command       string       // the slash command, default "/maru"
	Logger        *slog.Logger // default: nothing is logged

	// Apps reports whether mentions by an app or workflow are answered, by its bot or app ID; nil: none are.
	Apps func(id string) bool

	// HTTPClient sends the outgoing requests; default one with a timeout of 30 s.
	HTTPClient *http.Client
	// Now is the clock, default time.Now.
	Now func() time.Time
	// Wait sleeps for a duration or until ctx ends; default a timer.
	Wait func(ctx context.Context, d time.Duration) error
	// Limiter shares a workspace's rate limits among replicas; nil: single process.
	Limiter bot.Limiter
	// Installations stores the installations. App requires it. Without it, an organisation's
	// token is not checked for the workspaces that it covers.
	Installations bot.Installations
	// EditEvery is the minimum interval between two edits of a reply, default 1.25 s:
	// chat.update is a tier 3 method, about 50 calls a minute.
	EditEvery time.Duration
	// PostEvery is the minimum interval between two messages in a channel, default 1.05 s:
	// Slack accepts one a second.
	PostEvery time.Duration
	// StreamLife is the maximum age of a native stream before the answer continues in a new
	// one, default 4 min: Slack ends streams after about five.
	StreamLife time.Duration
	// PingInterval is the silence after which a Socket Mode connection counts as dead,
	// default 30 s.
	PingInterval time.Duration
	// AskWithin bounds the look-ups (such as the clicker's profile) on the path of a click or
	// command, default 1.5 s: Slack allows three seconds in all. Names in a form get two
	// thirds of it, a message's author a quarter.
	AskWithin time.Duration

	scopes string // of the manifest, comma-separated; see withDefaults
}

// Validate reports all faults of c at once.
func (c Config) Validate() error {
	var errs []error
	if c.BotToken == "" {
		errs = append(errs, errors.New("bot token is empty: set SLACK_BOT_TOKEN to the xoxb-… token of “OAuth & Permissions”"))
	}
	if c.BotToken != "" && strings.HasPrefix(c.BotToken, "xapp-") {
		errs = append(errs, errors.New("bot token begins with xapp-: that is the app-level token; SLACK_BOT_TOKEN wants the xoxb-… token"))
	}
	if strings.HasPrefix(c.AppToken, "xoxb-") {
		errs = append(errs, errors.New("app token begins with xoxb-: that is the bot token; SLACK_APP_TOKEN wants the xapp-… token"))
	}
	if c.AppToken == "" && c.SigningSecret == "" {
		errs = append(errs, errors.New("no transport: set SLACK_APP_TOKEN for Socket Mode or SLACK_SIGNING_SECRET for the HTTP endpoints"))
	}
	if _, err := apiBase(c.APIURL); err != nil {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("slack: %w", err)
	}
	return nil
}

// apiBase returns the Web API's base URL with a trailing slash.
func apiBase(raw string) (*url.URL, error) {
	raw = cmp.Or(raw, defaultAPI)
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return nil, errors.New("API URL is not an http(s) address: set SLACK_API_URL to something like https://slack.com/api/")
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return u, nil
}

// web derives the configuration of a workspace's client.
func (c Config) web(d *gateway.Door) web.Config {
	w := web.Config{
		Base: c.base(), HTTPClient: c.HTTPClient, Log: c.Logger, Now: c.Now, Wait: c.Wait, Limiter: c.Limiter, Scopes: c.scopes,
		EditEvery: c.EditEvery, PostEvery: c.PostEvery, StreamLife: c.StreamLife, AskWithin: c.AskWithin,
	}
	if !d.SocketMode() {
		w.LearnApp = d.LearnApp
	}
	return w
}

// gateway derives the configuration of package gateway.
func (c Config) gateway() gateway.Config {
	return gateway.Config{
		AppToken: c.AppToken, SigningSecret: c.SigningSecret, Base: c.base(), HTTPClient: c.HTTPClient,
		Log: c.Logger, Now: c.Now, Wait: c.Wait, PingInterval: c.PingInterval,
	}
}

// base returns the Web API's base URL of a valid Config.
func (c Config) base() *url.URL {
	u, err := apiBase(c.APIURL)
	if err != nil { // refused by Validate
		u, _ = apiBase("")
	}
	return u
}

// withDefaults fills empty fields.
func (c Config) withDefaults() Config {
	c.Command = cmp.Or(c.Command, "/maru")
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.HTTPClient == nil {
		c.HTTPClient = &http.Client{Timeout: web.CallTimeout, CheckRedirect: noRedirect, Transport: conn.Transport()}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = conn.Sleep
	}
	c.EditEvery = cmp.Or(max(c.EditEvery, 0), 1250*time.Millisecond)
	c.PostEvery = cmp.Or(max(c.PostEvery, 0), 1050*time.Millisecond)
	c.StreamLife = cmp.Or(max(c.StreamLife, 0), 4*time.Minute)
	c.PingInterval = cmp.Or(max(c.PingInterval, 0), 30*time.Second)
	c.AskWithin = cmp.Or(max(c.AskWithin, 0), 1500*time.Millisecond)
	if scopes, err := manifestScopes(); err != nil {
		c.Logger.Error("slack manifest", "err", err.Error())
	} else {
		c.scopes = scopes
	}
	return c
}

// noRedirect refuses redirects: the Web API makes none, and every call carries the token.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
