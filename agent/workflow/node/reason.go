package node

import (
	"encoding/json"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/memory"
	"maru/phrase/fit"
)

// Bounds of a reason on a card.
const (
	maxOrigins = 3   // that are named
	maxOrigin  = 80  // characters of one
	maxUnsaid  = 200 // characters of the words that would go out
)

// Origins collects where outsiders' words came from, the newest first, for the reason on a card.
type Origins struct {
	x    *workflow.Exec
	list []string
}

// OriginsOf returns the origins that a window of messages has. Answers of the bot and
// summaries name none: what they stem from has left the window.
func OriginsOf(x *workflow.Exec, messages []memory.Message) *Origins {
	o := &Origins{x: x}
	for _, q := range x.Request.Quoted {
		o.add("agent.origin.quoted", q.Author)
	}
	for _, p := range x.Request.Pictures {
		o.add("agent.origin.picture", p.Name)
	}
	for _, m := range slices.Backward(messages) {
		switch {
		case !m.Outsiders:
		case m.Role == string(llm.ToolRole):
			o.Tool(m.Name)
		case m.Role == string(llm.User) && m.By != x.Request.User.ID || x.Request.User.Stranger && m.ID == x.Request.Message:
			o.add("agent.origin.person", m.Author)
		}
	}
	if author := x.Heard(); author != nil {
		o.add("agent.origin.person", *author)
	}
	return o
}

// Tool adds the results of a tool.
func (o *Origins) Tool(name string) {
	title := name
	if o.x.Tools != nil {
		if _, spec, err := o.x.Tools.Lookup(name); err == nil && !spec.Title.Empty() {
			title = spec.Title.In(o.x.Request.Language)
		}
	}
	o.add("agent.origin.tool", title)
}

// Documents adds the documents of passages that may hold outsiders' words.
func (o *Origins) Documents(passages []agent.Source) {
	for _, p := range passages {
		if p.Outsiders() {
			o.add("agent.origin.document", p.Title)
		}
	}
}

func (o *Origins) add(key, name string) {
	name = fit.Clip(fit.OneLine(name), maxOrigin)
	if name == "" {
		return
	}
	if text := o.x.Phrase(key, name); !slices.Contains(o.list, text) {
		o.list = append(o.list, text)
	}
}

// List returns the first few of them.
func (o *Origins) List() []string { return o.list[:min(len(o.list), maxOrigins)] }

// Outside adds the tools and servers that a turn has heard.
func (o *Origins) Outside(names []string) {
	for _, name := range slices.Backward(names) {
		if _, ok := o.x.Tool(name); ok {
			o.Tool(name)
		} else {
			o.add("agent.origin.server", name)
		}
	}
}

// Reason tells people why a call needs approval that otherwise needs none: whose words the run has read, what would be
// sent, and where. It returns nothing for a call that is asked about because of its tool.
func Reason(x *workflow.Exec, spec tool.Spec, arguments json.RawMessage, read flow.Context) []string {
	if !spec.Policy.Unasked() || !read.NeedsYes(spec, arguments) {
		return nil
	}
	why := x.Phrase("agent.read_outside")
	switch {
	case !read.Outsiders:
		why = x.Phrase("agent.described_outside")
	case len(read.From) > 0:
		why = x.Phrase("agent.read_outside_from", strings.Join(read.From, ", "))
	}
	title := spec.Name
	if !spec.Title.Empty() {
		title = spec.Title.In(x.Request.Language)
	}
	words := strings.Join(read.Unsaid(spec, arguments), " ")
	switch {
	case flow.ClassOf(spec.Policy) == flow.Executes:
		why += " " + x.Phrase("agent.would_execute", title)
	case words == "": // they cannot be read
		why += " " + x.Phrase("agent.would_go_out", title)
	default:
		why += " " + x.Phrase("agent.would_go_out_words", title, fit.Clip(words, maxUnsaid))
	}
	return []string{why}
}
