package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/phrase/fit"
)

// span is one bar of a run's timeline.
type span struct {
	Kind   string // "node", "model", "tool", "wait"
	Name   string
	Start  time.Duration // relative to the run's start
	Took   time.Duration
	Detail string // input and output, shown on demand
	Quiet  string // shown beside the name: tokens
	Call   string // ID of a model call whose text may be stored
	Err    string
	Since  time.Time // start of an open wait, else zero
	X, W   float64   // position of the bar in thousandths
}

// Kinds of spans.
const (
	spanNode  = "node"
	spanModel = "model"
	spanTool  = "tool"
	spanWait  = "wait" // for a person, between two executions of a node
)

// timeline is a run's timeline.
type timeline struct {
	Spans []span
	Rows  []eventRow
	Found []foundRow
	Tools int
	Total time.Duration
	Ticks []string // along the axis
}

// foundRow is a passage found by the run: N is its rank.
type foundRow struct {
	bot.Source
	Cited  int    // citation number in the answer, 0 if it is not cited
	Read   string // whether a model received it: "yes", "no", or "" if unknown
	Sample bool   // of the sample handbook
	Newer  string // the newer edition that was used instead, "" if none
}

type eventRow struct {
	At   string
	Kind string
	Text string
}

// statusWaiting is the status of a run that waits for a person.
const statusWaiting = "waiting"

// drawer collects spans from events in order.
type drawer struct {
	t     timeline
	start time.Time
	nodes map[string][]time.Time // by node: starts without an end
	calls map[string][]int       // by tool: spans without a result
	waits map[string]time.Time   // by node: start of its wait for a person
	seen  map[string]bool
}

// draw returns a run's timeline. An open wait lasts until now.
func draw(run bot.RunView, now time.Time) timeline {
	d := &drawer{
		start: run.Started, nodes: map[string][]time.Time{}, calls: map[string][]int{}, waits: map[string]time.Time{}, seen: map[string]bool{},
	}
	if d.start.IsZero() && len(run.Events) > 0 {
		d.start = run.Events[0].At
	}
	events := timed(run.Events, d.start)
	for _, e := range events {
		d.event(e)
	}
	end := run.Ended
	for _, e := range events {
		if e.At.After(end) {
			end = e.At
		}
	}
	d.t.Total = max(end.Sub(d.start), 0)
	for node, starts := range d.nodes { // still running at the end of the trace
		for _, at := range starts {
			d.add(span{Kind: spanNode, Name: node, Took: end.Sub(at)}, at)
		}
	}
	if run.Status == statusWaiting {
		for node, since := range d.waits {
			d.add(span{Kind: spanWait, Name: node, Took: max(now.Sub(since), 0), Since: since}, since)
		}
	}
	d.place()
	return d.t
}

// timed gives events without a time the time of the previous one, when they began.
func timed(events []bot.RunEvent, start time.Time) []bot.RunEvent {
	out := slices.Clone(events)
	last := start
	for i := range out {
		if out[i].At.IsZero() {
			out[i].At = last.Add(out[i].Took)
		}
		last = out[i].At
	}
	return out
}

