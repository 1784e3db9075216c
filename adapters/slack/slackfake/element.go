package slackfake

import "encoding/json"

// element validates an element of a block and the uniqueness of its id.
func (c *checker) element(raw json.RawMessage) {
	o := object(raw)
	kind := text(o["type"])
	if id := text(o["action_id"]); id != "" {
		c.length("action_id", id, 1, maxID)
		if c.actions[id] && !c.modal {
			c.fail("action_id %q twice", id)
		}
		c.actions[id] = true
	}
	switch kind {
	case "button":
		c.button(o)
	case "feedback_buttons":
		c.feedback(o)
	case "plain_text_input":
		c.words(o)
	case "static_select", "radio_buttons":
		c.choice(kind, o)
	case "multi_static_select":
		c.choices(o)
	case "multi_users_select":
		c.people(o)
	case "overflow", "datepicker", "checkboxes", "users_select", "image":
		// accepted as they are: the bot is not expected to send them yet
	default:
		c.fail("unknown element type %q", kind)
	}
}

// button checks a button.
func (c *checker) button(o map[string]json.RawMessage) {
	c.fields("button", o, "text", "action_id", "url", "value", "style", "confirm", "accessibility_label")
	c.textObject("button", o["text"], "plain_text", 75)
	c.length("button value", text(o["value"]), 0, 2000)
	c.length("button url", text(o["url"]), 0, maxURL)
	if st := text(o["style"]); o["style"] != nil && st != "primary" && st != "danger" {
		c.fail("button style %q", st)
	}
}

// feedback checks the two thumbs below an answer.
func (c *checker) feedback(o map[string]json.RawMessage) {
	c.fields("feedback_buttons", o, "action_id", "positive_button", "negative_button")
	for _, side := range []string{"positive_button", "negative_button"} {
		b := object(o[side])
		c.fields(side, b, "text", "value", "accessibility_label")
		c.textObject(side, b["text"], "plain_text", 75)
		c.length(side+" value", text(b["value"]), 1, 2000)
		c.length(side+" label", text(b["accessibility_label"]), 0, 75)
	}
}

// words checks a field of text.
func (c *checker) words(o map[string]json.RawMessage) {
	c.fields("plain_text_input", o, "action_id", "initial_value", "multiline", "min_length", "max_length", "placeholder", "focus_on_load", "dispatch_action_config")
	c.length("initial_value", text(o["initial_value"]), 0, 3000)
	var n int
	if o["max_length"] != nil && (json.Unmarshal(o["max_length"], &n) != nil || n < 1 || n > 3000) {
		c.fail("plain_text_input: max_length %d", n)
	}
}

// choice validates a single-select menu; the selection must be among its options.
func (c *checker) choice(kind string, o map[string]json.RawMessage) {
	c.fields(kind, o, "action_id", "options", "initial_option", "placeholder", "focus_on_load", "confirm")
	offered := c.options(kind, o)
	if o["initial_option"] != nil {
		c.offered(kind, offered, o["initial_option"])
	}
}

// choices checks a menu of which several are taken.
func (c *checker) choices(o map[string]json.RawMessage) {
	const kind = "multi_static_select"
	c.fields(kind, o, "action_id", "options", "initial_options", "placeholder", "focus_on_load", "confirm", "max_selected_items")
	offered := c.options(kind, o)
	if chosen, given := o["initial_options"]; given && len(list(chosen)) == 0 {
		c.fail("%s: initial_options is empty", kind)
	}
	for _, op := range list(o["initial_options"]) {
		c.offered(kind, offered, op)
	}
}

// options validates a menu's options and returns their values.
func (c *checker) options(kind string, o map[string]json.RawMessage) map[string]bool {
	most := 100
	if kind == "radio_buttons" {
		most = 10
	}
	opts := list(o["options"])
	if len(opts) < 1 || len(opts) > most {
		c.fail("%s: %d options, 1 to %d", kind, len(opts), most)
	}
	values := map[string]bool{}
	for _, op := range opts {
		oo := object(op)
		c.fields("option", oo, "text", "value", "description", "url")
		c.textObject("option", oo["text"], "plain_text", 75)
		c.length("option value", text(oo["value"]), 1, 75)
		values[text(oo["value"])] = true
	}
	return values
}

func (c *checker) offered(kind string, values map[string]bool, option json.RawMessage) {
	if v := text(object(option)["value"]); !values[v] {
		c.fail("%s: initial option %q is no option", kind, v)
	}
}

// people checks a menu of people.
func (c *checker) people(o map[string]json.RawMessage) {
	const kind = "multi_users_select"
	c.fields(kind, o, "action_id", "initial_users", "placeholder", "focus_on_load", "confirm", "max_selected_items")
	if chosen, given := o["initial_users"]; given && len(list(chosen)) == 0 {
		c.fail("%s: initial_users is empty", kind)
	}
	for _, u := range list(o["initial_users"]) {
		if id := text(u); id == "" || id[0] != 'U' && id[0] != 'W' {
			c.fail("%s: %q is nobody's id", kind, id)
		}
	}
}
