package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
)

// maxSignIns bounds how often one call waits for a sign-in: a server may refuse every token that it gives.
const maxSignIns = 3

// accountSchema is the schema of the answer to a question for a sign-in.
const accountSchema = `{"type": "object", "properties": {"action": {"enum": ["connect", "skip"]}, "text": {"type": "string", "maxLength": 8000}}, "required": ["action"], "additionalProperties": false}`

// run makes the call. If it needs the person's own account at a server, the run waits until they have signed in there, or
// goes on without the call.
func (u toolUse) run(ctx context.Context, x *workflow.Exec) (Called, error) {
	name := u.once
	for n := range maxSignIns {
		done, err := u.made(ctx, x)
		if err != nil || done.Account == "" {
			return done, err
		}
		payload, err := json.Marshal(agent.Ask{
			Question: x.Phrase("agent.account_ask", done.Account), Account: done.Account,
			Actions: []agent.Action{{Verb: agent.VerbConnect, Style: "primary"}, {Verb: agent.VerbSkip}},
		})
		if err != nil {
			return done, err
		}
		answer, err := graph.Ask(ctx, graph.Question{Key: fmt.Sprintf("%s/account/%d", name, n), Kind: agent.KindAccount, Payload: payload, Schema: json.RawMessage(accountSchema)})
		switch {
		case errors.Is(err, graph.ErrNoTask), errors.Is(err, graph.ErrNoCheckpointer): // nobody can be asked here
			return done, nil
		case err != nil:
			return done, err
		}
		var reply agent.Reply
		if answer.Expired || json.Unmarshal(answer.Value, &reply) != nil || reply.Action != agent.VerbConnect {
			return Called{
				Text: "error (account): the person did not sign in at " + done.Account + ". The call was not made. Go on without the tools of that server, and say so.",
				Err:  x.Phrase("agent.account_refused", done.Account),
			}, nil
		}
		u.once = fmt.Sprintf("%s/signed-in/%d", name, n)
	}
	return u.made(ctx, x)
}
