package account_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent/tool/attached"
	"maru/bot"
	"maru/bot/account"
	"maru/bot/approval"
	"maru/bot/seal"
)

// memory is a record in memory.
type memory struct {
	mu    sync.Mutex
	notes map[string]string
	other func() // what somebody else does between a read of an account and the next write, once
	rival string // a server that another replica lists right after this one read the list
	rows  []attached.Row
}

// between lets others do their part.
func (m *memory) between(key string) {
	m.mu.Lock()
	other := m.other
	if strings.Contains(key, "/account/") {
		m.other = nil
	}
	m.mu.Unlock()
	if other != nil && strings.Contains(key, "/account/") {
		other()
	}
}

func (m *memory) Note(_ context.Context, key string) (string, error) {
	defer m.between(key)
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.notes[key]
	if m.rival != "" && strings.Contains(key, "account-names") {
		m.notes[key], m.rival = strings.TrimSpace(was+" "+m.rival), ""
	}
	return was, nil
}

func (m *memory) SetNote(_ context.Context, key, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes[key] = value; value == "" {
		delete(m.notes, key)
	}
	return nil
}

func (m *memory) SwapNote(_ context.Context, key, before, value string) (bool, error) {
	m.between(key)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes[key] != before {
		return false, nil
	}
	if m.notes[key] = value; value == "" {
		delete(m.notes, key)
	}
	return true, nil
}

func (m *memory) FirstNote(_ context.Context, key, value string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes[key] == "" {
		m.notes[key] = value
	}
	return m.notes[key], nil
}

func (m *memory) ToolServers(context.Context) ([]attached.Row, error) { return m.rows, nil }

// grants issues tokens that live an hour. renew, if set, runs in the middle of each renewal.
type grants struct {
	mu      sync.Mutex
	renewed []string
	revoked []string
	begin   func()
	renew   func(ctx context.Context, access string) error
}

func (g *grants) Begin(context.Context, string, string, string, string) (string, json.RawMessage, error) {
	if g.begin != nil {
		g.begin()
	}
	return "https://as.example.com", json.RawMessage(`{}`), nil
}

func (g *grants) Finish(_ context.Context, _ json.RawMessage, answer url.Values) (account.Token, error) {
	name := answer.Get("code")
	return account.Token{Access: name, Refresh: "r-" + name, Expires: time.Now().Add(time.Hour)}, nil
}

func (g *grants) Renew(ctx context.Context, t account.Token) (account.Token, error) {
	g.mu.Lock()
	g.renewed = append(g.renewed, t.Access)
	renew := g.renew
	g.mu.Unlock()
	if renew != nil {
		if err := renew(ctx, t.Access); err != nil {
			return account.Token{}, err
		}
	}
	return account.Token{Access: t.Access + "+", Refresh: t.Refresh + "+", Expires: time.Now().Add(time.Hour)}, nil
}

func (g *grants) Revoke(_ context.Context, t account.Token) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.revoked = append(g.revoked, t.Access)
	return nil
}

type quiet struct{}

func (quiet) Language(context.Context, bot.Thread, bot.User, string) string       { return "en" }
func (quiet) Audit(context.Context, bot.Thread, bot.User, string, map[string]any) {}
func (quiet) SignIn(context.Context, bot.Action, string) (approval.SignIn, *bot.Answer, error) {
	return approval.SignIn{Thread: channel, Server: "notes"}, nil, nil
}

func (quiet) SignedIn(context.Context, bot.Thread, bot.User, string, bool) error { return nil }

var (
	channel = bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	ann     = bot.User{ID: "U1", Name: "Ann Lee"}
	bob     = bot.User{ID: "U2", Name: "Bob"}
)

type office struct {
	t      *testing.T
	record *memory
	grants *grants
	vault  *account.Vault
	desk   *account.Desk
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, record: &memory{notes: map[string]string{}}, grants: &grants{}}
	o.record.rows = []attached.Row{{Name: "notes", Version: 1, Team: "slack/T1", URL: "https://notes.example.com/mcp", Personal: true, Created: time.Unix(1_000_000, 0)}}
	o.vault = o.replica()
	n := 0
	o.desk = &account.Desk{Vault: o.vault, Questions: quiet{}, Rules: quiet{}, PublicURL: "https://maru.example.com", Log: slog.New(slog.DiscardHandler), NewID: func() string { n++; return strings.Repeat("i", n) }}
	return o
}

