package slack_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// rows keeps installations in memory as a record does. Several apps that share
// one are replicas.
type rows struct {
	mu    sync.Mutex
	list  map[string]bot.Installation
	left  []bot.Departure
	owned map[string]string
	down  error // what every call returns while the record is away
	deaf  error // what writing returns while only that is impossible
}

func newRows() *rows {
	return &rows{list: map[string]bot.Installation{}, owned: map[string]string{}}
}

func (r *rows) SaveInstallation(_ context.Context, in bot.Installation) (bot.Installation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := errors.Join(r.down, r.deaf); err != nil {
		return bot.Installation{}, err
	}
	if have := r.list[in.Team]; have.Version != in.Version {
		return have, bot.ErrStale
	}
	in.Version++
	if in.Installed.IsZero() {
		in.Installed = time.Now()
	}
	r.list[in.Team] = in
	return in, nil
}

func (r *rows) Installation(_ context.Context, _, team string) (bot.Installation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down != nil {
		return bot.Installation{}, r.down
	}
	in, ok := r.list[team]
	if !ok {
		return bot.Installation{}, bot.ErrNotFound
	}
	return in, nil
}

func (r *rows) Installations(context.Context, string) ([]bot.Installation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down != nil {
		return nil, r.down
	}
	return slices.Collect(maps.Values(r.list)), nil
}

func (r *rows) Vacate(context.Context, string, string, string) (int, error) { return 0, nil }
func (r *rows) Purge(context.Context, string, string) error                 { return nil }
func (r *rows) TeamThreads(context.Context, string, string, int) ([]string, error) {
	return nil, nil
}

func (r *rows) Own(_ context.Context, name, owner string, _ time.Duration) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down != nil {
		return false, r.down
	}
	if have := r.owned[name]; have != "" && have != owner {
		return false, nil
	}
	r.owned[name] = owner
	return true, nil
}

func (r *rows) Disown(_ context.Context, name, owner string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.owned[name] == owner {
		delete(r.owned, name)
	}
	return nil
}

// fail makes the record be away or take nothing, or with nil, be there again.
func (r *rows) fail(down, deaf error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down, r.deaf = down, deaf
}

func (r *rows) get(team string) bot.Installation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list[team]
}

func (r *rows) change(team string, f func(*bot.Installation)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	in := r.list[team]
	f(&in)
	in.Version++
	r.list[team] = in
}

// host is an intake that keeps installations.
type host struct {
	*intake
	rows *rows
}

func (h *host) Join(ctx context.Context, in bot.Installation) (bot.Installation, error) {
	in.State, in.Why, in.Version, in.Installed = bot.InstallActive, "", h.rows.get(in.Team).Version, time.Now()
	in.Updated = in.Installed
	return h.rows.SaveInstallation(ctx, in)
}

func (h *host) Welcome(string) bot.Card { return bot.Card{} }

func (h *host) Leave(_ context.Context, d bot.Departure) error {
	h.rows.mu.Lock()
	h.rows.left = append(h.rows.left, d)
	h.rows.mu.Unlock()
	h.rows.change(d.Team, func(in *bot.Installation) {
		in.Platform, in.Team, in.Enterprise = d.Platform, d.Team, cmp.Or(d.Enterprise, in.Enterprise)
		in.State, in.Why, in.Secret, in.Updated = bot.InstallRemoved, d.Why, nil, time.Now()
	})
	return nil
}

var sealKey = []byte("0123456789abcdef0123456789abcdef")

// distributed is an app that runs against a fake, with its pages.
type distributed struct {
	*slackfake.App
	app  *slack.App
	in   *host
	site *httptest.Server
	t    *testing.T
	ctx  context.Context
}

