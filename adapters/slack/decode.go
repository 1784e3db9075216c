package slack

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"maru/phrase/fit"
)

// token is what Slack writes between angle brackets: a mention, a channel, a
// special word or a link, with an optional label.
var token = regexp.MustCompile(`<([^<>|]*)(?:\|([^<>]*))?>`)

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// decode turns Slack's coding into plain words: the bot's own mention goes,
// others become @name, links keep their address, and what nobody sees is removed.
func (a *Adapter) decode(ctx context.Context, s string) string {
	id := a.whoami()
	var b strings.Builder
	end := 0
	for _, m := range token.FindAllStringSubmatchIndex(s, -1) {
		b.WriteString(entities.Replace(s[end:m[0]]))
		end = m[1]
		target, label := s[m[2]:m[3]], ""
		if m[4] >= 0 {
			label = s[m[4]:m[5]]
		}
		if id == nil || target != "@"+id.user {
			b.WriteString(a.plainToken(ctx, entities.Replace(target), entities.Replace(label)))
			continue
		}
		rest := strings.TrimSpace(s[end:])
		if rest == "" || strings.HasPrefix(rest, "<@") || strings.TrimSpace(b.String()) == "" {
			end += len(s[end:]) - len(strings.TrimLeft(s[end:], " "))
			continue
		}
		b.WriteString("@" + first(id.name, "maru")) // inside a sentence it is a word of it
	}
	b.WriteString(entities.Replace(s[end:]))
	return strings.TrimSpace(fit.Clean(b.String()))
}

// mentions reports whether Slack-coded text addresses the user.
func mentions(s, user string) bool {
	return user != "" && (strings.Contains(s, "<@"+user+">") || strings.Contains(s, "<@"+user+"|"))
}

// plainToken returns the words for one token.
func (a *Adapter) plainToken(ctx context.Context, target, label string) string {
	switch {
	case strings.HasPrefix(target, "@"):
		return "@" + first(label, a.users.name(ctx, target[1:]), target[1:])
	case strings.HasPrefix(target, "#"):
		return "#" + first(label, target[1:])
	case strings.HasPrefix(target, "!"):
		word := target[1:]
		if cut := strings.IndexByte(word, '^'); cut >= 0 {
			return first(label, word[:cut])
		}
		return "@" + strings.TrimPrefix(first(label, word), "@")
	case strings.HasPrefix(target, "mailto:"):
		return first(label, strings.TrimPrefix(target, "mailto:"))
	case label != "" && target == "http://"+label: // Slack takes notes.md for a place in the web: they wrote no address
		return label
	case label == "" || strings.HasSuffix(target, label) || strings.TrimSuffix(target, "/") == label:
		return target
	}
	return label + " (" + target + ")"
}

// blocksText reads rich text blocks in Slack's coding; blocks that are not what
// they should be are left out, never the ones beside them.
func blocksText(blocks []object) string {
	var b strings.Builder
	for _, bl := range blocks {
		switch bl.str("type") {
		case "rich_text":
			richText(&b, bl.list("elements"), 0)
		case "section", "markdown", "header":
			b.WriteString(first(bl.obj("text").str("text"), bl.str("text")) + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

const maxNesting = 8

// richText writes the elements of a rich text block.
func richText(b *strings.Builder, els []object, depth int) {
	if depth > maxNesting {
		return
	}
	for _, el := range els {
		switch el.str("type") {
		case "rich_text_section", "rich_text_quote":
			richText(b, el.list("elements"), depth+1)
			b.WriteString("\n")
		case "rich_text_list":
			for _, item := range el.list("elements") {
				b.WriteString("- ")
				richText(b, []object{item}, depth+1)
			}
		case "rich_text_preformatted":
			b.WriteString("```\n")
			richText(b, el.list("elements"), depth+1)
			b.WriteString("\n```\n")
		default:
			b.WriteString(richElement(el))
		}
	}
}

// richElement returns a leaf of a rich text block in Slack's coding.
func richElement(el object) string {
	switch el.str("type") {
	case "text":
		return escape(el.str("text"))
	case "link":
		if t := el.str("text"); t != "" {
			return "<" + el.str("url") + "|" + escape(t) + ">"
		}
		return "<" + el.str("url") + ">"
	case "user":
		return "<@" + el.str("user_id") + ">"
	case "channel":
		return "<#" + el.str("channel_id") + ">"
	case "usergroup":
		return "<!subteam^" + el.str("usergroup_id") + ">"
	case "broadcast":
		return "<!" + el.str("range") + ">"
	case "emoji":
		return ":" + el.str("name") + ":"
	}
	return el.str("text")
}

// quoted returns s as JSON.
func quoted(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return raw
}
