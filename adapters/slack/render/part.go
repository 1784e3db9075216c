package render

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/slack-go/slack"

	"maru/phrase/markdown"
)

// Part is one message of a reply at three levels: full blocks, plain sections in place of
// Markdown, and text only. The fallbacks keep a card from being lost when Slack rejects its
// blocks.
type Part struct {
	Blocks []slack.Block
	Text   string   // for notifications and screen readers, mrkdwn-escaped
	plain  string   // its full text, for the level without blocks
	charts []string // its charts as text, in order
}

// pack packs elements into messages in order.
func pack(els []element) []Part {
	var out []Part
	for len(els) > 0 {
		n, md, size := 0, 0, 0
		for n < len(els) && n < maxBlocks && (n == 0 || !els[n].fresh && md+els[n].markdown <= maxMarkdown && size+els[n].size <= maxTotal) {
			md += els[n].markdown
			size += els[n].size
			n++
		}
		var p Part
		var plain []string
		for _, e := range els[:n] {
			p.Blocks = append(p.Blocks, e.block)
			plain = append(plain, e.plain)
			if e.bars != "" {
				p.charts = append(p.charts, e.bars)
			}
		}
		p.plain = strings.Join(plain, "\n\n")
		p.Text = cmp.Or(clipEscaped(p.plain, MaxFallback), "…")
		out = append(out, p)
		els = els[n:]
	}
	return out
}

// WordsOnly returns a part as plain text of at most limit.
func (p Part) WordsOnly(limit int) Part {
	return Part{Text: cmp.Or(clipEscaped(p.plain, limit), "…")}
}

// Plainer replaces Markdown by plain sections and keeps the buttons.
func (p Part) Plainer() Part {
	out, charts := Part{Text: p.Text, plain: p.plain}, p.charts
	for _, b := range p.Blocks {
		if b.BlockType() == slack.MBTDataVisualization && len(charts) > 0 {
			out.Blocks, charts = append(out.Blocks, barSection(charts[0])), charts[1:]
			continue
		}
		md, ok := b.(*slack.MarkdownBlock)
		if fb, isFeedback := b.(*slack.ContextActionsBlock); isFeedback {
			b = asButtons(fb)
		}
		if !ok {
			out.Blocks = append(out.Blocks, b)
			continue
		}
		for _, piece := range sections(md.Text) {
			if len(out.Blocks) < maxBlocks-8 {
				out.Blocks = append(out.Blocks, section(markdown.Unmarked(piece), "").block)
			}
		}
	}
	return out
}

// sections cuts Markdown into pieces of a section's size, between lines or words where there are any. Code that goes on in
// the next piece is a block in each.
func sections(md string) []string {
	const fence = "```"
	var out []string
	open := ""
	for md != "" {
		head := cut(md, maxSection-2*len(fence)-2)
		for _, between := range []string{"\n", " "} {
			if i := strings.LastIndex(head, between) + 1; len(head) < len(md) && i > len(head)/2 {
				head = head[:i]
				break
			}
		}
		piece := open + head
		if md, open = md[len(head):], ""; md != "" && strings.Count(piece, fence)%2 == 1 {
			piece, open = strings.TrimRight(piece, "\n")+"\n"+fence, fence+"\n"
		}
		out = append(out, piece)
	}
	return out
}

// asButtons converts feedback buttons to plain ones.
func asButtons(b *slack.ContextActionsBlock) slack.Block {
	var els []slack.BlockElement
	for _, e := range b.Elements.ElementSet {
		if fb, ok := e.(*slack.FeedbackButtonsBlockElement); ok {
			for _, side := range []*slack.FeedbackButton{fb.PositiveButton, fb.NegativeButton} {
				els = append(els, slack.NewButtonBlockElement(ActionPrefix+side.Value, side.Value, side.Text))
			}
		}
	}
	return slack.NewActionBlock("", els...)
}

// Options returns the message parameters shared by all send methods.
func (p Part) Options() []slack.MsgOption {
	opts := []slack.MsgOption{slack.MsgOptionText(p.Text, false)}
	if len(p.Blocks) > 0 {
		opts = append(opts, slack.MsgOptionBlocks(p.Blocks...))
	}
	return opts
}

// Digest identifies a part's content for comparison.
func (p Part) Digest() string {
	raw, err := json.Marshal(p.Blocks)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(append(raw, p.Text...))
	return hex.EncodeToString(sum[:16])
}
