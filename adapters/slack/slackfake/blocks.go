package slackfake

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// What Slack takes at most (reference: its Block Kit pages; maxTotal was seen,
// not documented).
const (
	maxText     = 40000
	maxEdit     = 4000 // of chat.update
	maxView     = 250 << 10
	maxBlocks   = 50
	maxModal    = 100
	maxMarkdown = 12000
	maxTotal    = 13200
	maxID       = 255
	maxURL      = 3000
)

// checker walks blocks and keeps the first thing that is wrong.
type checker struct {
	err      string
	total    int
	markdown int
	blockIDs map[string]bool
	actions  map[string]bool
	modal    bool
}

func (c *checker) fail(format string, a ...any) {
	if c.err == "" {
		c.err = "invalid_blocks: " + fmt.Sprintf(format, a...)
	}
}

// checkBlocks returns Slack's error for a list of blocks, "" if it is fine.
func checkBlocks(raw json.RawMessage, modal bool) string {
	var blocks []map[string]json.RawMessage
	if json.Unmarshal(raw, &blocks) != nil {
		return "invalid_blocks_format"
	}
	c := &checker{blockIDs: map[string]bool{}, actions: map[string]bool{}, modal: modal}
	most := maxBlocks
	if modal {
		most = maxModal
	}
	if len(blocks) == 0 && modal || len(blocks) > most {
		c.fail("%d blocks, at most %d", len(blocks), most)
	}
	for _, b := range blocks {
		c.block(b)
	}
	switch {
	case c.err != "":
		return c.err
	case c.markdown > maxMarkdown, c.total > maxTotal:
		return "msg_blocks_too_long"
	}
	return ""
}

// fields checks that an object has nothing but the named fields.
func (c *checker) fields(what string, o map[string]json.RawMessage, names ...string) {
	known := map[string]bool{"type": true, "block_id": true}
	for _, n := range names {
		known[n] = true
	}
	for k := range o {
		if !known[k] {
			c.fail("%s: unknown field %s", what, k)
		}
	}
}

func (c *checker) block(b map[string]json.RawMessage) {
	kind := text(b["type"])
	if id := text(b["block_id"]); id != "" {
		c.length("block_id", id, 1, maxID)
		if c.blockIDs[id] {
			c.fail("block_id %q twice", id)
		}
		c.blockIDs[id] = true
	}
	switch kind {
	case "divider":
		c.fields(kind, b)
	case "header":
		c.fields(kind, b, "text")
		c.textObject("header", b["text"], "plain_text", 150)
	case "markdown":
		c.fields(kind, b, "text")
		t := text(b["text"])
		c.length("markdown text", t, 1, maxMarkdown)
		c.markdown += utf8.RuneCountInString(t)
		c.total += utf8.RuneCountInString(t)
		if c.modal {
			c.fail("markdown blocks are for messages")
		}
	case "section":
		c.section(b)
	case "context":
		c.fields(kind, b, "elements")
		els := list(b["elements"])
		if len(els) < 1 || len(els) > 10 {
			c.fail("context: %d elements, 1 to 10", len(els))
		}
		for _, e := range els {
			c.textObject("context", e, "", 3000)
		}
	case "actions":
		c.fields(kind, b, "elements")
		els := list(b["elements"])
		if len(els) < 1 || len(els) > 25 {
			c.fail("actions: %d elements, 1 to 25", len(els))
		}
		for _, e := range els {
			c.element(e)
		}
	case "context_actions":
		c.fields(kind, b, "elements")
		els := list(b["elements"])
		if len(els) < 1 || len(els) > 5 {
			c.fail("context_actions: %d elements, 1 to 5", len(els))
		}
		for _, e := range els {
			if k := text(object(e)["type"]); k != "feedback_buttons" && k != "icon_button" {
				c.fail("context_actions: element type %q", k)
			}
			c.element(e)
		}
	case "input":
		c.input(b)
	case "rich_text":
		c.fields(kind, b, "elements")
		for _, e := range list(b["elements"]) {
			c.rich(object(e))
		}
	case "image", "table", "video", "file":
		// accepted as they are: the bot is not expected to send them yet
	default:
		c.fail("unknown block type %q", kind)
	}
}

