package chat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/workflow/host"
	"maru/phrase/fit"
)

// addressedShape is the JSON schema of the model's verdict.
var addressedShape = llm.MustShape("addressed", `{
  "type": "object",
  "properties": {"to_bot": {"type": "boolean", "description": "the last message was said to the bot"}},
  "required": ["to_bot"],
  "additionalProperties": false
}`)

const (
	addressedPatience = 8 * time.Second // limit of the call; the message waits for it
	addressedLetters  = 400             // per message in the prompt
)

// Addressed returns a function that asks the model whether the last message of a conversation among several people
// is addressed to the bot. It makes one call; an error means that the model could not tell.
func Addressed(model llm.Model) func(ctx context.Context, before []agent.Turn, said agent.Turn) (bool, error) {
	return func(ctx context.Context, before []agent.Turn, said agent.Turn) (bool, error) {
		system, err := host.Render(prompts(), promptAddressed, nil)
		if err != nil {
			return false, err
		}
		var talk strings.Builder
		for _, t := range append(before[:len(before):len(before)], said) {
			who := t.Author
			if t.Own {
				who = "Maru (the bot)"
			} else if who == "" {
				who = "somebody"
			}
			fmt.Fprintf(&talk, "%s: %s\n", who, fit.Clip(fit.OneLine(t.Text), addressedLetters))
		}
		ctx, cancel := context.WithTimeout(ctx, addressedPatience)
		defer cancel()
		v, _, err := llm.Structured[struct {
			ToBot bool `json:"to_bot"`
		}](ctx, model, llm.Request{
			Purpose: llm.ForRoute, Account: &llm.Account{Budget: llm.Budget{Calls: 1}},
			Messages: []llm.Message{{Role: llm.System, Content: system}, {Role: llm.User, Content: talk.String()}},
		}, addressedShape)
		return v.ToBot, err
	}
}
