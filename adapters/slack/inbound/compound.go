package inbound

import (
	"cmp"

	"maru/adapters/slack/payload"
	"maru/bot/content"
)

// compound reads the blocks that hold others, or data: cards, containers, layouts, plans, tables, charts, calls. ok is false for
// any other kind. See https://docs.slack.dev/reference/block-kit/blocks.
func (r reading) compound(kind string, b payload.Object, depth int) (parts []content.Part, ok bool) {
	switch kind {
	case "card":
		return []content.Part{r.card(b)}, true
	case "carousel":
		return r.blocks(b.List("elements"), depth+1), true
	case "container":
		c := content.Part{Kind: content.Card, Title: r.object(b, "title"), Text: r.object(b, "subtitle"), Parts: r.blocks(b.List("child_blocks"), depth+1)}
		return []content.Part{c}, true
	case "layout":
		c := content.Part{Kind: content.Card, Title: r.object(b, "label")}
		for _, row := range b.List("rows") {
			for _, item := range row.List("items") {
				c.Parts = append(c.Parts, r.blocks([]payload.Object{item.Obj("block")}, depth+1)...)
			}
		}
		return []content.Part{c}, true
	case "plan":
		return []content.Part{{Kind: content.Card, Title: r.object(b, "title"), Parts: r.blocks(b.List("tasks"), depth+1)}}, true
	case "input":
		return []content.Part{r.input(b)}, true
	case "task_card":
		return []content.Part{r.taskCard(b)}, true
	case "data_table":
		return []content.Part{{Kind: content.Card, Title: r.object(b, "caption"), Parts: []content.Part{{Kind: content.Table, Rows: r.rows(b)}}}}, true
	case "data_visualization":
		return []content.Part{{Kind: content.Card, Title: r.object(b, "title"), Parts: []content.Part{{Kind: content.Table, Rows: r.chart(b.Obj("chart"))}}}}, true
	case "video":
		c := content.Part{
			Kind: content.Card, Author: cmp.Or(b.Str("author_name"), b.Str("provider_name")), Title: r.object(b, "title"),
			Link: cmp.Or(b.Str("title_url"), b.Str("video_url")), Text: r.object(b, "description"),
		}
		return append([]content.Part{c}, content.Unreadable("video", b.Str("alt_text"))), true
	case "call":
		v := b.Obj("call").Obj("v1")
		return []content.Part{{Kind: content.Card, Title: r.plain(cmp.Or(v.Str("name"), "call")), Link: v.Str("join_url")}}, true
	case "file":
		if name := cmp.Or(b.Obj("file").Str("title"), b.Obj("file").Str("name")); name != "" {
			return []content.Part{content.Unreadable("file", name)}, true
		}
	}
	return nil, false
}

// card reads a card with its pictures and buttons.
func (r reading) card(b payload.Object) content.Part {
	c := content.Part{Kind: content.Card, Title: r.object(b, "title"), Text: r.object(b, "subtitle"), Footer: r.object(b, "subtext")}
	if s := r.object(b, "body"); s != "" {
		c.Parts = append(c.Parts, content.Part{Kind: content.Text, Text: s})
	}
	if p := b.Obj("hero_image"); p != nil {
		c.Parts = append(c.Parts, r.picture(p))
	}
	if labels := r.labels(b.List("actions")); labels.Text != "" {
		c.Parts = append(c.Parts, labels)
	}
	return c
}

// taskCard reads a step of an agent's work.
func (r reading) taskCard(b payload.Object) content.Part {
	c := content.Part{Kind: content.Card, Title: r.object(b, "title"), Text: b.Str("status")}
	for _, k := range []string{"details", "output"} {
		if o := b.Obj(k); o != nil {
			c.Parts = append(c.Parts, content.Part{Kind: content.Text, Text: r.plain(richTexts([]payload.Object{o}))})
		}
	}
	for _, s := range b.List("sources") {
		c.Parts = append(c.Parts, content.Part{Kind: content.Card, Title: r.plain(s.Str("text")), Link: s.Str("url")})
	}
	return c
}

// chart reads a chart as the table of its values.
func (r reading) chart(c payload.Object) [][]string {
	if segments := c.List("segments"); len(segments) > 0 {
		out := [][]string{{"", ""}}
		for _, s := range segments {
			out = append(out, []string{s.Str("label"), s.Str("value")})
		}
		return out
	}
	axis := c.Obj("axis_config")
	head := []string{axis.Str("x_label")}
	var labels []string
	values := map[string][]string{}
	for i, s := range c.List("series") {
		head = append(head, s.Str("name"))
		for _, p := range s.List("data") {
			label := p.Str("label")
			if values[label] == nil {
				labels = append(labels, label)
			}
			for len(values[label]) < i {
				values[label] = append(values[label], "")
			}
			values[label] = append(values[label], p.Str("value"))
		}
	}
	out := [][]string{head}
	for _, l := range labels {
		out = append(out, append([]string{l}, values[l]...))
	}
	if len(labels) == 0 {
		return nil
	}
	return out
}
