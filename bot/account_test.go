package bot_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/tool/attached"
	"maru/bot"
	"maru/bot/account"
	"maru/bot/seal"
	"maru/bot/service"
)

// wantsAccount needs an account at notes, and answers with what came of it.
func wantsAccount(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
	if len(req.Decisions) == 0 {
		payload, _ := json.Marshal(agent.Ask{Question: "Sign in?", Account: "notes", Actions: []agent.Action{{Verb: agent.VerbConnect, Style: "primary"}, {Verb: agent.VerbSkip}}})
		return agent.Result{Interrupts: []agent.Interrupt{{ID: "i1", Kind: agent.KindAccount, Payload: payload}}}, nil
	}
	return agent.Result{Text: "decided: " + string(req.Decisions[0].Value)}, nil
}

// personal adds a server with accounts to the record, and returns the vault of its tokens.
func personal(w *world, grants account.Grants) *account.Vault {
	w.t.Helper()
	ctx, t := w.ctx, bot.Thread{Platform: "fake", Team: "T1"}
	if _, err := w.store.PutToolServer(ctx, attached.Row{Name: "notes", Team: t.TeamKey(), URL: "https://notes.example.com/mcp", Personal: true, Created: time.Unix(1_800_000_000, 0)}); err != nil && !strings.Contains(err.Error(), attached.ErrChanged.Error()) {
		w.t.Fatal(err)
	}
	return &account.Vault{Record: w.store, Box: seal.New([][]byte{make([]byte, 32)}), Grants: grants, Log: slog.New(slog.DiscardHandler), Now: time.Now}
}

// TestSignInIsTheirs asks for a sign-in: neither somebody else, nor words, nor a decision without a sign-in answers it. After the
// sign-in the run goes on once.
func TestSignInIsTheirs(t *testing.T) {
	t.Parallel()
	var told atomic.Int32
	w := newWorld(t, func(ctx context.Context, r agent.Request, s agent.Sink) (agent.Result, error) {
		told.Add(int32(len(r.Decisions)))
		return wantsAccount(ctx, r, s)
	})
	w.stop()
	w.change = func(c *service.Config) { c.Accounts, c.Issuer = personal(w, nil), "https://maru.example.com" }
	w.start()
	w.set("approvers", []string{"U2", "@admins"})
	m := w.say("what is in my notes", w.platform.Thread("C1", "t1"))
	card := waitingCard(w, m)
	id := card.Buttons[0].ID
	click := func(user, verb string) string {
		return w.act(bot.Action{ID: id, Verb: verb, Thread: m.Thread, User: bot.User{ID: user, Admin: true}, At: time.Now()})
	}
	if got := click("U2", agent.VerbConnect); !strings.Contains(got, "Only the person who asked") {
		t.Errorf("an approver: %q", got)
	}
	if got := click("U1", agent.VerbConnect); !strings.Contains(got, "only for you") {
		t.Errorf("the asker: %q", got)
	}
	if _, err := w.bot.Rule(w.ctx, bot.Ruling{Run: card.Run, Action: agent.VerbConnect, Thread: m.Thread, User: bot.User{ID: "U1"}}); err == nil {
		t.Error("a decision without a sign-in counts")
	}
	for _, words := range []string{"yes", "Sign in", "네"} {
		if _, err := w.platform.Say(w.ctx, "U1", words, m.Thread); err != nil {
			t.Fatal(err)
		}
	}
	w.settled()
	if w.state(id) != bot.ApprovalPending || told.Load() != 0 {
		t.Fatalf("%s after words, %d decisions", w.state(id), told.Load())
	}
	desk := w.bot.Accounts()
	for range 3 {
		if err := desk.Questions.SignedIn(w.ctx, m.Thread, bot.User{ID: "U1"}, "notes", false); err != nil {
			t.Fatal(err)
		}
	}
	w.until("the run goes on", func() bool { return told.Load() > 0 })
	w.settled()
	if w.state(id) != bot.ApprovalDecided || told.Load() != 1 {
		t.Errorf("%s, %d decisions", w.state(id), told.Load())
	}
}

// TestSignInElsewhereResumes dies between a sign-in and the decision of the question: the run goes on by itself.
func TestSignInElsewhereResumes(t *testing.T) {
	t.Parallel()
	var told atomic.Int32
	var late atomic.Int64
	w := newWorld(t, func(ctx context.Context, r agent.Request, s agent.Sink) (agent.Result, error) {
		told.Add(int32(len(r.Decisions)))
		return wantsAccount(ctx, r, s)
	})
	w.stop()
	w.now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	w.change = func(c *service.Config) { c.Accounts, c.Issuer = personal(w, granting{}), "https://maru.example.com" }
	w.start()
	m := w.say("what is in my notes", w.platform.Thread("C1", "t1"))
	card := waitingCard(w, m)
	ans, err := w.bot.Action(w.ctx, bot.Action{ID: card.Buttons[0].ID, Verb: agent.VerbConnect, Thread: m.Thread, User: bot.User{ID: "U1"}, At: time.Now()})
	if err != nil || ans.Card == nil || len(ans.Card.Buttons) == 0 {
		t.Fatalf("%+v, %v", ans, err)
	}
	desk := *w.bot.Accounts()
	desk.Questions = killing{desk.Questions}
	link, _ := url.Parse(ans.Card.Buttons[0].URL)
	state := link.Query().Get("s")
	_, browser, _, err := desk.Begin(w.ctx, state, "en")
	if err == nil {
		_, err = desk.Return(w.ctx, url.Values{"state": {state}, "code": {"c"}}, browser, "en")
	}
	if err != nil || told.Load() != 0 {
		t.Fatalf("%v, %d decisions", err, told.Load())
	}
	w.stop()
	w.start()
	late.Store(int64(time.Minute))
	w.until("the run goes on", func() bool { return told.Load() > 0 })
	w.settled()
	if told.Load() != 1 {
		t.Errorf("%d decisions", told.Load())
	}
}

// granting gives a token for every code.
type granting struct{ account.Grants }

func (granting) Begin(context.Context, string, string, string, string) (string, json.RawMessage, error) {
	return "https://auth.example.com", json.RawMessage(`{}`), nil
}

func (granting) Finish(context.Context, json.RawMessage, url.Values) (account.Token, error) {
	return account.Token{Access: "token"}, nil
}

// killing decides nothing, as a process that is killed.
type killing struct{ account.Questions }

func (killing) SignedIn(context.Context, bot.Thread, bot.User, string, bool) error {
	return errors.New("killed")
}
