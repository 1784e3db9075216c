package discordfake

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

func runes(s string) int { return utf8.RuneCountInString(s) }

// only rejects unknown fields.
func (q *request) only(fields ...string) bool {
	for k := range q.body {
		if !slices.Contains(fields, k) {
			q.invalid("unknown field " + k)
			return false
		}
	}
	return true
}

// checkMessage validates a message's body against Discord's rules and Maru's: no mentions and no previews.
func (q *request) checkMessage(create bool) bool {
	fields := []string{"content", "embeds", "allowed_mentions", "flags", "components", "attachments"}
	if create {
		if !q.checkFiles() {
			return false
		}
		fields = append(fields, "nonce", "enforce_nonce", "message_reference", "tts", "sticker_ids")
	}
	if !q.only(fields...) {
		return false
	}
	if n, _ := q.body["flags"].(float64); int(n)&64 != 0 && (!create || strings.HasPrefix(q.path, "/channels/")) {
		q.invalid("EPHEMERAL is for the answers to interactions")
		return false
	}
	return q.checkBody(q.body, create)
}

func (q *request) checkBody(b map[string]any, create bool) bool {
	content, _ := b["content"].(string)
	n, _ := b["flags"].(float64)
	flags := int(n)
	v2 := flags&flagV2 != 0
	switch {
	case !utf8.ValidString(content):
		q.invalid("content is not UTF-8")
	case runes(content) > 2000:
		q.invalid(fmt.Sprintf("content has %d characters", runes(content)))
	case v2 && (b["content"] != nil || b["embeds"] != nil):
		q.invalid("content or embeds in a message of components")
	case !v2 && strings.TrimSpace(content) == "" && b["embeds"] == nil && (create || b["content"] != nil):
		q.violate("content is empty")
		q.fail(http.StatusBadRequest, 50006, "Cannot send an empty message")
	case !noMentions(b["allowed_mentions"]):
		q.invalid("allowed_mentions does not forbid all mentions")
	case flags&4 == 0:
		q.invalid("SUPPRESS_EMBEDS is not set")
	case flags&^(4|64|flagV2) != 0:
		q.invalid(fmt.Sprintf("flags %d", flags))
	default:
		nonce, _ := b["nonce"].(string)
		if runes(nonce) > 25 {
			q.invalid("nonce is longer than 25 characters")
			return false
		}
		why := checkComponents(b["components"], v2)
		if why != "" {
			q.invalid(why)
		}
		return why == ""
	}
	return false
}

// checkChange validates an edit against the message's type: a component message stays one, and a message that
// becomes one must clear its content explicitly.
func (q *request) checkChange(m *Message) bool {
	n, given := q.body["flags"].(float64)
	v2 := int(n)&flagV2 != 0
	content, named := q.body["content"]
	switch {
	case m.Flags&flagV2 != 0 && (content != nil || given && !v2):
		q.invalid("a message of components cannot be turned back")
	case m.Flags&flagV2 == 0 && v2 && m.Content != "" && !(named && content == nil):
		q.invalid("a message that becomes one of components keeps its content")
	default:
		return true
	}
	return false
}

// noMentions reports whether allowed mentions are present and empty.
func noMentions(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	parse, ok := m["parse"].([]any)
	replied, _ := m["replied_user"].(bool)
	return ok && len(parse) == 0 && !replied && m["users"] == nil && m["roles"] == nil
}
