package inbound

import (
	"cmp"
	"context"
	"regexp"
	"strings"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// token is what Slack writes between angle brackets: a mention, a channel, a
// special word or a link, with an optional label.
var token = regexp.MustCompile(`<([^<>|]*)(?:\|([^<>]*))?>`)

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// speech turns what people wrote in Slack's coding into plain words.
type speech struct {
	web   *web.Client
	users namer
}

// decode turns Slack's coding into plain words: the bot's own mention goes,
// others become @name, links keep their address, and what nobody sees is removed.
func (sp *speech) decode(ctx context.Context, s string) string {
	id := sp.web.Whoami()
	var b strings.Builder
	end := 0
	for _, m := range token.FindAllStringSubmatchIndex(s, -1) {
		b.WriteString(entities.Replace(s[end:m[0]]))
		end = m[1]
		target, label := s[m[2]:m[3]], ""
		if m[4] >= 0 {
			label = s[m[4]:m[5]]
		}
		if id == nil || target != "@"+id.User {
			b.WriteString(sp.plainToken(ctx, entities.Replace(target), entities.Replace(label)))
			continue
		}
		rest := strings.TrimSpace(s[end:])
		if rest == "" || strings.HasPrefix(rest, "<@") || strings.TrimSpace(b.String()) == "" {
			end += len(s[end:]) - len(strings.TrimLeft(s[end:], " "))
			continue
		}
		b.WriteString("@" + cmp.Or(id.Name, "maru")) // inside a sentence it is a word of it
	}
	b.WriteString(entities.Replace(s[end:]))
	return strings.TrimSpace(fit.Clean(b.String()))
}

// plainToken returns the words for one token.
func (sp *speech) plainToken(ctx context.Context, target, label string) string {
	switch {
	case strings.HasPrefix(target, "@"):
		return "@" + cmp.Or(label, sp.users.Name(ctx, target[1:]), target[1:])
	case strings.HasPrefix(target, "#"):
		return "#" + cmp.Or(label, target[1:])
	case strings.HasPrefix(target, "!"):
		word := target[1:]
		if cut := strings.IndexByte(word, '^'); cut >= 0 {
			return cmp.Or(label, word[:cut])
		}
		return "@" + strings.TrimPrefix(cmp.Or(label, word), "@")
	case strings.HasPrefix(target, "mailto:"):
		return cmp.Or(label, strings.TrimPrefix(target, "mailto:"))
	case label != "" && target == "http://"+label: // Slack takes notes.md for a place in the web: they wrote no address
		return label
	case label == "" || strings.HasSuffix(target, label) || strings.TrimSuffix(target, "/") == label:
		return target
	}
	return label + " (" + target + ")"
}

// blocksText reads rich text blocks in Slack's coding; blocks that are not what
// they should be are left out, never the ones beside them.
func blocksText(blocks []payload.Object) string {
	var b strings.Builder
	for _, bl := range blocks {
		switch bl.Str("type") {
		case "rich_text":
			richText(&b, bl.List("elements"), 0)
		case "section", "markdown", "header":
			b.WriteString(cmp.Or(bl.Obj("text").Str("text"), bl.Str("text")) + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

const maxNesting = 8

// richText writes the elements of a rich text block.
func richText(b *strings.Builder, els []payload.Object, depth int) {
	if depth > maxNesting {
		return
	}
	for _, el := range els {
		switch el.Str("type") {
		case "rich_text_section", "rich_text_quote":
			richText(b, el.List("elements"), depth+1)
			b.WriteString("\n")
		case "rich_text_list":
			for _, item := range el.List("elements") {
				b.WriteString("- ")
				richText(b, []payload.Object{item}, depth+1)
			}
		case "rich_text_preformatted":
			b.WriteString("```\n")
			richText(b, el.List("elements"), depth+1)
			b.WriteString("\n```\n")
		default:
			b.WriteString(richElement(el))
		}
	}
}

// richElement returns a leaf of a rich text block in Slack's coding.
func richElement(el payload.Object) string {
	switch el.Str("type") {
	case "text":
		return markdown.Entities(el.Str("text"))
	case "link":
		if t := el.Str("text"); t != "" {
			return "<" + el.Str("url") + "|" + markdown.Entities(t) + ">"
		}
		return "<" + el.Str("url") + ">"
	case "user":
		return "<@" + el.Str("user_id") + ">"
	case "channel":
		return "<#" + el.Str("channel_id") + ">"
	case "usergroup":
		return "<!subteam^" + el.Str("usergroup_id") + ">"
	case "broadcast":
		return "<!" + el.Str("range") + ">"
	case "emoji":
		return ":" + el.Str("name") + ":"
	}
	return el.Str("text")
}
