package slackfake

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Slack's limits (reference: its Block Kit pages; maxTotal was observed, not documented).
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

// checker walks blocks and stores the first fault.
type checker struct {
	err      string
	total    int
	markdown int
	blockIDs map[string]bool
	actions  map[string]bool
	modal    bool
	charts   int
}

func (c *checker) fail(format string, a ...any) {
	if c.err == "" {
		c.err = "invalid_blocks: " + fmt.Sprintf(format, a...)
	}
}

// CheckBlocks returns Slack's error for the blocks of a message, "" if they are fine.
func CheckBlocks(raw json.RawMessage) string { return checkBlocks(raw, false) }

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

// block checks one block, and that its id is its own.
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
		c.prose(b)
	case "section":
		c.section(b)
	case "context", "actions", "context_actions":
		c.row(kind, b)
	case "input":
		c.input(b)
	case "rich_text":
		c.fields(kind, b, "elements")
		for _, e := range list(b["elements"]) {
			c.rich(object(e))
		}
	case "data_visualization":
		c.chart(b)
	case "image", "table", "video", "file":
		// accepted as they are: the bot is not expected to send them yet
	default:
		c.fail("unknown block type %q", kind)
	}
}

// prose checks a markdown block, whose text counts towards that of the message.
func (c *checker) prose(b map[string]json.RawMessage) {
	c.fields("markdown", b, "text")
	t := text(b["text"])
	c.length("markdown text", t, 1, maxMarkdown)
	c.markdown += utf8.RuneCountInString(t)
	c.total += utf8.RuneCountInString(t)
	if c.modal {
		c.fail("markdown blocks are for messages")
	}
}

// row checks a block that is a row of texts or of elements.
func (c *checker) row(kind string, b map[string]json.RawMessage) {
	c.fields(kind, b, "elements")
	most := map[string]int{"context": 10, "actions": 25, "context_actions": 5}[kind]
	els := list(b["elements"])
	if len(els) < 1 || len(els) > most {
		c.fail("%s: %d elements, 1 to %d", kind, len(els), most)
	}
	for _, e := range els {
		k := text(object(e)["type"])
		switch {
		case kind == "context":
			c.textObject("context", e, "", 3000)
			continue
		case kind == "context_actions" && k != "feedback_buttons" && k != "icon_button":
			c.fail("context_actions: element type %q", k)
		}
		c.element(e)
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
