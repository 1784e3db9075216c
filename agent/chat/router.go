package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/memory"
	"maru/phrase/fit"
)

// The router returns a route, the kind of request, and a search query, because follow-ups cannot be searched as
// they stand and people use other words than documents. In a turn whose oldest messages leave the window, the same
// call also returns their summary. All but the route is optional: see [Agent.retrieve] and the memory node.
var (
	routeShape   = routeWith(routeQuery)
	followShape  = routeWith(routeQuery, routeFile)
	summaryShape = routeWith(routeQuery, routeFile, `"summary": {"type": "string", "description": "of the older part of the conversation"}`)
)

const routeQuery = `"query": {"type": "string", "description": "for rag: what to search for: the last message made whole with the conversation, in the words that documents use, in its language"}`

const routeFile = `"file": {"type": "string", "enum": ["whole", "part"], "description": "of a shared file: the message is about all of it, or about something that stands in it"}`

func routeWith(more ...string) *llm.Shape {
	return llm.MustShape("route", `{
  "type": "object",
  "properties": {
    "route": {"type": "string", "enum": ["rag", "agent"], "description": "rag: stored documents should answer; agent: everything else"},
    "reason": {"type": "string", "description": "a few words"},
    "wants": {"type": "string", "enum": ["answer", "action", "task"], "description": "action: one thing is to be done or computed; task: several, one after the other; answer: everything else"}`+
		strings.Join(append([]string{""}, more...), ",\n    ")+`
  },
  "required": ["route", "reason"],
  "additionalProperties": false
}`)
}

type routing struct {
	Route   string `json:"route"`
	Reason  string `json:"reason"`
	Wants   string `json:"wants"`
	Query   string `json:"query"`
	Summary string `json:"summary"`
	File    string `json:"file"`

	by string // who decided, if not retrieval or the model
}

// routerTurns is the number of recent messages that the router reads: enough for "and in the third year?".
const routerTurns = 4

// earlierWords limits each older message in the router's prompt, in characters.
const earlierWords = 200

