package chat

import (
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

// The router asks for a route, for what the message wants, and for what to search for: a
// follow-up cannot be searched for as it stands, and people ask in other words than documents
// answer. In a turn in which the oldest messages leave the window, for their summary too,
// in one call instead of two. A model that leaves these out is no worse off: see
// [Agent.retrieve] and the memory node.
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
}

// routerTurns is how much of the conversation the router sees: enough to
// understand "and in the third year?".
const routerTurns = 4

// earlierWords bounds the letters of each message before them that the router sees.
const earlierWords = 200

// router decides whether documents or the agent answer: retrieval where it is sure, see
// [Agent.vote], else one model call, which summarises what leaves the window as well. A
// model that cannot be brought to decide leaves it to retrieval: passages above the
// threshold mean documents.
func (a *Agent) router(ctx context.Context, s graph.State) ([]graph.Write, error) {
	choice, hits, decided, err := a.vote(ctx, s)
	if err != nil {
		return nil, err
	}
	if decided {
		tellRoute(workflow.ExecOf(s), choice, "retrieval")
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
	if len(workflow.ExecOf(s).Request.Files) > 0 { // they are read, whatever is to be done with them
		choice.Route = routeRAG
	}
	writes := []graph.Write{a.ch.about.Set(choice.File), a.ch.route.Set(choice.Route), a.ch.reason.Set(choice.Reason), a.ch.wants.Set(choice.Wants), a.ch.query.Set(query), a.ch.aside.Set(aside)}
	if text := strings.TrimSpace(choice.Summary); text != "" && len(old) > 0 {
		writes = append(writes, a.ch.draft.Set(text))
	}
	return writes, nil
}

// tellRoute puts the route, its reason and who decided into the run's trace.
func tellRoute(x *workflow.Exec, choice routing, by string) {
	data, err := json.Marshal(map[string]string{"route": choice.Route, "reason": choice.Reason, "by": by})
	if err == nil {
		x.Emit(agent.Event{Kind: agent.EventCustom, Node: "router", Name: "router", Text: choice.Route, Data: data})
	}
}

// maxQuery bounds what the router wants searched for, in letters.
const maxQuery = 500

// undecided reports whether the model answered, but not with a route.
func undecided(err error) bool {
	switch llm.ClassOf(err) {
	case llm.Invalid, llm.Refused, llm.Length, llm.Garbage: // an empty reply is garbage, too
		return true
	}
	return false
}

// tooMuch reports whether a call may have failed because it asked for a summary
// too: its prompt is many times longer than a route's alone. A server that is slow
// or weak times out over it or answers 500, one with a limit of tokens a minute
// refuses it as too fast. If that failed the message, every later one would fail in
// the same way, for the messages stay and are summarised again. A call that did not
// reach the model for want of a key or of money would not get further alone.
func tooMuch(err error) bool {
	switch llm.ClassOf(err) {
	case "", llm.Auth, llm.Quota, llm.NotFound, llm.OverBudget:
		return false
	}
	return true
}

// choose asks the model for the route and, if messages leave the window, for
// their summary.
func (a *Agent) choose(ctx context.Context, s graph.State, old []memory.Message) (routing, error) {
	x := workflow.ExecOf(s)
	before, follows := memory.Numbered(a.ch.summaries.Get(s)), len(a.saidBefore(s)) > 0
	shape := routeShape
	system, err := host.Render(prompts, promptRouter, map[string]any{
		"Files": fileNames(x.Request.Files), "Documents": a.someDocuments(ctx, x), "Summaries": before,
		"Older": len(old) > 0, "Follows": follows, "Words": summaryWords, "Before": "", // the summaries stand there already
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

// recentTalk returns the last n messages in which people or the bot speak, without tool
// traffic, and before them the beginnings of what else people said in the window: a question
// for what somebody said is none for the documents.
func recentTalk(messages []memory.Message, n int) []llm.Message {
	var talk []memory.Message
	for _, m := range messages {
		if m.Role == "user" || (m.Role == "assistant" && len(m.Calls) == 0) {
			talk = append(talk, m)
		}
	}
	var before []memory.Message
	for _, m := range talk[:max(0, len(talk)-n)] {
		if m.Role == "user" {
			m.Text = fit.Clip(m.Text, earlierWords)
			before = append(before, m)
		}
	}
	return toModel(append(before, talk[max(0, len(talk)-n):]...))
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
