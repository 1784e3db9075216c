package bot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"maru/agent"
)

// Kinds of approvals that the bot itself asks for, and what buttons say.
const (
	approvalFiles = "files"
	verbAccept    = agent.VerbAccept
	verbReject    = agent.VerbReject
	verbClosed    = "closed" // a form was closed without being sent
)

// digest is the fingerprint of exactly what was shown.
func digest(payload []byte) string {
	sum := sha256.Sum256(payload)
	return hex.EncodeToString(sum[:])
}

// Action implements Intake: a click decides an approval, once, if the person
// may; everything else changes nothing and says why.
func (b *Bot) Action(ctx context.Context, a Action) (Answer, error) {
	if a.Verb == verbClosed {
		return Answer{}, nil
	}
	lang := b.language(ctx, a.Thread, a.User, "")
	row, err := b.cfg.Record.ApprovalByID(ctx, a.ID)
	if errors.Is(err, ErrNotFound) {
		return refuse(CodeUnknown, lang), nil
	}
	if err != nil {
		return Answer{}, fmt.Errorf("read approval: %w", err)
	}
	if code := b.mayDecide(row, a); code != "" {
		b.audit(ctx, a.Thread, a.User, "approval.refused", map[string]any{"approval": row.ID, "why": code})
		return refuseRow(row, code, lang, a.User.TimeZone), nil
	}
	d, ans, code := b.choice(row, a, lang)
	switch {
	case code != "":
		b.audit(ctx, a.Thread, a.User, "approval.refused", map[string]any{"approval": row.ID, "why": code})
		return refuse(code, lang), nil
	case ans.Form != nil || len(ans.Errors) > 0 || ans.Card != nil:
		return ans, nil
	}
	d.Name = a.User.Name
	return b.decide(ctx, row, a, d)
}

// choice reads what a click or a form decides about an approval.
func (b *Bot) choice(row Approval, a Action, lang string) (decision, Answer, Code) {
	if row.Kind == approvalFiles {
		if a.Verb != verbAccept && a.Verb != verbReject {
			return decision{}, Answer{}, CodeUnknown
		}
		return decision{Verb: a.Verb}, Answer{}, ""
	}
	var w waiting
	if digest(row.Payload) != row.Digest || json.Unmarshal(row.Payload, &w) != nil || w.Interrupt.ID != row.Interrupt {
		return decision{}, Answer{}, CodeStale
	}
	d, ans, code := questionOf(row.ID, w.Interrupt).choose(a, lang)
	if code != "" || d.Verb == "" {
		return d, ans, code
	}
	return b.fits(w.Interrupt, d, a, lang)
}

// decide makes a decision count, if it is the first.
func (b *Bot) decide(ctx context.Context, row Approval, a Action, d decision) (Answer, error) {
	lang := b.language(ctx, a.Thread, a.User, "")
	value, err := json.Marshal(d)
	if err != nil {
		return Answer{}, fmt.Errorf("encode decision: %w", err)
	}
	body, err := json.Marshal(resumption{Approval: row.ID})
	if err != nil {
		return Answer{}, fmt.Errorf("encode resumption: %w", err)
	}
	now, err := b.cfg.Record.Decide(ctx, row.ID, a.User.ID, value, &Item{
		ID: "approval/" + row.ID, Thread: row.Thread, Kind: ItemResume, Order: "", Body: body,
	})
	if errors.Is(err, ErrDecided) {
		return refuseRow(now, CodeStale, lang, a.User.TimeZone), nil
	}
	if err != nil {
		return Answer{}, fmt.Errorf("decide approval: %w", err)
	}
	b.audit(ctx, a.Thread, a.User, "approval.decided", map[string]any{
		"approval": row.ID, "kind": row.Kind, "verb": d.Verb, "run": row.Run, "digest": row.Digest,
	})
	b.queue.add(row.Thread)
	return Answer{}, nil
}

