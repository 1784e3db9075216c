package notion

import (
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// FuzzBlocks: whatever the API answers with, its conversion ends, and all text is text.
func FuzzBlocks(f *testing.F) {
	for _, s := range []string{
		`[]`, `[null]`, `[{}]`, `[{"type": "paragraph", "paragraph": {"rich_text": [{"plain_text": "<b>&amp;"}]}}]`, `[{"type": "table_row", "table_row": {"cells": [[]]}}]`,
		`[{"type": "to_do", "to_do": {"checked": true, "rich_text": [{"plain_text": "x"}]}}, {"type": "numbered_list_item"}]`, `[{"type": "code", "code": "x"}]`, `[{"type": "id", "id": {"url": 1}}]`,
	} {
		f.Add(s, `{"a": {"type": "number", "number": "x"}, "b": {"type": "select", "select": {"name": "<i>"}}}`)
	}
	f.Fuzz(func(t *testing.T, blocks, properties string) {
		var list []block
		var all map[string]property
		if json.Unmarshal([]byte(blocks), &list) != nil || json.Unmarshal([]byte(properties), &all) != nil {
			return
		}
		r := &renderer{}
		r.properties(all)
		r.blocks(list)
		r.table(block{inner: list})
		z := html.NewTokenizer(strings.NewReader(r.b.String()))
		for z.Next() != html.ErrorToken {
			switch name := z.Token().Data; z.Token().Type {
			case html.StartTagToken, html.EndTagToken:
				if !strings.Contains(" p h2 h3 h4 ul ol li table tr td th pre br div ", " "+name+" ") {
					t.Errorf("<%s> is in %q", name, r.b.String())
				}
			}
		}
	})
}
