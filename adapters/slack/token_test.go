package slack_test

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/logtest"
)

// TestARefusedTokenIsMarked: a token that Slack takes no more, without an event
// that says so, is the operator's to see.
func TestARefusedTokenIsMarked(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"invalid_auth", "account_inactive", "token_revoked"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			var log logtest.Log
			d, one, _ := twins(t, false, func(c *slack.AppConfig) { c.Logger = log.Logger() })
			one.Say("U1", "C1", "<@UBOT> hello", "")
			m := d.heard("T1", 1)[0]
			d.Kill("T1", code)
			if err := d.answer(m, "into the void"); !errors.Is(err, bot.ErrForbidden) {
				t.Errorf("error %v", err)
			}
			if row := d.in.rows.get("T1"); row.State != bot.InstallBroken || row.Why != code {
				t.Errorf("row is %s (%s)", row.State, row.Why)
			}
			if err := d.app.Ready(d.ctx); !errors.Is(err, bot.ErrLimited) || !strings.Contains(err.Error(), "1 of 2") {
				t.Errorf("ready: %v", err)
			}
			if said := log.String(); strings.Count(said, "must be reinstalled there") != 1 || strings.Contains(said, "SLACK_BOT_TOKEN") {
				t.Errorf("the operator is told: %s", said) // that variable is of no workspace
			}
			d.install("T1")
			if err := d.answer(m, "well again"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTokensRotateInMidConversation: tokens that run out are renewed once,
// however many replicas and calls need it, and what was sealed stays sealed.
func TestTokensRotateInMidConversation(t *testing.T) {
	t.Parallel()
	fake := slackfake.StartApp(t, slackfake.AppOptions{TokenLife: 12 * time.Hour})
	one := fake.Add(slackfake.Options{Team: "T1"})
	fake.Add(slackfake.Options{Team: "T2"})
	r := newRows()
	d := distribute(t, fake, r, false)
	d.install("T1")
	second := distribute(t, fake, r, false)
	one.Say("U1", "C1", "<@UBOT> hello", "")
	d.await("a message", func() bool { return len(d.in.unique())+len(second.in.unique()) > 0 })
	var m bot.Message
	for _, x := range d.in.unique() {
		m = x
	}
	for _, x := range second.in.unique() {
		m = x
	}
	if err := errors.Join(d.answer(m, "first"), second.answer(m, "first")); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		before := r.get("T1")
		fake.Kill("T1", "token_expired")
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				who := []*distributed{d, second}[i%2]
				if err := who.app.React(who.ctx, bot.Target{Thread: m.Thread}, m.ID, bot.MarkSeen, true); err != nil {
					t.Errorf("a call while the token was renewed: %v", err)
				}
			})
		}
		wg.Wait()
		after := r.get("T1")
		if after.Version != before.Version+1 || !after.Expires.After(time.Now().Add(11*time.Hour)) || bytes.Equal(after.Secret, before.Secret) {
			t.Errorf("row %+v after %+v", after, before)
		}
	}
	// A replica that slept over a renewal finds a token that is refused as well.
	for _, who := range []*distributed{d, second} {
		fake.Kill("T1", "token_expired")
		if err := who.app.React(who.ctx, bot.Target{Thread: m.Thread}, m.ID, bot.MarkSeen, true); err != nil {
			t.Errorf("a call of one that is behind: %v", err)
		}
	}
	_, refreshes := fake.Traded()
	if len(refreshes) != 5 || strings.Join(refreshes, "") != "okokokokok" {
		t.Errorf("refreshes %q", refreshes)
	}
	if row := r.get("T1"); bytes.Contains(row.Secret, []byte("xox")) || row.State != bot.InstallActive {
		t.Errorf("row %q %s", row.Secret, row.State)
	}
}