func (o *office) replica() *account.Vault {
	return &account.Vault{Record: o.record, Box: seal.New([][]byte{bytes.Repeat([]byte{7}, 32)}), Grants: o.grants, Log: slog.New(slog.DiscardHandler), Now: time.Now}
}

func (o *office) say(u bot.User, args string) *bot.Card {
	o.t.Helper()
	card, err := o.desk.Command(o.t.Context(), bot.Invocation{Name: "accounts", Args: args, Thread: channel, User: u}, "en")
	if err != nil {
		o.t.Fatal(err)
	}
	return card
}

func (o *office) state(u bot.User) string {
	o.t.Helper()
	link, err := url.Parse(o.say(u, "connect notes").Buttons[0].URL)
	if err != nil {
		o.t.Fatal(err)
	}
	return link.Query().Get("s")
}

// signIn gives a person a token of this name.
func (o *office) signIn(u bot.User, access string) {
	o.t.Helper()
	state := o.state(u)
	_, browser, problem, err := o.desk.Begin(o.t.Context(), state, "en")
	if err != nil || problem != nil {
		o.t.Fatalf("%+v, %v", problem, err)
	}
	page, err := o.desk.Return(o.t.Context(), url.Values{"state": {state}, "code": {access}}, browser, "en")
	if err != nil || !strings.Contains(page.Text, "signed in") {
		o.t.Fatalf("%+v, %v", page, err)
	}
}

func token(t *testing.T, v *account.Vault, u bot.User) string {
	t.Helper()
	got, err := v.Token(t.Context(), "notes", channel.Key(), channel.Person(u))
	if err != nil {
		t.Error(err)
	}
	return got
}

func (o *office) renewals() string {
	o.grants.mu.Lock()
	defer o.grants.mu.Unlock()
	return strings.Join(o.grants.renewed, ",")
}

// TestRenewalAfterADeath lets replicas find the claim of one that died: one of them renews, and no second one.
func TestRenewalAfterADeath(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.signIn(ann, "a")
		time.Sleep(2 * time.Hour)
		crash := errors.New("killed")
		o.grants.renew = func(context.Context, string) error { return crash }
		dying := o.replica()
		dying.Record = deadly{o.record}
		if _, err := dying.Token(t.Context(), "notes", channel.Key(), channel.Person(ann)); err == nil {
			t.Fatal("no error")
		}
		o.grants.renewed = nil
		o.grants.renew = func(context.Context, string) error { time.Sleep(3 * time.Second); return nil }
		var all sync.WaitGroup
		got := make([]string, 6)
		for i := range got {
			v := o.replica()
			all.Go(func() {
				time.Sleep(time.Duration(i) * 150 * time.Millisecond)
				got[i] = token(t, v, ann)
			})
		}
		all.Wait()
		if strings.Join(got, ",") != "a+,a+,a+,a+,a+,a+" || o.renewals() != "a" {
			t.Errorf("%q after renewals of %s", got, o.renewals())
		}
		time.Sleep(2 * time.Hour)
		if start := time.Now(); token(t, o.vault, ann) != "a++" || time.Since(start) > 5*time.Second {
			t.Errorf("the next renewal took %s", time.Since(start))
		}
	})
}

// TestSignInsAtOnce: replicas list two accounts of a person at once; both are listed.
func TestSignInsAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.record.rival = "wiki" // of another replica, between the reading and the writing of this one
	o.signIn(ann, "a")
	if got := o.record.notes[`slack/account-names/all/T1/U1`]; got != "wiki notes" {
		t.Errorf("listed: %q", got)
	}
}

// deadly is a record that forgets to remove claims, as one does whose process dies.
type deadly struct{ *memory }

func (d deadly) SetNote(ctx context.Context, key, value string) error {
	if value == "" {
		return nil
	}
	return d.memory.SetNote(ctx, key, value)
}