// router decides whether documents or the agent answer: by retrieval if that is sure, see [Agent.vote], otherwise
// with one model call, which also summarises messages that leave the window. If the model does not decide,
// retrieval does: passages above the threshold mean documents.
func (a *Agent) router(ctx context.Context, s graph.State) ([]graph.Write, error) {
	if workflow.ExecOf(s).Request.Talk != nil {
		return []graph.Write{a.ch.route.Set(routeRAG), a.ch.reason.Set("messages of a channel")}, nil
	}
	choice, hits, decided, err := a.vote(ctx, s)
	if err != nil {
		return nil, err
	}
	if decided {
		tellRoute(workflow.ExecOf(s), choice, cmp.Or(choice.by, "retrieval"))
		return []graph.Write{a.ch.route.Set(choice.Route), a.ch.reason.Set(choice.Reason), a.ch.context.Set(node.Sources(hits))}, nil
	}
	old, _ := memory.Split(a.ch.messages.Get(s), a.cfg.Limits)
	choice, err = a.choose(ctx, s, old)
	if len(old) > 0 && tooMuch(err) {
		choice, err = a.choose(ctx, s, nil)
	}
	by := "model"
	if undecided(err) {
		by = "retrieval"
		workflow.ExecOf(s).Without(ctx, llm.ForRoute, err)
		choice, err = a.routeByRetrieval(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	tellRoute(workflow.ExecOf(s), choice, by)
	aside, err := a.beside(ctx, s, choice, hits)
	if err != nil {
		return nil, err
	}
	query := fit.Cut(strings.TrimSpace(choice.Query), maxQuery)
	if query == a.ch.question.Get(s) {
		query = ""
	}
	if len(workflow.ExecOf(s).Request.Files) > 0 { // files are always read
		choice.Route = routeRAG
	}
	writes := []graph.Write{a.ch.about.Set(choice.File), a.ch.route.Set(choice.Route), a.ch.reason.Set(choice.Reason), a.ch.wants.Set(choice.Wants), a.ch.query.Set(query), a.ch.aside.Set(aside)}
	if text := strings.TrimSpace(choice.Summary); text != "" && len(old) > 0 {
		writes = append(writes, a.ch.draft.Set(text))
	}
	return writes, nil
}

// tellRoute adds the route, its reason and who decided to the run's trace.
func tellRoute(x *workflow.Exec, choice routing, by string) {
	data, err := json.Marshal(map[string]string{"route": choice.Route, "reason": choice.Reason, "by": by})
	if err == nil {
		x.Emit(agent.Event{Kind: agent.EventCustom, Node: "router", Name: "router", Text: choice.Route, Data: data})
	}
}

// maxQuery limits the router's search query, in characters.
const maxQuery = 500

// undecided reports whether the model answered without a valid route.
func undecided(err error) bool {
	switch llm.ClassOf(err) {
	case llm.Invalid, llm.Refused, llm.Length, llm.Garbage: // an empty reply counts as garbage
		return true
	}
	return false
}

// tooMuch reports whether a call may have failed because of the summary, whose prompt is many times longer than
// that of a route. A slow server times out or returns 500, and one with a token rate limit returns 429. If that
// failed the message, every later message would fail as well, since the same messages would be summarised again.
// Without a key or budget the shorter call would fail, too.
func tooMuch(err error) bool {
	switch llm.ClassOf(err) {
	case "", llm.Auth, llm.Quota, llm.NotFound, llm.OverBudget:
		return false
	}
	return true
}

// choose asks the model for the route and, if messages leave the window, for their summary.
func (a *Agent) choose(ctx context.Context, s graph.State, old []memory.Message) (routing, error) {
	x := workflow.ExecOf(s)
	before, follows := memory.Numbered(a.ch.summaries.Get(s)), len(a.saidBefore(s)) > 0
	shape := routeShape
	system, err := host.Render(prompts(), promptRouter, map[string]any{
		"Files": fileNames(x.Request.Files), "Documents": a.someDocuments(ctx, x), "Summaries": before,
		"Older": len(old) > 0, "Follows": follows, "Words": summaryWords, "Before": "", // the prompt has the summaries elsewhere
	})
	if err != nil {
		return routing{}, err
	}
	req := llm.Request{Purpose: llm.ForRoute, Messages: []llm.Message{{Role: llm.System, Content: system}}}
	if follows || len(x.Request.Files) > 0 {
		shape = followShape
	}
	if len(old) > 0 {
		shape = summaryShape
		req.Messages = append(req.Messages, llm.Message{Role: llm.User, Content: llm.OlderPart + memory.Transcript(old)})
	}
	req.Messages = append(req.Messages, recentTalk(a.ch.messages.Get(s)[len(old):], routerTurns)...)
	choice, _, err := llm.Structured[routing](ctx, x.Bind(a.cfg.Model), req, shape)
	return choice, err
}

func (a *Agent) routeByRetrieval(ctx context.Context, s graph.State) (routing, error) {
	if len(workflow.ExecOf(s).Request.Files) > 0 {
		return routing{Route: routeRAG, Reason: "the model did not decide; a file was shared"}, nil
	}
	hits, err := a.retrieve(ctx, s, 0)
	if err != nil {
		return routing{}, err
	}
	if len(hits) > 0 {
		return routing{Route: routeRAG, Reason: "the model did not decide; passages fit"}, nil
	}
	return routing{Route: routeAgent, Reason: "the model did not decide; no passage fits"}, nil
}

// recentTalk returns the last n messages of people and the bot, without tool calls, preceded by the beginnings of
// people's other messages in the window: a question about what somebody said is not for the documents.
func recentTalk(messages []memory.Message, n int) []llm.Message {
	said := func(m *memory.Message) bool { return m.Role == "user" || m.Role == "assistant" && len(m.Calls) == 0 }
	last := len(messages) // where the last n begin
	for i := len(messages) - 1; i >= 0 && n > 0; i-- {
		if said(&messages[i]) {
			last, n = i, n-1
		}
	}
	var out []llm.Message
	for i := range messages {
		m := &messages[i]
		if !said(m) || i < last && m.Role != "user" {
			continue
		}
		one := modelMessage(*m)
		if i < last {
			one.Content = fit.Clip(one.Content, earlierWords)
		}
		out = append(out, one)
	}
	return out
}

// someDocuments returns titles of a few documents that the person may read, to tell the router what the documents
// are about.
func (a *Agent) someDocuments(ctx context.Context, x *workflow.Exec) string {
	const most = 30
	docs, total, err := a.cfg.Documents.Some(ctx, x.Request.Scopes, most)
	if err != nil {
		return "" // best effort: route without them
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