// rich checks an element of a rich_text block: sections, and lists of them.
func (c *checker) rich(o map[string]json.RawMessage) {
	switch kind := text(o["type"]); kind {
	case "rich_text_section":
		c.fields(kind, o, "elements")
		c.richWords(kind, o)
	case "rich_text_quote":
		c.fields(kind, o, "elements", "border")
		c.richWords(kind, o)
	case "rich_text_preformatted":
		c.fields(kind, o, "elements", "border", "language")
		c.richWords(kind, o)
	case "rich_text_list":
		c.fields(kind, o, "elements", "style", "indent", "border", "offset")
		indent := 0
		if json.Unmarshal(o["indent"], &indent) != nil && o["indent"] != nil || indent < 0 || indent > 8 {
			c.fail("rich_text_list: indent %s, 0 to 8", o["indent"])
		}
		if len(list(o["elements"])) == 0 {
			c.fail("rich_text_list: no elements")
		}
		if st := text(o["style"]); st != "ordered" && st != "bullet" {
			c.fail("rich_text_list: style %q", st)
		}
		for _, e := range list(o["elements"]) {
			if text(object(e)["type"]) != "rich_text_section" {
				c.fail("rich_text_list: holds sections")
			}
			c.rich(object(e))
		}
	default:
		c.fail("rich_text: element type %q", kind)
	}
}

// richWords checks the words of a rich text element: text and links.
func (c *checker) richWords(kind string, o map[string]json.RawMessage) {
	els := list(o["elements"])
	if len(els) == 0 {
		c.fail("%s: no elements", kind)
	}
	for _, e := range els {
		eo := object(e)
		switch text(eo["type"]) {
		case "text":
			c.fields("rich text", eo, "text", "style")
			c.length("rich text", text(eo["text"]), 1, 3000)
		case "link":
			c.fields("rich text link", eo, "text", "style", "url")
			c.length("rich text url", text(eo["url"]), 1, 3000)
			if kind == "rich_text_preformatted" && eo["style"] != nil {
				c.fail("rich_text_preformatted: a link has no style")
			}
		default:
			c.fail("%s: element type %q", kind, text(eo["type"]))
		}
		for name := range object(eo["style"]) {
			switch name {
			case "bold", "italic", "strike", "code":
			default:
				c.fail("rich text: style %q", name)
			}
		}
		c.total += utf8.RuneCountInString(text(eo["text"]))
	}
}

func (c *checker) section(b map[string]json.RawMessage) {
	c.fields("section", b, "text", "fields", "accessory", "expand")
	if b["text"] == nil && b["fields"] == nil {
		c.fail("section: neither text nor fields")
	}
	if b["text"] != nil {
		c.textObject("section", b["text"], "", 3000)
	}
	if b["fields"] != nil {
		fs := list(b["fields"])
		if len(fs) < 1 || len(fs) > 10 {
			c.fail("section: %d fields, 1 to 10", len(fs))
		}
		for _, f := range fs {
			c.textObject("field", f, "", 2000)
		}
	}
	if b["accessory"] != nil {
		c.element(b["accessory"])
	}
}

func (c *checker) input(b map[string]json.RawMessage) {
	c.fields("input", b, "label", "element", "hint", "optional", "dispatch_action")
	if !c.modal {
		c.fail("input blocks are for views")
	}
	c.textObject("label", b["label"], "plain_text", 2000)
	if b["hint"] != nil {
		c.textObject("hint", b["hint"], "plain_text", 2000)
	}
	c.element(b["element"])
}

