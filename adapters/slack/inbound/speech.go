package inbound

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/phrase/fit"
	"maru/phrase/markdown"
	"maru/phrase/pattern"
)

// token matches Slack's angle-bracket syntax: a mention, a channel, a special mention or a
// link, with an optional label.
var token = pattern.New(`<([^<>|]*)(?:\|([^<>]*))?>`)

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// speech decodes Slack's text to plain text.
type speech struct {
	web   *web.Client
	users namer
}

// decode converts Slack's text to plain text: the bot's own leading mention is dropped,
// others become @name, links keep their URL, and invisible characters are removed.
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
		b.WriteString("@" + cmp.Or(id.Name, "maru")) // within a sentence the mention is part of it
	}
	b.WriteString(entities.Replace(s[end:]))
	return strings.TrimSpace(fit.Clean(b.String()))
}

// plainToken returns the plain text of one token.
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
	case label != "" && target == "http://"+label: // Slack auto-links names such as notes.md: the person wrote no URL
		return label
	case label == "" || strings.HasSuffix(target, label) || strings.TrimSuffix(target, "/") == label:
		return target
	}
	return label + " (" + target + ")"
}

// richTexts reads rich text blocks in Slack's encoding; malformed ones are skipped one by one.
func richTexts(blocks []payload.Object) string {
	var b strings.Builder
	for _, bl := range blocks {
		if bl.Str("type") == "rich_text" {
			richText(&b, bl.List("elements"), 0)
		}
	}
	return strings.TrimSpace(b.String())
}

// richText writes a rich text block's elements.
func richText(b *strings.Builder, els []payload.Object, depth int) {
	if depth > maxNesting {
		return
	}
	for _, el := range els {
		switch el.Str("type") {
		case "rich_text_section":
			richText(b, el.List("elements"), depth+1)
			b.WriteString("\n")
		case "rich_text_quote":
			var inner strings.Builder
			richText(&inner, el.List("elements"), depth+1)
			b.WriteString("&gt; " + strings.ReplaceAll(strings.TrimRight(inner.String(), "\n"), "\n", "\n&gt; ") + "\n")
		case "rich_text_list":
			for i, item := range el.List("elements") {
				b.WriteString(strings.Repeat("   ", int(max(0, min(el.Num("indent"), maxNesting)))))
				if el.Str("style") == "ordered" {
					fmt.Fprintf(b, "%d. ", el.Num("offset")+int64(i)+1)
				} else {
					b.WriteString("- ")
				}
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

// richElement returns a rich text leaf in Slack's encoding.
func richElement(el payload.Object) string {
	switch el.Str("type") {
	case "text":
		s := markdown.Entities(el.Str("text"))
		if el.Obj("style").Flag("strike") && strings.TrimSpace(s) != "" {
			return "~" + s + "~" // what no longer holds
		}
		return s
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
	case "date":
		return cmp.Or(el.Str("fallback"), payload.Time(el.Str("timestamp")).Format("2006-01-02 15:04 MST"))
	case "color":
		return el.Str("value")
	}
	// Mentions of canvases, files, messages, records, workflows and whatever else has a name or an address.
	name, at := cmp.Or(el.Str("text"), el.Str("label"), el.Str("name")), el.Str("url")
	switch {
	case at != "" && name != "":
		return "<" + at + "|" + markdown.Entities(name) + ">"
	case at != "":
		return "<" + at + ">"
	case name == "" && el.Str("type") != "":
		return "[" + strings.ReplaceAll(el.Str("type"), "_", " ") + "]"
	}
	return markdown.Entities(name)
}