// event adds an event to the timeline.
func (d *drawer) event(e bot.RunEvent) {
	d.t.Rows = append(d.t.Rows, eventRow{
		At: site.Took(e.At.Sub(d.start)), Kind: string(e.Kind), Text: summary(e),
	})
	switch e.Kind {
	case "node_start":
		if since, ok := d.waits[e.Node]; ok {
			d.add(span{Kind: spanWait, Name: e.Node, Took: e.At.Sub(since)}, since)
			delete(d.waits, e.Node)
		}
		d.nodes[e.Node] = append(d.nodes[e.Node], e.At)
	case "node_end":
		at := e.At.Add(-e.Took)
		if starts := d.nodes[e.Node]; len(starts) > 0 {
			at, d.nodes[e.Node] = starts[0], starts[1:]
		}
		d.add(span{Kind: spanNode, Name: e.Node, Took: e.At.Sub(at), Err: e.Err}, at)
		if e.Waits {
			d.waits[e.Node] = e.At
		}
	case "model_call":
		s := span{Kind: spanModel, Name: cmp.Or(e.Name, "model"), Took: e.Took, Err: e.Err, Detail: e.Text, Call: e.Call}
		if e.Usage != nil {
			s.Quiet = fmt.Sprintf("%d → %d", e.Usage.Input, e.Usage.Output)
		}
		d.add(s, e.At.Add(-e.Took))
	case "tool_call":
		d.t.Tools++
		d.calls[e.Name] = append(d.calls[e.Name], len(d.t.Spans))
		d.add(span{Kind: spanTool, Name: e.Name, Detail: pretty(e.Data)}, e.At)
	case "tool_result":
		d.result(e)
	case "sources":
		for _, s := range e.Sources {
			if !d.seen[s.Chunk] {
				d.seen[s.Chunk] = true
				d.t.Found = append(d.t.Found, foundRow{Source: bot.Source{
					N: s.N, Title: fit.Clean(s.Title), Heading: fit.Clean(s.Heading), Page: s.Page, Score: s.Score,
					Quote: fit.Clean(s.Quote), Chunk: s.Chunk,
				}, Sample: s.Sample, Newer: fit.Clean(s.Newer)})
			}
		}
	case "custom":
		if e.Name == citedEvent {
			d.cited(e)
		}
	}
}

// citedEvent is the event with the answer's citations: agent.CustomCited.
const citedEvent = "cited"

// cited records the answer's citation numbers of passages.
func (d *drawer) cited(e bot.RunEvent) {
	for i := range d.t.Found {
		for _, s := range e.Sources {
			if s.Chunk == d.t.Found[i].Chunk {
				d.t.Found[i].Cited = s.N
			}
		}
	}
}

// result ends the first open call of the tool.
func (d *drawer) result(e bot.RunEvent) {
	open := d.calls[e.Name]
	if len(open) == 0 {
		d.add(span{Kind: spanTool, Name: e.Name, Took: e.Took, Detail: fit.Clean(e.Text), Err: e.Err}, e.At.Add(-e.Took))
		return
	}
	s := &d.t.Spans[open[0]]
	d.calls[e.Name] = open[1:]
	s.Took = max(e.At.Sub(d.start)-s.Start, e.Took)
	s.Err = e.Err
	s.Detail = strings.TrimSpace(s.Detail + "\n\n→ " + fit.Clean(e.Text))
}

func (d *drawer) add(s span, at time.Time) {
	s.Name, s.Start = fit.Clean(s.Name), max(at.Sub(d.start), 0)
	d.t.Spans = append(d.t.Spans, s)
}

// place sorts the spans and computes their bars and the axis.
func (d *drawer) place() {
	t := &d.t
	for _, s := range t.Spans {
		t.Total = max(t.Total, s.Start+s.Took)
	}
	slices.SortStableFunc(t.Spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.Took, a.Took))
	})
	whole := float64(max(t.Total, time.Millisecond))
	for i := range t.Spans {
		s := &t.Spans[i]
		s.X = min(1000*float64(s.Start)/whole, 996)
		s.W = min(max(1000*float64(s.Took)/whole, 4), 1000-s.X) // at least visible
	}
	for i := range 5 {
		t.Ticks = append(t.Ticks, site.Took(t.Total*time.Duration(i)/4))
	}
}

// Time returns how long a span took.
func (s span) Time() string { return site.Took(s.Took) }

// Begin returns when a span began.
func (s span) Begin() string { return site.Took(s.Start) }

// summary returns an event in one line.
func summary(e bot.RunEvent) string {
	var parts []string
	for _, p := range []string{e.Node, e.Name, oneLine(e.Text), e.Err} {
		if p != "" {
			parts = append(parts, fit.Clip(p, 160))
		}
	}
	if len(e.Sources) > 0 {
		parts = append(parts, fmt.Sprintf("%d", len(e.Sources)))
	}
	return fit.Clean(strings.Join(parts, " · "))
}

// pretty indents JSON for people.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return fit.Clean(string(raw))
	}
	return fit.Clean(b.String())
}
