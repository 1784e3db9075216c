package inbound

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"maru/adapters/slack/file"
	"maru/adapters/slack/payload"
	"maru/bot"
	"maru/bot/content"
	"maru/phrase/fit"
)

// told is the content of a message: its words with tables, cards and pictures, the messages that it forwards, and the
// files of a forward without words.
type told struct {
	raw    string // the author's own words in Slack's encoding
	text   string
	quoted []bot.Quote
	files  []bot.File
}

const (
	maxQuote   = 4000   // letters of a forwarded message: each mention in it costs a look-up
	maxWords   = 40_000 // letters of a message with all its parts; Slack's own limit
	maxNesting = 8
	// noPreview is what Slack writes where an attachment has no plain version.
	noPreview = "[no preview available]"
)

// standIns are what Slack writes as the text of a message that an app made of blocks alone.
var standIns = map[string]bool{"This content can't be displayed.": true, "This message contains interactive elements.": true}

// read reads everything that a message says.
func (sp *speech) read(ctx context.Context, team string, ev payload.Object) told {
	r := reading{plain: func(s string) string { return sp.decode(ctx, s) }}
	app := ev.Str("bot_id") != "" || ev.Str("subtype") == "bot_message"
	out := told{raw: ev.Str("text")}
	blocks := ev.List("blocks")
	if strings.TrimSpace(out.raw) == "" {
		out.raw = richTexts(blocks)
	} else if app {
		out.text = sp.decode(ctx, out.raw)
	}
	if !app { // a person's rich text is their text
		blocks = slices.DeleteFunc(slices.Clone(blocks), func(b payload.Object) bool { return b.Str("type") == "rich_text" })
		out.text = sp.decode(ctx, out.raw)
	}
	parts := r.blocks(blocks, 0)
	var shares []bot.Quote
	for _, at := range ev.List("attachments") {
		switch {
		case at.Flag("is_share") || at.Flag("is_msg_unfurl"):
			q := r.share(team, at)
			switch {
			case q.Text != "" || len(q.Files) > 0:
				shares = append(shares, q)
			case at.Flag("is_share"): // the original is gone
				parts = append(parts, content.Unreadable("forwarded message", q.Author))
			}
		case app || at.Str("from_url") == "": // else the preview of a link
			parts = append(parts, r.attachment(at, 0)...)
		}
	}
	if room := ev.Obj("room"); room != nil {
		parts = append(parts, huddle(room))
	}
	parts = append(parts, files(ev.List("files"), strings.TrimSpace(out.text) != "" || len(parts) > 0)...)
	if standIns[out.text] && content.Words(parts...) != "" {
		out.text = ""
	}
	out.text = fit.Clip(content.Beside(out.text, parts...), maxWords)
	if strings.TrimSpace(out.text) != "" {
		out.quoted = shares
		return out
	}
	var words []string // a forward without words of one's own is the message
	for _, q := range shares {
		words, out.files = append(words, q.Text), append(out.files, q.Files...)
	}
	out.text = strings.TrimSpace(strings.Join(words, "\n"))
	return out
}

// files names files that Slack does not give out and, beside words, repeats what senders wrote about pictures.
func files(list []payload.Object, words bool) []content.Part {
	var out []content.Part
	for _, f := range list {
		switch {
		case f.Str("mode") == "hidden_by_limit":
			out = append(out, content.Unreadable("file beyond the plan's history", fit.Clean(f.Str("name"))))
		case f.Str("mode") == "tombstone":
			out = append(out, content.Unreadable("deleted file", fit.Clean(f.Str("name"))))
		case words && f.Str("alt_txt") != "":
			out = append(out, content.Part{Kind: content.Picture, Text: fit.Clean(cmp.Or(f.Str("name"), f.Str("title")) + ": " + f.Str("alt_txt"))})
		}
	}
	return out
}

// reading reads the parts of one message.
type reading struct {
	plain func(string) string // of Slack's encoding
}

