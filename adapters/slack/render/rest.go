package render

import (
	"strings"

	"github.com/slack-go/slack"
)

// Continue returns the text that a stream still has to append to sent, and the blocks below
// it; false if the message does not continue sent.
func Continue(p Part, sent string) (text string, blocks []slack.Block, ok bool) {
	blocks = p.Blocks
	if md, isText := p.Blocks[0].(*slack.MarkdownBlock); isText {
		text, blocks = md.Text, p.Blocks[1:]
	}
	for _, b := range blocks {
		if b.BlockType() == slack.MBTMarkdown || b.BlockType() == slack.MBTHeader {
			return "", nil, false
		}
	}
	if !strings.HasPrefix(text, sent) {
		return "", nil, false
	}
	return text[len(sent):], blocks, true
}

// Rest returns the remainder of a message after the sent text: nothing, one message, or the
// whole message where it cannot be split there.
func Rest(p Part, sent string) []Part {
	text, blocks, ok := Continue(p, sent)
	if !ok || strings.Count(sent, "```")%2 != 0 {
		return []Part{p}
	}
	var els []element
	if text = strings.TrimSpace(text); text != "" {
		els = append(els, textElement(Piece{Markdown: text, plain: text}))
	}
	for _, b := range blocks {
		els = append(els, element{block: b})
	}
	return pack(els)
}

// Part returns a message with this piece only.
func (p Piece) Part() Part { return pack([]element{textElement(p)})[0] }