// TestARefreshTokenThatIsRefused: with the access token dead as well the
// workspace must install the app again.
func TestARefreshTokenThatIsRefused(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	at := time.Now()
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return at }
	fake := slackfake.StartApp(t, slackfake.AppOptions{TokenLife: time.Hour, Now: clock})
	one := fake.Add(slackfake.Options{Team: "T1"})
	d := distribute(t, fake, newRows(), false, func(c *slack.AppConfig) { c.Now = clock })
	d.install("T1")
	one.Say("U1", "C1", "<@UBOT> hello", "")
	m := d.heard("T1", 1)[0]
	fake.Fail(slackfake.Fault{Method: "oauth.v2.access", Code: "internal_error", Times: 1})
	mu.Lock()
	at = at.Add(2 * time.Hour)
	mu.Unlock()
	if err := d.answer(m, "while Slack is troubled"); err == nil {
		if row := d.in.rows.get("T1"); row.State != bot.InstallActive {
			t.Errorf("a passing fault broke the installation: %+v", row)
		}
	}
	fake.Kill("T1", "account_inactive")
	mu.Lock()
	at = at.Add(2 * time.Hour)
	mu.Unlock()
	if err := d.answer(m, "after the end"); !errors.Is(err, bot.ErrForbidden) {
		t.Errorf("error %v", err)
	}
	d.await("the mark", func() bool { return d.in.rows.get("T1").State == bot.InstallBroken })
}

// TestSealedTokens: what is stored opens with its key, in its row, and no other.
func TestSealedTokens(t *testing.T) {
	t.Parallel()
	d, one, _ := twins(t, false)
	if a, b := d.in.rows.get("T1").Secret, d.in.rows.get("T2").Secret; bytes.Contains(a, []byte("xoxb")) || bytes.Equal(a, b) {
		t.Fatalf("secrets %q, %q", a, b)
	}
	one.Say("U1", "C1", "<@UBOT> hello", "")
	m := d.heard("T1", 1)[0]
	newer := []byte("ffffffffffffffffffffffffffffffff")
	cases := map[string]struct {
		keys   [][]byte
		change func(*rows)
		works  bool
	}{
		"the_same_key":             {[][]byte{sealKey}, nil, true},
		"a_newer_key_in_front":     {[][]byte{newer, sealKey}, nil, true},
		"another_key":              {[][]byte{newer}, nil, false},
		"the_row_of_another_team":  {[][]byte{sealKey}, func(r *rows) { r.change("T1", func(in *bot.Installation) { in.Secret = r.list["T2"].Secret }) }, false},
		"a_bit_turned":             {[][]byte{sealKey}, func(r *rows) { r.change("T1", func(in *bot.Installation) { in.Secret[20] ^= 1 }) }, false},
		"cut_off":                  {[][]byte{sealKey}, func(r *rows) { r.change("T1", func(in *bot.Installation) { in.Secret = in.Secret[:9] }) }, false},
		"the_id_of_the_key_turned": {[][]byte{sealKey}, func(r *rows) { r.change("T1", func(in *bot.Installation) { in.Secret[3] ^= 1 }) }, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRows()
			for _, team := range []string{"T1", "T2"} {
				in := d.in.rows.get(team)
				in.Secret = bytes.Clone(in.Secret)
				r.list[team] = in
			}
			if c.change != nil {
				c.change(r)
			}
			var log logtest.Log
			app, err := slack.NewApp(slack.AppConfig{
				Config:   slack.Config{SigningSecret: "s", APIURL: d.URL(), Wait: shortly, Logger: log.Logger(), Installations: r},
				ClientID: "c", ClientSecret: "s", Keys: c.keys,
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = app.Post(d.ctx, bot.Target{Thread: m.Thread}, bot.Card{Kind: bot.CardText, Text: name, Final: true}, name)
			if works := err == nil; works != c.works {
				t.Fatalf("error %v; log: %s", err, log.String())
			}
			if !c.works && !strings.Contains(log.String(), "cannot be used") {
				t.Errorf("the operator is not told: %s", log.String())
			}
			if resealed := !bytes.Equal(r.list["T1"].Secret[1:9], d.in.rows.get("T1").Secret[1:9]); c.works && resealed != (len(c.keys) > 1) {
				t.Errorf("sealed anew: %v", resealed)
			}
		})
	}
}
