package guide

import (
	"context"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/rag"
)

func (k kit) generation() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "guide_generation", Summary: "Writes the guide; people see it as it comes.",
		Doc:   "The services with their prices stand in a table below it, from the knowledge and not from the model. Without a model that writes, the guide is put together from what was found, and says so where it should have written.",
		Reads: []string{"tool_recommendations", "retrieved_docs", "user_feedback", "plain", "silent"}, Writes: []string{"final_guide", "cited", "silent"},
	}, k.write, nil)
}

func (k kit) write(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	x.Doing("guide.writing")
	list := k.st.recommend.Get(s)
	passages := k.trends(s)
	if len(passages) > 0 {
		x.Emit(agent.Event{Kind: agent.EventSources, Sources: passages})
	}
	text, silent := "", llm.Class(k.st.silent.Get(s))
	if !k.st.plain.Get(s) {
		system, err := k.prompt("guide", s, x, map[string]any{"Recommendations": list, "Passages": shown(passages)})
		if err != nil {
			return nil, err
		}
		reply, err := host.Talk(ctx, x, "guide", llm.Request{
			Purpose: llm.ForAnswer, Messages: []llm.Message{{Role: llm.System, Content: system}, {Role: llm.User, Content: k.st.question.Get(s)}},
		}, true)
		if err != nil && !workflow.Silent(ctx, err) {
			return nil, err
		}
		silent = llm.Class(reply.Failed)
		if err != nil {
			k.log.WarnContext(ctx, "guide generation failed, assembling the results", "run", x.Request.Run, "err", err)
			silent = llm.ClassOf(err)
		}
		text = reply.Text
	}
	written := text != ""
	if !written {
		text = k.assemble(x, list)
		if silent != "" {
			text = x.Phrase("guide.model_failed", host.Why(x, silent)) + "\n\n" + text
			x.Emit(agent.Event{Kind: agent.EventReset}) // discard a partial guide
		}
		x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	}
	table := "\n\n" + k.table(x, list, written)
	x.Emit(agent.Event{Kind: agent.EventToken, Text: table})
	text, cited := x.Cite(text, passages)
	return []graph.Write{k.st.guide.Set(text + table), k.st.cited.Set(cited), k.st.silent.Set(string(silent))}, nil
}

// trends returns the passages found in documents, numbered.
func (k kit) trends(s graph.State) []agent.Source {
	var out []agent.Source
	for _, d := range k.st.docs.Get(s) {
		if d.Service == "" && len(out) < 8 {
			d.Source.N = len(out) + 1
			out = append(out, d.Source)
		}
	}
	return out
}

func shown(passages []agent.Source) string { return rag.Number(node.Hits(passages)) }

// assemble writes a guide from the results, without a model.
func (k kit) assemble(x *workflow.Exec, list []Recommendation) string {
	var b strings.Builder
	b.WriteString(x.Phrase("guide.heading") + "\n")
	for i, r := range list {
		fmt.Fprintf(&b, "\n**%d. %s**\n", i+1, r.SubTask)
		if r.Service == "" {
			b.WriteString("- " + r.Reason + "\n")
			continue
		}
		fmt.Fprintf(&b, "- %s: [%s](%s)\n- %s\n", x.Phrase("guide.use"), r.Service, r.URL, r.Reason)
		begin := "guide.begin_small"
		if s, ok := k.catalog.Named(r.Service); ok && s.Free {
			begin = "guide.begin_free"
		}
		b.WriteString(x.Phrase(begin) + "\n")
	}
	return strings.TrimSpace(b.String())
}

// table lists services and prices. With reasons it repeats the reasons, which a model's text may
// have omitted.
func (k kit) table(x *workflow.Exec, list []Recommendation, reasons bool) string {
	var b strings.Builder
	head := []string{x.Phrase("guide.table.task"), x.Phrase("guide.table.service"), x.Phrase("guide.table.price")}
	if reasons {
		head = append(head, x.Phrase("guide.table.reason"))
	}
	row(&b, head)
	b.WriteString("|" + strings.Repeat("---|", len(head)) + "\n")
	for _, r := range list {
		service, price := r.Service, r.Price
		switch {
		case service == "":
			service, price = "—", "—"
		case r.URL != "":
			service = "[" + cell(service) + "](" + r.URL + ")"
		default:
			service = cell(service)
		}
		if price == "" {
			price = x.Phrase("guide.price_unknown")
		}
		cells := []string{cell(r.SubTask), service, cell(price)}
		if reasons {
			cells = append(cells, cell(r.Reason))
		}
		row(&b, cells)
	}
	return strings.TrimSpace(b.String())
}

func row(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// cell escapes a text for a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", "/", "\n", " ", "[", "(", "]", ")").Replace(s)
}
