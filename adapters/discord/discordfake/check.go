package discordfake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

func runes(s string) int { return utf8.RuneCountInString(s) }

// only refuses fields that Discord does not know here.
func (q *request) only(fields ...string) bool {
	for k := range q.body {
		if !slices.Contains(fields, k) {
			q.invalid("unknown field " + k)
			return false
		}
	}
	return true
}

// checkMessage holds a message's body against Discord's rules and this house's:
// nobody is ever mentioned, and no preview is ever made.
func (q *request) checkMessage(create bool) bool {
	fields := []string{"content", "embeds", "allowed_mentions", "flags", "components", "attachments"}
	if create {
		fields = append(fields, "nonce", "enforce_nonce", "message_reference", "tts")
	}
	if !q.only(fields...) {
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

// checkChange holds an edit against what the message is: one of components
// stays one, and one that becomes it loses its content by name.
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

// noMentions reports whether allowed mentions are given and are none.
func noMentions(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	parse, ok := m["parse"].([]any)
	replied, _ := m["replied_user"].(bool)
	return ok && len(parse) == 0 && !replied && m["users"] == nil && m["roles"] == nil
}

var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}]{1,32}$`)

func (q *request) putCommands() {
	var list []map[string]any
	if json.Unmarshal(q.raw, &list) != nil {
		q.invalid("commands are no list")
		return
	}
	if q.vars[0] != q.f.appID {
		q.fail(http.StatusForbidden, 20012, "You are not authorized to perform this action on this application")
		return
	}
	q.f.commands = nil
	for _, c := range list {
		total := 0
		if why := checkCommand(c, &total, true); why != "" {
			q.invalid(why)
			return
		}
		if total > 8000 {
			q.invalid("a command has more than 8000 characters")
			return
		}
		q.f.commands = append(q.f.commands, c)
	}
	q.ok(list)
}

func checkCommand(c map[string]any, total *int, root bool) string {
	name, _ := c["name"].(string)
	desc, _ := c["description"].(string)
	kind, _ := c["type"].(float64)
	*total += runes(name) + runes(desc)
	switch {
	case !commandName.MatchString(name) || name != strings.ToLower(name):
		return "command name " + name
	case (!root || kind == 1) && (runes(desc) < 1 || runes(desc) > 100):
		return "command description of " + name
	}
	options, _ := c["options"].([]any)
	if len(options) > 25 {
		return "more than 25 options"
	}
	optional := false
	for _, o := range options {
		opt, _ := o.(map[string]any)
		required, _ := opt["required"].(bool)
		if required && optional {
			return "required option after an optional one in " + name
		}
		optional = optional || !required
		if why := checkCommand(opt, total, false); why != "" {
			return why
		}
	}
	choices, _ := c["choices"].([]any)
	if len(choices) > 25 {
		return "more than 25 choices"
	}
	return ""
}