// distribute runs an app over Socket Mode, or with http over signed HTTP.
func distribute(t *testing.T, fake *slackfake.App, r *rows, overHTTP bool, change ...func(*slack.AppConfig)) *distributed {
	t.Helper()
	d := &distributed{App: fake, in: &host{intake: &intake{}, rows: r}, t: t}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	d.ctx = ctx
	c := slack.AppConfig{
		Config: slack.Config{
			SigningSecret: fake.SigningSecret(), APIURL: fake.URL(), Wait: shortly,
			EditEvery: time.Millisecond, PostEvery: time.Millisecond, AskWithin: patience, Installations: r,
		},
		ClientID: fake.ClientID(), ClientSecret: fake.ClientSecret(), Keys: [][]byte{sealKey}, Owners: r,
	}
	if !overHTTP {
		c.AppToken = fake.AppToken()
	}
	for _, f := range change {
		f(&c)
	}
	app, err := slack.NewApp(c)
	if err != nil {
		t.Fatal(err)
	}
	d.app = app
	mux := http.NewServeMux()
	app.Mount(mux, d.in)
	d.site = httptest.NewServer(mux)
	if overHTTP {
		fake.Deliver(d.site.URL)
	}
	ended := make(chan error, 1)
	run, stop := context.WithCancel(ctx)
	go func() { ended <- app.Run(run, d.in) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the app ended with %v", err)
		}
		d.site.Close()
		cancel()
	})
	return d
}

// browser returns a person's, with cookies; it does not follow Slack's own pages.
func (d *distributed) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// get opens an address and returns status, page and where it leads.
func (d *distributed) get(c *http.Client, address string) (status int, page, to string) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		d.t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	if strings.Contains(string(raw), "%!") { // a sentence that was given what it has no place for
		d.t.Errorf("a page shows %s", raw)
	}
	return resp.StatusCode, string(raw), resp.Header.Get("Location")
}

// begin opens the install page and returns Slack's page, to which it leads.
func (d *distributed) begin(c *http.Client) string {
	d.t.Helper()
	status, _, page := d.get(c, d.site.URL+"/slack/oauth/install")
	if status != http.StatusFound {
		d.t.Fatalf("the install page answered %d", status)
	}
	return page
}

// allow lets a person allow the app and returns where Slack sends them.
func (d *distributed) allow(team, page string) string {
	d.t.Helper()
	back, err := d.Allow(team, "U1", page)
	if err != nil {
		d.t.Fatal(err)
	}
	return back
}

// install installs the app in a workspace, as a person with a browser does.
func (d *distributed) install(team string) {
	d.t.Helper()
	c := d.browser()
	status, page, _ := d.get(c, d.allow(team, d.begin(c)))
	if status != http.StatusOK || !strings.Contains(page, "설치했어요") || !strings.Contains(page, "is installed in") {
		d.t.Fatalf("installation in %s: %d %s", team, status, page)
	}
}

// await waits until cond holds, which the fake's changes may bring about.
func (d *distributed) await(what string, cond func() bool) {
	d.t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-d.ctx.Done():
			d.t.Fatalf("waited in vain: %s", what)
		}
	}
}

// heard waits until n different messages of a workspace have come in.
func (d *distributed) heard(team string, n int) []bot.Message {
	d.t.Helper()
	var out []bot.Message
	d.await("messages of "+team, func() bool {
		out = nil
		for _, m := range d.in.unique() {
			if m.Thread.Team == team {
				out = append(out, m)
			}
		}
		return len(out) >= n
	})
	slices.SortFunc(out, func(a, b bot.Message) int { return strings.Compare(a.Order, b.Order) })
	return out
}

// answer posts a final card where a message was written.
func (d *distributed) answer(m bot.Message, text string) error {
	_, err := d.app.Post(d.ctx, bot.Target{Thread: m.Thread, User: m.User}, bot.Card{Kind: bot.CardText, Text: text, Final: true}, "k-"+m.Key())
	return err
}

// stateOf reads the sealed state out of Slack's page.
func stateOf(t *testing.T, page string) string {
	t.Helper()
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("state")
}
