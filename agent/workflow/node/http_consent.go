package node

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/phrase"
)

// outgoing is what a request tells its service, in readable form, with the headers that hold values of the state.
type outgoing struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Reads   string            `json:"url_reads,omitempty"` // the address without its escapes
	Headers map[string]string `json:"headers,omitempty"`
	Body    any               `json:"body,omitempty"`
}

// outgoing renders the request for people.
func (n *httpNode) outgoing(sc scope) (outgoing, error) {
	address, err := n.url.render(sc)
	if err != nil {
		return outgoing{}, err
	}
	out := outgoing{Method: n.c.Method, URL: strings.TrimSpace(address), Headers: map[string]string{}}
	if readable, err := url.QueryUnescape(out.URL); err == nil && readable != out.URL {
		out.Reads = readable
	}
	for name, t := range n.headers {
		if t.fixed() { // the author's, such as a key
			continue
		}
		if out.Headers[name], err = t.render(sc); err != nil {
			return outgoing{}, err
		}
	}
	if n.body != nil {
		if out.Body, err = n.body.value(sc); err != nil {
			return outgoing{}, err
		}
	}
	return out, nil
}

// fixed reports whether a template has no expressions.
func (t *template) fixed() bool {
	return !slices.ContainsFunc(t.parts, func(p part) bool { return p.expr != nil })
}

// allowed asks a person about a request that would tell its service words that neither they nor
// the workflow's author wrote, once the turn has read outsiders' words.
func (n *httpNode) allowed(ctx context.Context, s graph.State, x *workflow.Exec) (bool, error) {
	if n.c.Approval == approvalNever {
		return true, nil
	}
	out, err := n.outgoing(scopeOf(s, x))
	if err != nil {
		return false, err
	}
	readable := out // escapes of an address are nobody's words
	if out.Reads != "" {
		readable.URL, readable.Reads = out.Reads, ""
	}
	raw, err := json.Marshal(readable)
	if err != nil {
		return false, fmt.Errorf("http_request: %w", err)
	}
	host := strings.Join(n.c.Hosts, ", ")
	if u, err := url.Parse(out.URL); err == nil && u.Host != "" {
		host = u.Host
	}
	spec := tool.Spec{ // a query to a service outside, whatever its method: its host, and what it does there, are the author's choice
		Name: "http_request", Title: phrase.Raw(host), Policy: tool.Policy{ReadOnly: true, Idempotent: true, Egress: true},
		Parameters: json.RawMessage(`["method","url","headers","body"]`),
	}
	read := reading(s, x, n.c)
	if n.c.Approval != approvalAlways && !read.NeedsYes(spec, raw) {
		return true, nil
	}
	shown, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return false, fmt.Errorf("http_request: %w", err)
	}
	notes, err := n.marks(ctx, s, x, out)
	if err != nil {
		return false, err
	}
	return allowedCall(ctx, "approve", agent.Ask{
		Question: x.Phrase("agent.http_ask", host), Detail: "```json\n" + Legible(shown) + "\n```", Notes: append(notes, Reason(x, spec, raw, read)...), Effect: agent.EffectSends,
	})
}

// marks tells people which values of a request that may write a model made up; of an address only what expressions gave it. The words of
// a question to a service are a model's choice.
func (n *httpNode) marks(ctx context.Context, s graph.State, x *workflow.Exec, out outgoing) ([]string, error) {
	if n.c.Method == http.MethodGet {
		return nil, nil
	}
	arguments := map[string]any{"headers": out.Headers, "body": out.Body}
	var of []string
	for _, p := range n.url.parts {
		if p.expr == nil {
			continue
		}
		v, err := p.expr.eval(scopeOf(s, x))
		if err != nil {
			return nil, err
		}
		text := textOf(v)
		if readable, err := url.QueryUnescape(text); err == nil {
			text = readable
		}
		of = append(of, text)
	}
	if arguments["url"] = of; len(of) == 1 {
		arguments["url"] = of[0]
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, fmt.Errorf("http_request: %w", err)
	}
	return marks(ctx, s, x, tool.Spec{Name: "http_request", Policy: tool.Policy{Egress: true}}, raw, n.c), nil
}

// refused returns the result of a request that nobody allowed: nothing was sent.
func (n *httpNode) refused(s graph.State) ([]graph.Write, error) {
	writes, err := n.out.write(s, map[string]any{"status": 0, "body": "error (refused): a person did not allow this request.", "cut": false})
	if err != nil || s.Arg() != nil {
		return writes, err
	}
	w, err := n.schema.Set("error", "http_request: refused")
	return append(writes, w), err
}
