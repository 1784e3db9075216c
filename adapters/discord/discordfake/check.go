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
	flags, _ := b["flags"].(float64)
	switch {
	case !utf8.ValidString(content):
		q.invalid("content is not UTF-8")
	case runes(content) > 2000:
		q.invalid(fmt.Sprintf("content has %d characters", runes(content)))
	case strings.TrimSpace(content) == "" && b["embeds"] == nil && (create || b["content"] != nil):
		q.violate("content is empty")
		q.fail(http.StatusBadRequest, 50006, "Cannot send an empty message")
	case !noMentions(b["allowed_mentions"]):
		q.invalid("allowed_mentions does not forbid all mentions")
	case int(flags)&4 == 0:
		q.invalid("SUPPRESS_EMBEDS is not set")
	case int(flags)&^(4|64) != 0:
		q.invalid(fmt.Sprintf("flags %d", int(flags)))
	default:
		nonce, _ := b["nonce"].(string)
		if runes(nonce) > 25 {
			q.invalid("nonce is longer than 25 characters")
			return false
		}
		return q.checkComponents(b["components"])
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

// checkComponents checks action rows of buttons.
func (q *request) checkComponents(v any) bool {
	rows, _ := v.([]any)
	if len(rows) > 5 {
		q.invalid("more than 5 rows")
		return false
	}
	ids := map[string]bool{}
	for _, r := range rows {
		row, _ := r.(map[string]any)
		els, _ := row["components"].([]any)
		if row["type"] != 1.0 || len(els) < 1 || len(els) > 5 {
			q.invalid("a row is not an action row of 1 to 5 components")
			return false
		}
		for _, e := range els {
			el, _ := e.(map[string]any)
			if why := checkButton(el, ids); why != "" {
				q.invalid(why)
				return false
			}
		}
	}
	return true
}

func checkButton(el map[string]any, ids map[string]bool) string {
	label, _ := el["label"].(string)
	id, _ := el["custom_id"].(string)
	link, _ := el["url"].(string)
	style, _ := el["style"].(float64)
	switch {
	case el["type"] != 2.0:
		return "a row holds something that is no button"
	case runes(label) < 1 || runes(label) > 80:
		return fmt.Sprintf("button label has %d characters", runes(label))
	case style == 5 && (link == "" || len(link) > 512 || id != ""):
		return "link button without a good url"
	case style == 5:
		return ""
	case style < 1 || style > 5:
		return "button style"
	case runes(id) < 1 || runes(id) > 100:
		return fmt.Sprintf("custom_id has %d characters", runes(id))
	case ids[id]:
		return "custom_id twice in one message"
	}
	ids[id] = true
	return ""
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