// textObject checks a text object; kind "" allows both.
func (c *checker) textObject(what string, raw json.RawMessage, kind string, most int) {
	o := object(raw)
	if o == nil {
		c.fail("%s: no text object", what)
		return
	}
	c.fields(what, o, "text", "emoji", "verbatim")
	t := text(o["type"])
	if t != "plain_text" && t != "mrkdwn" || kind != "" && t != kind {
		c.fail("%s: text type %q", what, t)
	}
	if t == "mrkdwn" && o["emoji"] != nil || t == "plain_text" && o["verbatim"] != nil {
		c.fail("%s: emoji is for plain_text and verbatim for mrkdwn", what)
	}
	c.length(what, text(o["text"]), 1, most)
	c.total += utf8.RuneCountInString(text(o["text"]))
}

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
		c.fields(kind, o, "text", "action_id", "url", "value", "style", "confirm", "accessibility_label")
		c.textObject("button", o["text"], "plain_text", 75)
		c.length("button value", text(o["value"]), 0, 2000)
		c.length("button url", text(o["url"]), 0, maxURL)
		if st := text(o["style"]); o["style"] != nil && st != "primary" && st != "danger" {
			c.fail("button style %q", st)
		}
	case "feedback_buttons":
		c.fields(kind, o, "action_id", "positive_button", "negative_button")
		for _, side := range []string{"positive_button", "negative_button"} {
			b := object(o[side])
			c.fields(side, b, "text", "value", "accessibility_label")
			c.textObject(side, b["text"], "plain_text", 75)
			c.length(side+" value", text(b["value"]), 1, 2000)
			c.length(side+" label", text(b["accessibility_label"]), 0, 75)
		}
	case "plain_text_input":
		c.fields(kind, o, "action_id", "initial_value", "multiline", "min_length", "max_length", "placeholder", "focus_on_load", "dispatch_action_config")
		c.length("initial_value", text(o["initial_value"]), 0, 3000)
		var n int
		if o["max_length"] != nil && (json.Unmarshal(o["max_length"], &n) != nil || n < 1 || n > 3000) {
			c.fail("plain_text_input: max_length %d", n)
		}
	case "static_select", "radio_buttons":
		c.fields(kind, o, "action_id", "options", "initial_option", "placeholder", "focus_on_load", "confirm")
		opts := list(o["options"])
		if len(opts) < 1 || len(opts) > 100 {
			c.fail("%s: %d options, 1 to 100", kind, len(opts))
		}
		for _, op := range opts {
			oo := object(op)
			c.fields("option", oo, "text", "value", "description", "url")
			c.textObject("option", oo["text"], "plain_text", 75)
			c.length("option value", text(oo["value"]), 1, 75)
		}
	case "multi_static_select":
		c.fields(kind, o, "action_id", "options", "initial_options", "placeholder", "focus_on_load", "confirm", "max_selected_items")
		opts := list(o["options"])
		if len(opts) < 1 || len(opts) > 100 {
			c.fail("%s: %d options, 1 to 100", kind, len(opts))
		}
		known := map[string]bool{}
		for _, op := range opts {
			oo := object(op)
			c.fields("option", oo, "text", "value", "description", "url")
			c.textObject("option", oo["text"], "plain_text", 75)
			c.length("option value", text(oo["value"]), 1, 75)
			known[text(oo["value"])] = true
		}
		if chosen, given := o["initial_options"]; given && len(list(chosen)) == 0 {
			c.fail("%s: initial_options is empty", kind)
		}
		for _, op := range list(o["initial_options"]) {
			if v := text(object(op)["value"]); !known[v] {
				c.fail("%s: initial option %q is no option", kind, v)
			}
		}
	case "multi_users_select":
		c.fields(kind, o, "action_id", "initial_users", "placeholder", "focus_on_load", "confirm", "max_selected_items")
		if chosen, given := o["initial_users"]; given && len(list(chosen)) == 0 {
			c.fail("%s: initial_users is empty", kind)
		}
		for _, u := range list(o["initial_users"]) {
			if id := text(u); id == "" || id[0] != 'U' && id[0] != 'W' {
				c.fail("%s: %q is nobody's id", kind, id)
			}
		}
	case "overflow", "datepicker", "checkboxes", "users_select", "image":
	default:
		c.fail("unknown element type %q", kind)
	}
}

func (c *checker) length(what, s string, least, most int) {
	if n := utf8.RuneCountInString(s); n < least || n > most {
		c.fail("%s: %d characters, %d to %d", what, n, least, most)
	}
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func object(raw json.RawMessage) map[string]json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func list(raw json.RawMessage) []json.RawMessage {
	var l []json.RawMessage
	if json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return l
}