// share reads a forwarded message.
func (r reading) share(team string, at payload.Object) bot.Quote {
	parts := r.parts(at, 0)
	c := &parts[len(parts)-1]
	words := fit.Clip(c.Text, maxQuote)
	c.Author, c.Text, c.Footer = "", "", "" // the quote has its author and time, and Slack's footer names the channel
	for _, m := range at.List("message_blocks") {
		parts = append(parts, r.blocks(m.Obj("message").List("blocks"), 0)...)
	}
	if standIns[words] && content.Words(parts...) != "" {
		words = ""
	}
	text := content.Beside(words, parts...)
	if text == "" {
		text = r.fallback(at)
	}
	return bot.Quote{
		Author: cmp.Or(at.Str("author_name"), at.Str("author_subname")), At: payload.Time(at.Str("ts")), Files: filesOf(team, at, 0),
		Text: fit.Clip(text, maxQuote),
	}
}

// filesOf returns the files of a forwarded message and of those that it forwards itself.
func filesOf(team string, at payload.Object, depth int) []bot.File {
	out := file.ListOf(team, at)
	for _, inner := range at.List("attachments") {
		if depth < maxNesting {
			out = append(out, filesOf(team, inner, depth+1)...)
		}
	}
	return out
}

// fallback returns the plain version of an attachment.
func (r reading) fallback(at payload.Object) string {
	if s := at.Str("fallback"); s != noPreview {
		return r.plain(fit.Clip(s, maxQuote))
	}
	return ""
}

// attachment reads an app's attachment, or what a person pasted.
func (r reading) attachment(at payload.Object, depth int) []content.Part {
	if depth > maxNesting {
		return nil
	}
	out := r.parts(at, depth)
	if content.Words(out...) == "" {
		c := &out[len(out)-1]
		c.Text = r.fallback(at)
		*c = content.Legible(*c)
	}
	return out
}

// parts reads an attachment: its pretext, if it has one, and its card.
func (r reading) parts(at payload.Object, depth int) []content.Part {
	var out []content.Part
	if s := r.plain(at.Str("pretext")); s != "" {
		out = append(out, content.Part{Kind: content.Text, Text: s})
	}
	c := content.Part{
		Kind: content.Card, Author: r.author(at), Title: r.plain(at.Str("title")), Link: at.Str("title_link"),
		Text: r.plain(at.Str("text")), Footer: r.plain(at.Str("footer")), Parts: r.blocks(at.List("blocks"), depth+1),
	}
	if when := payload.Time(at.Str("ts")); when.Unix() > 0 { // an app's time beside the footer
		c.Footer = strings.TrimPrefix(c.Footer+" · "+content.Moment(when), " · ")
	}
	for _, f := range at.List("fields") {
		c.Fields = append(c.Fields, r.field(f))
	}
	for _, inner := range at.List("attachments") {
		c.Parts = append(c.Parts, r.attachment(inner, depth+1)...)
	}
	if at.Str("image_url") != "" || at.Str("thumb_url") != "" && c.Title+c.Text == "" {
		c.Parts = append(c.Parts, content.Part{Kind: content.Picture, Text: r.fallback(at)})
	}
	if labels := r.labels(at.List("actions")); labels.Text != "" {
		c.Parts = append(c.Parts, labels)
	}
	return append(out, c)
}

// author names who wrote what an attachment shows, and the service that it comes from: a preview of a link often names the service alone.
func (r reading) author(at payload.Object) string {
	by, from := r.plain(at.Str("author_name")), r.plain(at.Str("service_name"))
	if by == "" || from == "" || strings.EqualFold(by, from) {
		return cmp.Or(by, from)
	}
	return by + " · " + from
}

func (r reading) field(f payload.Object) content.Field {
	return content.Field{Name: r.plain(f.Str("title")), Value: r.plain(f.Str("value"))}
}

// blocks reads Block Kit. Of a block that is not known, everything that reads as text is read, and if nothing does, its
// kind is named.
func (r reading) blocks(blocks []payload.Object, depth int) []content.Part {
	var out []content.Part
	for _, b := range blocks {
		if depth <= maxNesting {
			out = append(out, r.block(b, depth)...)
		}
	}
	return out
}

