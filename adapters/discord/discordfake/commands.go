package discordfake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"maru/phrase/pattern"
)

var commandName = pattern.New(`^[-_'\p{L}\p{N}]{1,32}$`)

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
	names, kinds := map[string]bool{}, map[float64]int{}
	for _, c := range list {
		kind, _ := c["type"].(float64)
		kinds[kind]++
		why := checkRoot(c, kind)
		if key := fmt.Sprint(kind, c["name"]); why == "" && names[key] {
			why = "two commands of one name"
		} else {
			names[key] = true
		}
		if why != "" {
			q.invalid(why)
			return
		}
		q.f.commands = append(q.f.commands, c)
	}
	if kinds[1] > 100 || kinds[2] > 15 || kinds[3] > 15 {
		q.invalid("too many commands")
		return
	}
	q.ok(list)
}

// checkRoot validates a command: a menu command has only a name.
func checkRoot(c map[string]any, kind float64) string {
	name, _ := c["name"].(string)
	if kind == 2 || kind == 3 {
		if runes(name) < 1 || runes(name) > 32 || c["description"] != nil || c["options"] != nil {
			return "menu " + name
		}
		return ""
	}
	total := 0
	if why := checkCommand(c, &total, 0); why != "" {
		return why
	}
	if total > 8000 {
		return "a command has more than 8000 characters"
	}
	return ""
}

// checkCommand checks a chat command (depth 0) or an option of one.
func checkCommand(c map[string]any, total *int, depth int) string {
	name, _ := c["name"].(string)
	desc, _ := c["description"].(string)
	kind, _ := c["type"].(float64)
	*total += runes(name) + runes(desc)
	switch {
	case !commandName.MatchString(name) || name != strings.ToLower(name):
		return "command name " + name
	case runes(desc) < 1 || runes(desc) > 100:
		return "command description of " + name
	case depth > 0 && kind == 2 && depth != 1, depth > 0 && kind == 1 && depth > 2:
		return "nested too deep: " + name
	}
	if why := checkValues(c, total); why != "" {
		return why + " of " + name
	}
	options, _ := c["options"].([]any)
	if len(options) > 25 {
		return "more than 25 options"
	}
	optional, seen := false, map[string]bool{}
	for _, o := range options {
		opt, _ := o.(map[string]any)
		required, _ := opt["required"].(bool)
		n, _ := opt["name"].(string)
		if required && optional {
			return "required option after an optional one in " + name
		}
		if seen[n] {
			return "two options of one name in " + name
		}
		seen[n] = true
		optional = optional || !required
		if why := checkCommand(opt, total, depth+1); why != "" {
			return why
		}
	}
	return ""
}

// checkValues checks the values that an option can have.
func checkValues(c map[string]any, total *int) string {
	choices, _ := c["choices"].([]any)
	auto, _ := c["autocomplete"].(bool)
	if len(choices) > 25 || auto && len(choices) > 0 {
		return "more than 25 choices, or choices with autocomplete"
	}
	for _, ch := range choices {
		m, _ := ch.(map[string]any)
		name, _ := m["name"].(string)
		value := fmt.Sprint(m["value"])
		*total += runes(name) + runes(value)
		if runes(name) < 1 || runes(name) > 100 || runes(value) > 100 {
			return "choice"
		}
	}
	low, hasLow := c["min_value"].(float64)
	high, hasHigh := c["max_value"].(float64)
	if kind := c["type"]; (hasLow || hasHigh) && kind != 4.0 && kind != 10.0 || hasLow && hasHigh && low > high {
		return "bounds"
	}
	return ""
}

// checkOffers checks the answer to an autocompletion.
func checkOffers(data map[string]any) string {
	list, ok := data["choices"].([]any)
	if !ok || len(list) > 25 {
		return "autocompletion has not 0 to 25 choices"
	}
	total := 0
	return checkValues(map[string]any{"choices": list}, &total)
}