// mayDecide fails closed: only a pending approval, from an allowed person, in
// the place and on the message where it was asked for.
func (b *Bot) mayDecide(row Approval, a Action) Code {
	switch {
	case !samePlace(row.Thread, a.Thread):
		return CodeUnknown
	case !row.Ref.IsZero() && a.Message != "" && !slices.Contains(row.Ref.Messages, a.Message):
		return CodeUnknown
	case row.State != ApprovalPending:
		return CodeStale
	case !slices.Contains(row.Allowed, a.User.ID):
		return CodeNotAllowed
	}
	return ""
}

// samePlace compares platform, team and channel: the message that carries the
// button may stand in the channel while the conversation is its thread.
func samePlace(key string, t Thread) bool {
	row, err := ParseThread(key)
	return err == nil && row.Platform == t.Platform && row.Team == t.Team && row.Channel == t.Channel
}

func refuse(code Code, lang string) Answer {
	c := (&Error{Code: code}).notice(lang)
	return Answer{Card: &c}
}

// refuseRow says no, and who was quicker.
func refuseRow(row Approval, code Code, lang, zone string) Answer {
	e := &Error{Code: code}
	if said := outcomeLine(row, lang, zone); code == CodeStale && said != "" {
		e.Detail = said
	}
	c := e.notice(lang)
	return Answer{Card: &c}
}

// resumption is the body of an item that goes on with a decision.
type resumption struct {
	Approval string `json:"approval"`
}

// resume carries out what was decided and renders the card anew, without its
// buttons.
func (b *Bot) resume(ctx context.Context, l Lease, it Item) error {
	var r resumption
	if err := json.Unmarshal(it.Body, &r); err != nil {
		return b.drop(ctx, l, it, err)
	}
	row, err := b.cfg.Record.ApprovalByID(ctx, r.Approval)
	if errors.Is(err, ErrNotFound) {
		return b.drop(ctx, l, it, err)
	}
	if err != nil {
		return fmt.Errorf("read approval: %w", err)
	}
	var d decision
	if err := json.Unmarshal(row.Decision, &d); err != nil {
		return b.drop(ctx, l, it, err)
	}
	if digest(row.Payload) != row.Digest {
		return b.drop(ctx, l, it, fmt.Errorf("approval %s: what would run is not what was shown", row.ID))
	}
	if row.Kind != approvalFiles {
		return b.resumeRun(ctx, l, it, row, d)
	}
	var o offered
	if err := json.Unmarshal(row.Payload, &o); err != nil {
		return b.drop(ctx, l, it, err)
	}
	said := say(o.Lang, "추가하지 않았어요.", "Not added.")
	if d.Verb == verbAccept {
		said = b.addOffered(ctx, o)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return b.afterDecision(ctx, l, it, row, said)
}

// afterDecision writes the outcome under the reply that carried the buttons.
func (b *Bot) afterDecision(ctx context.Context, l Lease, it Item, row Approval, said string) error {
	reply, err := b.cfg.Record.Reply(ctx, row.Run)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("read reply: %w", err)
	}
	out := Outcome{Entry: &Entry{ID: it.ID, Thread: it.Thread, Own: true, Text: said, Run: row.Run, At: b.cfg.Now()}}
	var card Card
	editor, canEdit := b.adapterOf(it.Thread).(Editor)
	if err == nil && canEdit && !reply.Ref.IsZero() && json.Unmarshal(reply.Card, &card) == nil {
		card.Buttons, card.Final = nil, true
		card.Text = joinParagraphs(card.Text, said)
		if ref, err := editor.Edit(ctx, reply.Ref, card); err != nil {
			b.log.WarnContext(ctx, "show decision", "run", row.Run, "err", err)
		} else {
			reply.Ref = ref
		}
		if raw, err := json.Marshal(card); err == nil {
			reply.Card = raw
		}
		out.Reply = &reply
	}
	return b.cfg.Record.Finish(ctx, l, it.ID, out)
}

func joinParagraphs(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n\n" + b
}

func (b *Bot) adapterOf(thread string) Adapter {
	t, err := ParseThread(thread)
	if err != nil {
		return nil
	}
	return b.adapters[t.Platform]
}
