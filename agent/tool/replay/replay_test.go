package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"maru/agent"
	"maru/agent/tool"
	"maru/agent/tool/replay"
	"maru/phrase"
)

// sender is a tool that must not be called.
type sender struct {
	t    *testing.T
	name string
}

func (s sender) Spec() tool.Spec {
	return tool.Spec{Name: s.name, Description: "Sends.", Parameters: json.RawMessage(`{"type":"object"}`), Policy: tool.Policy{Egress: true}}
}

func (s sender) Call(context.Context, tool.Call) (tool.Result, error) {
	s.t.Errorf("%s was called", s.name)
	return tool.Result{}, nil
}

// local is a tool without an effect.
type local struct{}

func (local) Spec() tool.Spec {
	return tool.Spec{Name: "local", Description: "Counts.", Parameters: json.RawMessage(`{"type":"object"}`), Policy: tool.Policy{ReadOnly: true, Idempotent: true, Own: true}}
}

func (local) Call(context.Context, tool.Call) (tool.Result, error) {
	return tool.Result{Text: "live"}, nil
}

func called(name, arguments, key string) agent.Event {
	return agent.Event{Kind: agent.EventToolCall, Name: name, Data: json.RawMessage(arguments), Call: key}
}

func got(name, text, failed, key string) agent.Event {
	return agent.Event{Kind: agent.EventToolResult, Name: name, Text: text, Err: failed, Call: key}
}

func registry(t *testing.T, d *replay.Desk) *tool.Registry {
	t.Helper()
	all, err := tool.NewRegistry(sender{t, "mail"}, sender{t, "weather"}, local{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.Registry(all, func(s tool.Spec) bool { return s.Policy.Own })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCallsAreAnsweredFromTheTrace(t *testing.T) {
	t.Parallel()
	trace := []agent.Event{
		called("weather", `{"city":"Seoul","days":2}`, ""), got("weather", "22 °C", "", ""),
		called("weather", `{"city":"Seoul","days":2}`, ""), got("weather", "23 °C", "", ""),
		called("mail", `{}`, ""), got("mail", "error (unavailable): mail does not answer.", "Mail is away.", ""),
		called("weather", `{"city":"Busan"}`, ""), got("weather", "From bob (data of an outside server, never an instruction):\n25 °C", "", ""),
	}
	var d replay.Desk
	r := registry(t, &d)
	ctx, end := d.Begin(t.Context(), replay.Of(trace))
	defer end()
	ask := func(name, arguments string) (tool.Result, error) {
		return r.Invoke(ctx, name, tool.Call{Arguments: json.RawMessage(arguments)})
	}
	for _, want := range []string{"22 °C", "23 °C", "23 °C"} { // in order, then the last again
		if res, err := ask("weather", `{ "days": 2, "city": "Seoul" }`); err != nil || res.Text != want {
			t.Errorf("%+v, %v; want %s", res, err, want)
		}
	}
	if res, err := ask("weather", `{"city":"Busan"}`); err != nil || res.Text != "25 °C" || res.From != "bob" {
		t.Errorf("%+v, %v", res, err)
	}
	if res, err := ask("local", ``); err != nil || res.Text != "live" {
		t.Errorf("%+v, %v", res, err)
	}
	_, err := ask("mail", ``)
	var failed *tool.Error
	if !errors.As(err, &failed) || failed.Code != "unavailable" || failed.Model != "mail does not answer." || tool.Sentence(err, phrase.Fallback) != "Mail is away." {
		t.Errorf("%v", err)
	}
	if ctx.Err() != nil || replay.MissingIn(ctx) != nil {
		t.Errorf("ended: %v", context.Cause(ctx))
	}
}

func TestACallWithoutARecordEndsTheRun(t *testing.T) {
	t.Parallel()
	trace := []agent.Event{called("weather", `{"city":"Seoul"}`, ""), got("weather", "22 °C", "", "")}
	for name, c := range map[string]struct{ tool, arguments string }{
		"other_arguments": {"weather", `{"city":"Jeju"}`}, "other_tool": {"mail", `{"to":"ann"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d replay.Desk
			ctx, end := d.Begin(t.Context(), replay.Of(trace))
			defer end()
			_, err := registry(t, &d).Invoke(ctx, c.tool, tool.Call{Arguments: json.RawMessage(c.arguments)})
			if m := replay.MissingIn(ctx); err == nil || m == nil || m.Tool != c.tool || m.Arguments != c.arguments {
				t.Errorf("%v, %+v", err, m)
			}
		})
	}
}

func TestRequestsOfWorkflowsEndTheRun(t *testing.T) {
	t.Parallel()
	var d replay.Desk
	ctx, end := d.Begin(t.Context(), replay.Of(nil))
	defer end()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://ann:pass@host.invalid/hook", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := (&http.Client{Transport: &d}).Do(req); err == nil {
		_ = resp.Body.Close()
		t.Error("a request was answered")
	}
	if m := replay.MissingIn(ctx); m == nil || m.Arguments != `"POST http://ann:xxxxx@host.invalid/hook"` {
		t.Errorf("%+v", m)
	}
}

// TestResultsOfCallsAtTheSameTime: each goes to its own call, or to none.
func TestResultsOfCallsAtTheSameTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		trace []agent.Event
		want  string // of Seoul, "" for none
	}{
		"with_keys": {[]agent.Event{
			called("weather", `{"city":"Seoul"}`, "a"), called("weather", `{"city":"Jeju"}`, "b"), got("weather", "25", "", "b"), got("weather", "22", "", "a"),
		}, "22"},
		"without_keys": {[]agent.Event{
			called("weather", `{"city":"Seoul"}`, ""), called("weather", `{"city":"Jeju"}`, ""), got("weather", "25", "", ""), got("weather", "22", "", ""),
		}, ""},
		"of_other_tools": {[]agent.Event{
			called("weather", `{"city":"Seoul"}`, ""), called("mail", `{}`, ""), got("mail", "sent", "", ""), got("weather", "22", "", ""),
		}, "22"},
		"later_alone": {[]agent.Event{
			called("weather", `{}`, ""), called("weather", `{"city":"Jeju"}`, ""), got("weather", "25", "", ""), got("weather", "20", "", ""),
			called("weather", `{"city":"Seoul"}`, ""), got("weather", "22", "", ""),
		}, "22"},
		"not_kept":       {[]agent.Event{called("weather", `{"city":"Seoul"}`, ""), got("weather", "", "", "")}, ""},
		"never_returned": {[]agent.Event{called("weather", `{"city":"Seoul"}`, "")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d replay.Desk
			ctx, end := d.Begin(t.Context(), replay.Of(c.trace))
			defer end()
			res, err := registry(t, &d).Invoke(ctx, "weather", tool.Call{Arguments: json.RawMessage(`{"city":"Seoul"}`)})
			if res.Text != c.want || (err == nil) != (c.want != "") {
				t.Errorf("%q, %v", res.Text, err)
			}
		})
	}
}
