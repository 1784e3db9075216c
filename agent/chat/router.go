package chat

import (
	"context"
	"fmt"
	"strings"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/memory"
)

// routeShape is what the router asks the model for.
var routeShape = llm.MustShape("route", `{
  "type": "object",
  "properties": {
    "route": {"type": "string", "enum": ["rag", "agent"], "description": "rag: stored documents should answer; agent: everything else"},
    "reason": {"type": "string", "description": "a few words"}
  },
  "required": ["route", "reason"],
  "additionalProperties": false
}`)

type routing struct {
	Route  string `json:"route"`
	Reason string `json:"reason"`
}

// routerTurns is how much of the conversation the router sees: enough to
// understand "and in the third year?".
const routerTurns = 4

// router decides with one model call whether documents or the agent answer. A
// model that cannot be brought to decide leaves it to retrieval: passages above
// the threshold mean documents.
func (a *Agent) router(ctx context.Context, s graph.State) ([]graph.Write, error) {
	x := workflow.ExecOf(ctx)
	system, err := render(promptRouter, map[string]any{
		"Files": fileNames(x.Request.Files), "Documents": a.someDocuments(ctx, x),
		"Summaries": memory.Numbered(a.ch.summaries.Get(s)),
	})
	if err != nil {
		return nil, err
	}
	req := llm.Request{
		Purpose:  llm.ForRoute,
		Messages: append([]llm.Message{{Role: llm.System, Content: system}}, recentTalk(a.ch.messages.Get(s), routerTurns)...),
	}
	choice, _, err := llm.Structured[routing](ctx, a.cfg.Model, req, routeShape)
	switch {
	case err == nil:
	case llm.ClassOf(err) == llm.Invalid, llm.ClassOf(err) == llm.Refused, llm.ClassOf(err) == llm.Length:
		choice, err = a.routeByRetrieval(ctx, s)
		if err != nil {
			return nil, err
		}
	default:
		return nil, err
	}
	return []graph.Write{a.ch.route.Set(choice.Route), a.ch.reason.Set(choice.Reason)}, nil
}

func (a *Agent) routeByRetrieval(ctx context.Context, s graph.State) (routing, error) {
	hits, err := a.retrieve(ctx, s)
	if err != nil {
		return routing{}, err
	}
	if len(hits) > 0 {
		return routing{Route: routeRAG, Reason: "the model did not decide; passages fit"}, nil
	}
	return routing{Route: routeAgent, Reason: "the model did not decide; no passage fits"}, nil
}

// recentTalk returns the last n messages in which people or the bot speak,
// without tool traffic.
func recentTalk(messages []memory.Message, n int) []llm.Message {
	var talk []memory.Message
	for _, m := range messages {
		if m.Role == "user" || (m.Role == "assistant" && len(m.Calls) == 0) {
			talk = append(talk, m)
		}
	}
	if len(talk) > n {
		talk = talk[len(talk)-n:]
	}
	return toModel(talk)
}

// someDocuments names a few documents that the person may read, so that the
// router knows what the team's documents are about.
func (a *Agent) someDocuments(ctx context.Context, x *workflow.Exec) string {
	const most = 30
	docs, total, err := a.cfg.Documents.Some(ctx, x.Request.Scopes, most)
	if err != nil {
		return "" // the router does without
	}
	names := make([]string, 0, len(docs)+1)
	for _, d := range docs {
		names = append(names, d.Title)
	}
	if total > len(docs) {
		names = append(names, fmt.Sprintf("and %d more", total-len(docs)))
	}
	return strings.Join(names, ", ")
}