func (r reading) block(b payload.Object, depth int) []content.Part {
	text := func(s string) []content.Part { return []content.Part{{Kind: content.Text, Text: s}} }
	switch kind := b.Text("type"); kind {
	case "rich_text":
		return text(r.plain(richTexts([]payload.Object{b})))
	case "section", "header", "markdown":
		c := content.Part{Kind: content.Card, Text: r.object(b, "text")}
		for _, f := range b.List("fields") {
			c.Fields = append(c.Fields, content.Field{Value: r.textOf(f)})
		}
		if a := b.Obj("accessory"); a.Str("type") == "image" {
			c.Parts = append(c.Parts, r.picture(a))
		} else if labels := r.labels([]payload.Object{a}); labels.Text != "" {
			c.Parts = append(c.Parts, labels)
		}
		return []content.Part{c}
	case "context":
		var words []string
		for _, e := range b.List("elements") {
			if e.Str("type") == "image" {
				words = append(words, content.Words(r.picture(e)))
			} else {
				words = append(words, r.textOf(e))
			}
		}
		return text(strings.Join(words, " "))
	case "table":
		return []content.Part{{Kind: content.Table, Rows: r.rows(b)}}
	case "image":
		return []content.Part{r.picture(b)}
	case "actions":
		return []content.Part{r.labels(b.List("elements"))}
	case "divider", "context_actions", "":
		return nil // buttons below an answer say nothing
	default:
		if parts, ok := r.compound(kind, b, depth); ok {
			return parts
		}
		if words := r.anyText(b, 0); len(words) > 0 {
			return text(strings.Join(words, "\n"))
		}
		return []content.Part{{Kind: content.Unread, Text: strings.ReplaceAll(kind, "_", " ")}}
	}
}

// object reads a member that is a text or a text object.
func (r reading) object(o payload.Object, k string) string {
	if t := o.Obj(k); t != nil {
		return r.textOf(t)
	}
	return r.plain(o.Text(k))
}

// textOf reads a text object.
func (r reading) textOf(t payload.Object) string {
	if t.Str("type") == "plain_text" {
		return fit.Clean(t.Str("text"))
	}
	return r.plain(t.Str("text"))
}

func (r reading) picture(b payload.Object) content.Part {
	title, alt := r.object(b, "title"), fit.Clean(b.Str("alt_text"))
	if title != "" && alt != "" && alt != title {
		title += ": " + alt
	}
	return content.Part{Kind: content.Picture, Text: cmp.Or(title, alt)}
}

// labels returns what the buttons, menus and boxes of a message say.
func (r reading) labels(elements []payload.Object) content.Part {
	var words []string
	for _, e := range elements {
		s := cmp.Or(r.object(e, "text"), r.object(e, "placeholder"))
		if offers := r.offers(e); offers != "" {
			s = strings.TrimPrefix(s+": "+offers, ": ")
		}
		if url := e.Str("url"); url != "" {
			s = strings.TrimPrefix(s+": "+url, ": ")
		}
		if s != "" {
			words = append(words, "["+s+"]")
		}
	}
	return content.Part{Kind: content.Text, Text: strings.Join(words, " ")}
}

func (r reading) rows(b payload.Object) [][]string {
	var out [][]string
	for _, cells := range b.Rows("rows") {
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = r.cell(c)
		}
		out = append(out, row)
	}
	return out
}

func (r reading) cell(c payload.Object) string {
	switch c.Str("type") {
	case "rich_text":
		return r.plain(richTexts([]payload.Object{c}))
	case "action_cell":
		if s := r.cell(c.Obj("fallback")); s != "" {
			return s
		}
		return r.labels([]payload.Object{c.Obj("element")}).Text
	}
	return fit.Clean(cmp.Or(c.Str("text"), c.Str("value")))
}

// anyText collects the texts of a block whose kind is not known, in the order of their names.
func (r reading) anyText(o payload.Object, depth int) []string {
	if depth > maxNesting {
		return nil
	}
	var out []string
	for _, k := range []string{"title", "subtitle", "label", "text", "caption", "body", "description", "alt_text", "subtext", "hint"} {
		if s := r.object(o, k); s != "" {
			out = append(out, s)
		}
	}
	for _, k := range []string{"fields", "elements", "blocks", "items", "options"} {
		for _, inner := range o.List(k) {
			out = append(out, r.anyText(inner, depth+1)...)
		}
	}
	return out
}
