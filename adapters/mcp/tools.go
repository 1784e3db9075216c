package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/bot"
	"maru/bot/desk"
	"maru/phrase"
)

// usual is how long a tool waits if its caller does not say: proxies and clients end requests after a minute.
const usual = 45

// instructions tell a model what the tools are for.
const instructions = "Maru is the team's assistant. ask asks it in your person's name, with the team's documents; search_documents returns passages. " +
	"request_approval asks people for a decision before you do something that cannot be undone: go on only if its state is approved. " +
	"Answers with the state running, asks or pending are not final: call the same tool again with the run or id."

type asked struct {
	Question string `json:"question,omitempty" jsonschema:"the question or task, in any language"`
	Thread   string `json:"thread,omitempty" jsonschema:"thread of an earlier answer, to go on with its conversation"`
	Run      string `json:"run,omitempty" jsonschema:"run of an earlier answer that was not final: waits for it, and asks nothing"`
	Wait     *int   `json:"wait_seconds,omitempty" jsonschema:"how long to wait, 45 if left out"`
}

type search struct {
	Query   string `json:"query" jsonschema:"what to look for"`
	Channel string `json:"channel,omitempty" jsonschema:"id of a channel that your person reads, whose documents are searched too"`
	Limit   int    `json:"limit,omitempty" jsonschema:"passages, 5 if left out, at most 20"`
}

type found struct {
	Passages []desk.Found `json:"passages"`
}

type nothing struct{}

type waiting struct {
	Approvals []desk.Waiting `json:"approvals"`
}

type decision struct {
	Approval string `json:"approval" jsonschema:"id of what is decided, from pending_approvals"`
	Action   string `json:"action" jsonschema:"verb of one of its actions; approve and reject work for most"`
	Text     string `json:"text,omitempty" jsonschema:"words of the decision, where the action takes some"`
}

type requested struct {
	wanted

	ID   string `json:"id,omitempty" jsonschema:"id of an earlier request that is pending: waits for it, and asks nothing"`
	Key  string `json:"idempotency_key,omitempty" jsonschema:"a name of your own for the request: filed again under it, nobody is asked twice"`
	Wait *int   `json:"wait_seconds,omitempty" jsonschema:"how long to wait for the decision, 45 if left out"`
}

// seconds returns a wait as a tool's caller gives it.
func seconds(n *int) time.Duration {
	if n == nil {
		return usual * time.Second
	}
	return time.Duration(min(max(*n, 0), 3600)) * time.Second
}

// tools returns the server that a visitor talks to.
func (s *Server) tools(v visitor) *sdk.Server {
	srv := sdk.NewServer(&sdk.Implementation{Name: "maru", Title: "Maru", Version: s.cfg.Version},
		&sdk.ServerOptions{Instructions: instructions, SchemaCache: s.schemas})
	reads, no := &sdk.ToolAnnotations{ReadOnlyHint: true}, false
	add(s, srv, v, sdk.Tool{
		Name: "ask", Title: "Ask Maru", Description: "Asks Maru a question, or gives it a task, in your person's name and with their rights. It is answered in their direct conversation too. " +
			"State answered is final; with asks, people are asked on a card; with running, call again with the run.",
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &no},
	}, func(ctx context.Context, c desk.Caller, in asked) (desk.Answer, error) {
		return s.cfg.Desk.Ask(ctx, c, desk.Question{Text: in.Question, Thread: in.Thread, Run: in.Run, Wait: seconds(in.Wait)})
	})
	add(s, srv, v, sdk.Tool{
		Name: "search_documents", Title: "Search documents", Description: "Finds passages in the team's documents that your person may read.", Annotations: reads,
	}, func(ctx context.Context, c desk.Caller, in search) (found, error) {
		in.Limit = cmp.Or(in.Limit, 5)
		list, err := s.cfg.Desk.Search(ctx, c, in.Query, in.Channel, in.Limit)
		return found{list}, err
	})
	add(s, srv, v, sdk.Tool{
		Name: "pending_approvals", Title: "Pending approvals", Description: "Lists what waits for your person's decision.", Annotations: reads,
	}, func(ctx context.Context, c desk.Caller, _ nothing) (waiting, error) {
		list, err := s.cfg.Desk.Pending(ctx, c)
		return waiting{list}, err
	})
	add(s, srv, v, sdk.Tool{
		Name: "decide", Title: "Decide", Description: "Decides one of your person's pending approvals. Do so only when your person has said how.",
	}, func(ctx context.Context, c desk.Caller, in decision) (bot.Ruled, error) {
		return s.cfg.Desk.Decide(ctx, c, in.Approval, in.Action, in.Text)
	})
	add(s, srv, v, sdk.Tool{
		Name: "request_approval", Title: "Request an approval", Description: "Asks people to approve what you are about to do, on a card in their chat, and returns their decision with a signed receipt. " +
			"Go on only if the state is approved; with pending, call again with the id.",
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &no},
	}, s.request)
	return srv
}

// request runs the tool request_approval.
func (s *Server) request(ctx context.Context, c desk.Caller, in requested) (desk.Status, error) {
	if in.ID == "" {
		st, err := s.cfg.Desk.File(ctx, c, in.on(in.Key))
		if err != nil {
			return st, err
		}
		in.ID = st.ID
	}
	return s.cfg.Desk.Status(ctx, c, in.ID, seconds(in.Wait))
}

// add adds a tool that knows who calls it.
func add[In, Out any](s *Server, srv *sdk.Server, v visitor, t sdk.Tool, do func(context.Context, desk.Caller, In) (Out, error)) {
	sdk.AddTool(srv, &t, func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		var out Out
		c, err := s.caller(ctx, v, req)
		if err == nil {
			out, err = do(ctx, c, in)
		}
		if err != nil {
			return nil, out, errors.New(s.explain(ctx, c.Lang, err))
		}
		return nil, out, nil
	})
}

// caller returns who calls a tool. Slack names the person in each call, which it has signed: see
// https://docs.slack.dev/ai/slackbot-mcp-client, "Slack identity auth".
func (s *Server) caller(ctx context.Context, v visitor, req *sdk.CallToolRequest) (desk.Caller, error) {
	if !v.slack {
		return v.caller, nil
	}
	var who struct {
		User string `json:"user_id"`
		Team string `json:"team_id"`
	}
	raw, err := json.Marshal(req.Params.Meta["slack"])
	if err == nil {
		err = json.Unmarshal(raw, &who)
	}
	if err != nil || who.User == "" || who.Team == "" {
		return desk.Caller{}, desk.ErrToken
	}
	return s.cfg.Desk.Vouched(ctx, "slack", who.Team, who.User, "Slackbot")
}

// explain says an error to a model.
func (s *Server) explain(ctx context.Context, lang string, err error) string {
	var e *bot.Error
	switch {
	case errors.Is(err, desk.ErrToken):
		return phrase.Say(lang, "server.bad_token")
	case errors.As(err, &e):
		return e.Text(lang)
	case ctx.Err() != nil:
		return ctx.Err().Error()
	}
	return s.unknown(ctx, err).Text(lang)
}
