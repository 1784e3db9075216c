package slackfake

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

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
		case "date":
			c.fields("rich text date", eo, "timestamp", "format", "url", "fallback")
			if at := 0; json.Unmarshal(eo["timestamp"], &at) != nil || at <= 0 || !strings.Contains(text(eo["format"]), "{") {
				c.fail("rich text date: %s, %q", eo["timestamp"], text(eo["format"]))
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
