// Package spans exports finished runs as OpenTelemetry traces: one trace a run, with spans for its
// nodes, model calls and tool calls, by the semantic conventions for generative AI, over OTLP/HTTP
// in its JSON encoding.
//
// A trace is made of the events that the record keeps of a run, so that a run that waited, was
// killed or changed its replica is one trace, whose ids follow from the run's. What people, models
// and tools said is left out unless it is asked for.
//
// It must not know how runs are made. The OpenTelemetry SDK is not linked: see docs/decisions/0005-libraries.md.
package spans

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/metrics/otlp"
)

// Kinds of spans and states, as OTLP numbers them.
const (
	kindInternal = 1
	kindServer   = 2
	kindClient   = 3
	stateError   = 2
)

// span is a span of OTLP.
type span struct {
	TraceID    string           `json:"traceId"`
	SpanID     string           `json:"spanId"`
	ParentID   string           `json:"parentSpanId,omitempty"`
	Name       string           `json:"name"`
	Kind       int              `json:"kind"`
	Start      string           `json:"startTimeUnixNano"`
	End        string           `json:"endTimeUnixNano"`
	Attributes []otlp.Attribute `json:"attributes,omitempty"`
	Events     []moment         `json:"events,omitempty"`
	Status     *status          `json:"status,omitempty"`

	from, to time.Time
}

type status struct {
	Code int `json:"code"`
}

// moment is an event of a span.
type moment struct {
	At   string `json:"timeUnixNano"`
	Name string `json:"name"`
}

// id makes an id of n bytes that follows from its parts.
func id(n int, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:n])
}

// spansOf returns the spans of a run, the run's own first. content says that arguments and results of
// tools are told.
func spansOf(r bot.Run, events []agent.Event, content bool) []span {
	trace := id(16, r.ID)
	root := span{
		TraceID: trace, SpanID: id(8, r.ID, "run"), Name: "invoke_agent " + r.Agent, Kind: kindServer, from: r.Started, to: r.Ended,
		Attributes: []otlp.Attribute{
			otlp.Text("gen_ai.operation.name", "invoke_agent"), otlp.Text("gen_ai.agent.name", r.Agent), otlp.Text("gen_ai.conversation.id", r.Thread),
			otlp.Text("maru.run", r.ID), otlp.Text("maru.outcome", r.Status),
		},
	}
	if r.Status == bot.RunFailed {
		root.fail("failed")
	}
	var nodes, calls []span
	arguments := map[string]json.RawMessage{} // of the last call of a tool
	for i, e := range events {
		s := span{TraceID: trace, SpanID: id(8, r.ID, strconv.Itoa(i)), from: e.At.Add(-e.Took), to: e.At}
		switch e.Kind {
		case agent.EventNodeEnd:
			s.Name, s.Kind, s.Attributes = e.Node, kindInternal, []otlp.Attribute{otlp.Text("maru.node", e.Node)}
			nodes = append(nodes, s.failing(e.Err))
		case agent.EventModelCall:
			calls = append(calls, modelCall(s, e).failing(e.Err))
		case agent.EventToolCall:
			arguments[e.Name] = e.Data
		case agent.EventToolResult:
			s.Name, s.Kind = "execute_tool "+e.Name, kindInternal
			s.Attributes = []otlp.Attribute{otlp.Text("gen_ai.operation.name", "execute_tool"), otlp.Text("gen_ai.tool.name", e.Name), otlp.Text("gen_ai.tool.type", "function")}
			if content {
				s.Attributes = append(s.Attributes, otlp.Text("gen_ai.tool.call.arguments", string(arguments[e.Name])), otlp.Text("gen_ai.tool.call.result", e.Text))
			}
			calls = append(calls, s.failing(e.Err))
		case agent.EventInterrupt:
			if e.Interrupt != nil {
				root.Events = append(root.Events, moment{otlp.Nano(e.At), "asks a person: " + e.Interrupt.Kind})
			}
		}
	}
	for i := range nodes {
		nodes[i].ParentID = root.SpanID
	}
	for i := range calls {
		calls[i].ParentID = enclosing(nodes, calls[i], root.SpanID)
	}
	out := append(append([]span{root}, nodes...), calls...)
	for i := range out {
		out[i].Start, out[i].End = otlp.Nano(out[i].from), otlp.Nano(out[i].to)
	}
	return out
}

// modelCall completes the span of a call of a model.
func modelCall(s span, e agent.Event) span {
	u := agent.Usage{}
	if e.Usage != nil {
		u = *e.Usage
	}
	operation, model := "chat", u.Model
	if e.Name == "embedding" {
		operation = "embeddings"
	}
	model = cmp.Or(model, e.Text)
	s.Name, s.Kind = operation+" "+model, kindClient
	s.Attributes = []otlp.Attribute{
		otlp.Text("gen_ai.operation.name", operation), otlp.Text("gen_ai.request.model", model), otlp.Text("gen_ai.response.model", model),
		otlp.Number("gen_ai.usage.input_tokens", u.Input), otlp.Number("gen_ai.usage.output_tokens", u.Output), otlp.Text("maru.purpose", e.Name),
	}
	return s
}

// fail marks a span as failed.
func (s *span) fail(kind string) {
	s.Status = &status{stateError}
	s.Attributes = append(s.Attributes, otlp.Text("error.type", kind))
}

// failing marks a span as failed where err says so. Its words may quote somebody and are left out.
func (s span) failing(err string) span {
	if err != "" {
		s.fail("failed")
	}
	return s
}

// enclosing returns the id of the node that began last among those during which a call was made.
func enclosing(nodes []span, call span, root string) string {
	best, began := root, time.Time{}
	for _, n := range nodes {
		if !n.from.After(call.from) && !n.to.Before(call.to) && !n.from.Before(began) {
			best, began = n.SpanID, n.from
		}
	}
	return best
}
