package slack_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// aging is an app whose tokens live for twelve hours by a clock that the test
// moves, with one message that can be answered.
type aging struct {
	*distributed
	one *slackfake.Server
	m   bot.Message

	mu sync.Mutex
	at time.Time
}

func (a *aging) now() time.Time { a.mu.Lock(); defer a.mu.Unlock(); return a.at }
func (a *aging) later(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = a.at.Add(d)
}

// passing lets the clock go on with each look for cond, which a busy machine may take
// many of: by half an hour at most.
func (a *aging) passing(cond func() bool) func() bool {
	left := 30 * time.Minute
	return func() bool {
		if left > 0 {
			left -= time.Second
			a.later(time.Second)
		}
		return cond()
	}
}

func newAging(t *testing.T, change ...func(*slack.AppConfig)) *aging {
	t.Helper()
	a := &aging{at: time.Now()}
	fake := slackfake.StartApp(t, slackfake.AppOptions{TokenLife: 12 * time.Hour, Now: a.now})
	a.one = fake.Add(slackfake.Options{Team: "T1"})
	a.distributed = distribute(t, fake, newRows(), true, append(change, func(c *slack.AppConfig) { c.Now = a.now })...)
	a.install("T1")
	a.one.Say("U1", "C1", "<@UBOT> hello", "")
	a.m = a.heard("T1", 1)[0]
	return a
}

func (a *aging) refreshes() string {
	_, refreshes := a.Traded()
	return strings.Join(refreshes, " ")
}

// TestAnswersThatWereLostToARenewal: Slack takes a refresh token once, so one
// whose answer never came, or died with the program that got it, is lost. The
// operator learns it while the old token still works, and installing the app
// again mends it.
func TestAnswersThatWereLostToARenewal(t *testing.T) {
	t.Parallel()
	a := newAging(t)
	a.Fail(slackfake.Fault{Method: "oauth.v2.access", Drop: true, Done: true, Times: 1})
	a.later(11*time.Hour + time.Minute) // within an hour of the end
	a.await("the mark", a.passing(func() bool { return a.in.rows.get("T1").State == bot.InstallBroken }))
	if row := a.in.rows.get("T1"); row.Why != "invalid_refresh_token" || !row.Expires.After(a.now()) {
		t.Errorf("row %s, %s, works until %s", row.State, row.Why, row.Expires)
	}
	if err := a.answer(a.m, "still here"); err != nil {
		t.Errorf("while the old token works: %v", err)
	}
	if err := a.app.Ready(a.ctx); !errors.Is(err, bot.ErrLimited) {
		t.Errorf("ready: %v", err)
	}
	if got := a.refreshes(); got != "ok invalid_refresh_token" {
		t.Errorf("refreshes: %s", got)
	}
	a.install("T1")
	a.later(11*time.Hour + time.Minute)
	a.await("a renewal", func() bool { return strings.HasSuffix(a.refreshes(), " ok") })
	a.await("all well", func() bool { return a.app.Ready(a.ctx) == nil })
}

// TestRenewalsThatAreRefused: what the operator has to mend, such as a wrong
// client secret, is told as long as it lasts, and does not end the installation.
func TestRenewalsThatAreRefused(t *testing.T) {
	t.Parallel()
	a := newAging(t)
	a.Fail(slackfake.Fault{Method: "oauth.v2.access", Code: "bad_client_secret"})
	a.later(11*time.Hour + time.Minute)
	a.await("a refusal", func() bool { return a.refreshes() != "" })
	a.await("the operator's word", func() bool {
		err := a.app.Ready(a.ctx)
		return errors.Is(err, bot.ErrLimited) && strings.Contains(err.Error(), "bad_client_secret")
	})
	if _, err := a.app.Check(a.ctx); !errors.Is(err, bot.ErrLimited) || !strings.Contains(err.Error(), "not renewed: bad_client_secret") {
		t.Errorf("check: %v", err)
	}
	if row := a.in.rows.get("T1"); row.State != bot.InstallActive {
		t.Errorf("row %s, %s", row.State, row.Why)
	}
	a.Heal()
	a.await("all well", a.passing(func() bool { return a.app.Ready(a.ctx) == nil }))
	if _, err := a.app.Check(a.ctx); err != nil {
		t.Errorf("check: %v", err)
	}
}

// TestRenewedTokensAreStoredInTheEnd: the record is away for longer than the lease
// of a renewal, and another replica finds the refresh token spent. The one that
// has the new tokens keeps them and stores them over the other's mark.
func TestRenewedTokensAreStoredInTheEnd(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	impatient := true
	a := newAging(t, func(c *slack.AppConfig) {
		c.Wait = func(ctx context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			if d < time.Second && impatient { // the end of the lease
				return context.DeadlineExceeded
			}
			return shortly(ctx, d)
		}
	})
	rows := a.in.rows
	rows.fail(nil, errors.New("the record cannot be written"))
	a.later(11*time.Hour + time.Minute)
	a.await("a renewal", func() bool { return a.refreshes() == "ok" })
	before := rows.get("T1")
	rows.change("T1", func(in *bot.Installation) { in.State, in.Why = bot.InstallBroken, "invalid_refresh_token" })
	if err := a.answer(a.m, "with the new token"); err != nil {
		t.Errorf("an answer with tokens that are not stored: %v", err)
	}
	mu.Lock()
	impatient = false
	mu.Unlock()
	rows.fail(nil, nil)
	a.await("the tokens", func() bool {
		in := rows.get("T1")
		return in.State == bot.InstallActive && in.Expires.After(before.Expires)
	})
	if row := rows.get("T1"); row.Why != "" || string(row.Secret) == string(before.Secret) {
		t.Errorf("row %+v", row)
	}
	second := distribute(t, a.App, rows, true, func(c *slack.AppConfig) { c.Now = a.now })
	if err := second.answer(a.m, "from another process"); err != nil {
		t.Errorf("another process: %v", err)
	}
	if got := a.refreshes(); got != "ok" {
		t.Errorf("refreshes: %s", got)
	}
}
