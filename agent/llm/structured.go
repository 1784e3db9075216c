package llm

import (
	"context"
	"fmt"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"maru/phrase/fit"
)

// maxRepairs is how often a model may correct a structured reply.
const maxRepairs = 2

// Structured asks for a reply of a shape and returns it decoded. A reply that
// does not fit is sent back with what is wrong with it, at most maxRepairs
// times; then the error's class is [Invalid]. A refusal or any other failure of
// a call is final at once. The response is the last one, its usage that of all
// calls together. Nothing is streamed: half a value is of no use.
func Structured[T any](ctx context.Context, m Model, req Request, shape *Shape) (T, Response, error) {
	req.Schema = shape.Schema()
	base := req.Messages
	var total Usage
	for try := 0; ; try++ {
		resp, err := m.Generate(ctx, req, nil)
		total.Add(resp.Usage)
		resp.Usage = total
		var out T
		if err != nil {
			return out, resp, err
		}
		wrong := shape.Decode(resp.Message.Content, &out)
		if wrong == nil {
			return out, resp, nil
		}
		if try == maxRepairs {
			var zero T
			return zero, resp, &Error{
				Class: Invalid, Model: resp.Model, Err: wrong,
				Detail: fmt.Sprintf("reply for schema %s still wrong after %d repairs", shape.Schema().Name, maxRepairs),
			}
		}
		req.Purpose, req.Repairs = ForRepair, req.Task()
		req.Messages = repair(base, resp, wrong, shape)
	}
}

// repair shows the model its last reply and what is wrong with it. Only the
// last one is shown: earlier faults would teach nothing and cost tokens.
func repair(base []Message, resp Response, wrong error, shape *Shape) []Message {
	said := fit.Clip(resp.Message.Content, 4000)
	if said == "" {
		said = "(empty)"
	}
	ask := "That reply cannot be used: " + fit.Clip(wrong.Error(), 1500) + ".\n"
	if resp.Finish == "length" {
		ask += "It was also cut off by the token limit: be much shorter.\n"
	}
	ask += "Reply again with one JSON value that matches this JSON Schema, and nothing else:\n" + string(shape.Schema().JSON)
	out := make([]Message, 0, len(base)+2)
	out = append(out, base...)
	return append(out, Message{Role: Assistant, Content: said}, Message{Role: User, Content: ask})
}

// english prints the validator's messages.
func english() *message.Printer { return message.NewPrinter(language.English) }
