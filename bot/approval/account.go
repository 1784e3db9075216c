package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"maru/agent"
	"maru/bot"
)

// everySignIn is the interval of checking a question for a sign-in: a process may crash between a sign-in and its
// decision, and people sign in elsewhere too.
const everySignIn = 20 * time.Second

// SignIn is a question that waits for a sign-in.
type SignIn struct {
	Thread bot.Thread
	Server string
}

// SignIn returns the question for a sign-in whose button was clicked. The answer explains why its person may not,
// or need not, sign in.
func (qs *Questions) SignIn(ctx context.Context, a bot.Action, lang string) (SignIn, *bot.Answer, error) {
	refuse := func(ans bot.Answer) (SignIn, *bot.Answer, error) { return SignIn{}, &ans, nil }
	row, err := qs.record.ApprovalByID(ctx, a.ID)
	if errors.Is(err, bot.ErrNotFound) {
		return refuse(Refuse(bot.CodeUnknown, lang))
	}
	if err != nil {
		return SignIn{}, nil, fmt.Errorf("read approval: %w", err)
	}
	q, err := Read(row)
	if err != nil || row.Kind != agent.KindAccount || q.Account == "" || !carries(row, a) {
		qs.refused(ctx, row, a, bot.CodeUnknown)
		return refuse(Refuse(bot.CodeUnknown, lang))
	}
	may, err := qs.MayDecide(ctx, row, a.Thread, a.User)
	switch {
	case err != nil:
		return SignIn{}, nil, err
	case !may:
		qs.refused(ctx, row, a, bot.CodeNotAllowed)
		return refuse(Notice(lang, "bot.approval.sign_in_not_yours"))
	case row.State != bot.ApprovalPending:
		return refuse(refuseRow(row, lang, qs.rules.ZoneOf(a.User)))
	}
	t, err := bot.ParseThread(row.Thread)
	return SignIn{t, q.Account}, nil, err
}

// SignedIn decides a thread's questions for a person's sign-in at a server: runs resume with the account or, with
// refused, without. Decided questions stay unchanged.
func (qs *Questions) SignedIn(ctx context.Context, t bot.Thread, u bot.User, server string, refused bool) error {
	rows, err := qs.record.PendingApprovals(ctx, t.Key(), MaxAsked)
	if err != nil {
		return fmt.Errorf("read approvals: %w", err)
	}
	verb := agent.VerbConnect
	if refused {
		verb = agent.VerbSkip
	}
	value, err := json.Marshal(agent.Reply{Action: verb})
	if err != nil {
		return err
	}
	for _, row := range rows {
		a, err := Read(row)
		if err != nil || row.Kind != agent.KindAccount || a.Account != server || len(row.Allowed) == 0 || row.Allowed[0] != u.ID {
			continue
		}
		act := bot.Action{ID: row.ID, Verb: verb, Thread: t, User: u, At: qs.now()}
		if _, _, err := qs.decide(ctx, row, act, decision{Verb: verb, Value: value}); err != nil {
			return err
		}
	}
	return nil
}

// lookAgain returns the next check of a question for a sign-in.
func (qs *Questions) lookAgain(row bot.Approval) time.Time {
	return earlier(qs.now().Add(everySignIn), row.Expires)
}

// lookForSignIn decides a question whose person has signed in meanwhile.
func (qs *Questions) lookForSignIn(ctx context.Context, row bot.Approval) {
	if !qs.mine(ctx, row, qs.lookAgain(row)) || qs.hasAccount == nil {
		return
	}
	a, err := Read(row)
	if err != nil || !qs.hasAccount(ctx, a.About.Message.Thread, a.About.Message.User.ID, a.Account) {
		return
	}
	t, err := bot.ParseThread(row.Thread)
	if err == nil {
		err = qs.SignedIn(ctx, t, a.About.Message.User, a.Account, false)
	}
	if err != nil && ctx.Err() == nil {
		qs.log.WarnContext(ctx, "resume after sign-in", "approval", row.ID, "err", err)
	}
}