// TestRenewalOfOthers does not let one person wait for another's renewal, nor beyond the end of their own request.
func TestRenewalOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.signIn(ann, "a")
		o.signIn(bob, "b")
		time.Sleep(2 * time.Hour)
		o.grants.renew = func(_ context.Context, access string) error {
			if access == "a" {
				time.Sleep(10 * time.Second)
			}
			return nil
		}
		var all sync.WaitGroup
		all.Go(func() { token(t, o.vault, ann) })
		synctest.Wait()
		if start := time.Now(); token(t, o.vault, bob) != "b+" || time.Since(start) > time.Second {
			t.Errorf("bob waited %s", time.Since(start))
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := o.vault.Token(short, "notes", channel.Key(), channel.Person(ann)); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 2*time.Second {
			t.Errorf("a request that was over after a second: %v after %s", err, time.Since(start))
		}
		all.Wait()
	})
}

// TestSignOutDuringRenewal ends an account while its token is renewed: the new token is revoked, not kept.
func TestSignOutDuringRenewal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.signIn(ann, "a")
		time.Sleep(2 * time.Hour)
		o.grants.renew = func(context.Context, string) error { o.say(ann, "disconnect notes"); return nil }
		if got := token(t, o.vault, ann); got != "" || o.vault.Has(t.Context(), channel, ann.ID, "notes") {
			t.Errorf("%q after the end of the account", got)
		}
		if got := strings.Join(o.grants.revoked, ","); got != "a,a+" {
			t.Errorf("revoked %s", got)
		}
		o.grants.renew = nil
		o.signIn(ann, "b")
		time.Sleep(2 * time.Hour)
		o.grants.renew = func(context.Context, string) error {
			o.say(ann, "disconnect notes")
			o.signIn(ann, "c")
			return nil
		}
		if got := token(t, o.vault, ann); got != "c" || token(t, o.vault, ann) != "c" {
			t.Errorf("%q after a new sign-in", got)
		}
		if got := strings.Join(o.grants.revoked, ","); got != "a,a+,b,b+" {
			t.Errorf("revoked %s", got)
		}
	})
}

// TestSignOutBetweenReadAndWrite ends or replaces an account at the last moment: the renewed token does not bring it back.
func TestSignOutBetweenReadAndWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.signIn(ann, "a")
		time.Sleep(2 * time.Hour)
		o.grants.renew = func(context.Context, string) error {
			o.record.other = func() { o.say(ann, "disconnect notes") }
			return nil
		}
		if got := token(t, o.vault, ann); got != "" || o.vault.Has(t.Context(), channel, ann.ID, "notes") {
			t.Errorf("%q after the end of the account", got)
		}
		if got := strings.Join(o.grants.revoked, ","); got != "a,a+" {
			t.Errorf("revoked %s", got)
		}
		o.grants.renew = nil
		o.signIn(ann, "b")
		o.record.other = func() {
			o.record.other = func() { o.say(ann, "disconnect notes"); o.signIn(ann, "c") }
		}
		o.vault.Refused(t.Context(), "notes", channel.Key(), channel.Person(ann), "b")
		if got := token(t, o.vault, ann); got != "c" {
			t.Errorf("%q after a new sign-in beside a refusal", got)
		}
	})
}

// TestRefusedDuringRenewal notes that an old token was refused while it is renewed: the new one stays.
func TestRefusedDuringRenewal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.signIn(ann, "a")
		time.Sleep(2 * time.Hour)
		o.grants.renew = func(context.Context, string) error { time.Sleep(3 * time.Second); return nil }
		var all sync.WaitGroup
		all.Go(func() { token(t, o.vault, ann) })
		synctest.Wait()
		o.replica().Refused(t.Context(), "notes", channel.Key(), channel.Person(ann), "a")
		all.Wait()
		if got := token(t, o.vault, ann); got != "a+" || o.renewals() != "a" {
			t.Errorf("%q after renewals of %s", got, o.renewals())
		}
		time.Sleep(10 * time.Minute)
		o.vault.Refused(t.Context(), "notes", channel.Key(), channel.Person(ann), "a+")
		if got := token(t, o.vault, ann); got != "a++" {
			t.Errorf("%q after a refusal", got)
		}
	})
}
