package approval

import (
	"context"
	"encoding/json"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
)

// KindRequest is the kind of another program's question. Only the people it names may decide it, since the
// requester is often the one who needs the permission.
const KindRequest = "request"

// Requested returns the run for a message with a request: it asks, and ends with the decision.
func Requested(m bot.Message, decisions []agent.Decision, lang string) (agent.Result, error) {
	r := m.Request
	if len(decisions) == 0 {
		payload, err := json.Marshal(r.Ask)
		return agent.Result{Interrupts: []agent.Interrupt{{ID: KindRequest + "-" + r.ID, Kind: KindRequest, Payload: payload, Expires: r.Expires}}}, err
	}
	key := "desk.told_rejected"
	var said struct {
		Approved bool `json:"approved"`
	}
	switch d := decisions[len(decisions)-1]; {
	case d.Expired:
		key = "desk.told_expired"
	case json.Unmarshal(d.Value, &said) == nil && said.Approved:
		key = "desk.told_approved"
	}
	return agent.Result{Text: "**" + m.Title() + "**\n\n" + phrase.Say(lang, key, r.By)}, nil
}

// kindOf returns the kind of an interrupt's approval. Agents cannot make offers, nor requests of programs.
func kindOf(i agent.Interrupt, m bot.Message) string {
	if i.Kind == "" || IsOffer(i.Kind) || i.Kind == KindRequest && m.Request == nil {
		return "approval"
	}
	return i.Kind
}

// deciders returns the people besides the requester who may decide a message's question.
func deciders(kind string, m bot.Message, approvers []string) []string {
	if kind == agent.KindAccount {
		return nil
	}
	if m.Request != nil {
		return m.Request.Deciders
	}
	return approvers
}

// isNamed reports whether a request names the person.
func (r *rights) isNamed(ctx context.Context, asked bot.Thread, row bot.Approval) (bool, error) {
	for _, who := range row.Allowed[1:] {
		var ok bool
		var err error
		if who != bot.DeciderMembers {
			ok, err = r.is(ctx, asked, who)
		} else if asked.SharesTeam(r.from) && !r.user.Stranger() {
			ok, err = r.belongs(ctx, asked, "")
		}
		if err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}
