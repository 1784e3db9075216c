package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"maru/agent"
	"maru/config"
)

// waitTTL is how long a run waits for people.
const waitTTL = 7 * 24 * time.Hour

// waiting is the payload of an approval on which a run waits: all that is needed
// to go on with it, on any replica and after any restart.
type waiting struct {
	Message   Message          `json:"message"`
	Agent     string           `json:"agent"`
	Persona   string           `json:"persona,omitempty"`
	Approvals config.Approvals `json:"approvals,omitzero"`
	Lang      string           `json:"lang"`
	Interrupt agent.Interrupt  `json:"interrupt"`
}

// ask shows what a run waits for as a card with buttons. The rows are committed
// before the card is posted; the item is finished, and a click makes a new one.
func (b *Bot) ask(ctx context.Context, l Lease, it Item, c conclusion) error {
	var questions []question
	for _, i := range c.res.Interrupts {
		id, err := b.approvalOf(ctx, l, c, i)
		if err != nil {
			return err
		}
		questions = append(questions, questionOf(id, i))
	}
	card := asking(questions, c.lang)
	card.Run = c.p.reply.Run
	b.saveTrace(ctx, it, c, "waiting")
	reply := c.p.settle(ctx, card, ReplyOpen)
	if c.p.lost {
		return ErrFenced
	}
	if ctx.Err() != nil && reply.Ref.IsZero() {
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	out := Outcome{Reply: &reply}
	if c.p.reply.First {
		out.Title = title(c.m.Text)
	}
	if err := b.cfg.Record.Finish(ctx, l, it.ID, out); err != nil {
		return fmt.Errorf("finish item: %w", err)
	}
	for _, q := range questions {
		if err := b.cfg.Record.PostedApproval(ctx, q.row, reply.Ref); err != nil {
			b.log.WarnContext(ctx, "note where the approval stands", "approval", q.row, "err", err)
		}
	}
	b.cfg.Observe.Finished(c.set.Agent, "waiting", b.cfg.Now().Sub(c.m.At))
	return nil
}

// approvalOf returns the id of the row for an interrupt. A run that was asked
// again, after a crash or for the rest of its questions, has it already.
func (b *Bot) approvalOf(ctx context.Context, l Lease, c conclusion, i agent.Interrupt) (string, error) {
	pending, err := b.cfg.Record.PendingApprovals(ctx, l.Thread, 100)
	if err != nil {
		return "", fmt.Errorf("read approvals: %w", err)
	}
	for _, a := range pending {
		if a.Run == c.p.reply.Run && a.Interrupt == i.ID {
			return a.ID, nil
		}
	}
	payload, err := json.Marshal(waiting{Message: c.m, Agent: c.set.Agent, Persona: c.set.Persona, Approvals: c.set.Approvals, Lang: c.lang, Interrupt: i})
	if err != nil {
		return "", fmt.Errorf("encode approval: %w", err)
	}
	kind := i.Kind
	if kind == "" || kind == approvalFiles {
		kind = "approval"
	}
	a := Approval{
		ID: b.cfg.NewID(), Kind: kind, Thread: l.Thread, Run: c.p.reply.Run, Interrupt: i.ID,
		Digest: digest(payload), Payload: payload, Allowed: []string{c.m.User.ID},
		State: ApprovalPending, Created: b.cfg.Now(), Expires: b.cfg.Now().Add(waitTTL),
	}
	if err := b.cfg.Record.CreateApproval(ctx, l, a); err != nil {
		return "", fmt.Errorf("store approval: %w", err)
	}
	return a.ID, nil
}

// asking is the card of a run that waits: its questions, each with its own
// controls.
func asking(questions []question, lang string) Card {
	card := Card{Kind: CardChoices, Language: lang}
	var text []string
	for n, q := range questions {
		mark, body := "", q.text()
		if len(questions) == 1 {
			card.Title = kindTitle(q.kind, lang)
			if card.Steps = q.steps(lang); len(card.Steps) > 0 {
				card.Kind = CardPlan
			}
		} else {
			mark = " " + strconv.Itoa(n+1)
			body = fmt.Sprintf("**%d.** %s", n+1, body)
			if list := listSteps(q.steps(lang)); list != "" {
				body += "\n\n" + list
			}
		}
		if q.Effect != "" {
			body += "\n\n**" + effectLabel(q.Effect, lang) + "**"
		}
		text = append(text, body)
		card.Buttons = append(card.Buttons, q.buttons(lang, mark)...)
	}
	card.Text = strings.TrimSpace(strings.Join(text, "\n\n"))
	card.Footer = say(lang, "질문한 사람이 결정할 수 있어요.", "Whoever asked may decide.")
	return card
}

// kindTitle names a kind of question that every surface knows.
func kindTitle(kind, lang string) string {
	switch kind {
	case "clarification":
		return say(lang, "확인이 필요해요", "I need to know more")
	case "plan":
		return say(lang, "계획 확인", "Plan to approve")
	case "step":
		return say(lang, "단계 확인", "Step to approve")
	}
	return ""
}

// resumeRun goes on with a run after a decision, under the settings it began
// with.
func (b *Bot) resumeRun(ctx context.Context, l Lease, it Item, row Approval, d decision) error {
	var w waiting
	if err := json.Unmarshal(row.Payload, &w); err != nil {
		return b.drop(ctx, l, it, err)
	}
	if row.Interrupt != w.Interrupt.ID {
		return b.drop(ctx, l, it, errors.New("the approval is of another interrupt"))
	}
	label := kindTitle(row.Kind, w.Lang)
	if label == "" {
		label = say(w.Lang, "결정", "Decision")
	}
	return b.take(ctx, l, it, turn{
		m: w.Message, lang: w.Lang, set: config.Resolved{Agent: w.Agent, Persona: w.Persona, Language: w.Lang, Approvals: w.Approvals},
		history: []Field{{Label: label, Value: outcomeLine(row, w.Lang, w.Message.User.TimeZone)}},
		decisions: []agent.Decision{{
			Interrupt: row.Interrupt, At: row.Decided, Value: d.Value,
			By: userKey(w.Message.Thread, User{ID: row.By}),
		}},
	})
}
