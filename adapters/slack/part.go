package slack

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/slack-go/slack"

	"maru/adapters/slack/web"
	"maru/phrase/markdown"
)

// part is one message of a reply, in three looks: with everything, with plain
// sections in place of Markdown, and as text only. A card is never lost because
// Slack refuses its look.
type part struct {
	blocks []slack.Block
	text   string // what notifications and screen readers get, safe in mrkdwn
	plain  string // all its words, for the look without blocks
}

// pack fills messages with elements in order.
func pack(els []element) []part {
	var out []part
	for len(els) > 0 {
		n, md, size := 0, 0, 0
		for n < len(els) && n < maxBlocks && (n == 0 || !els[n].fresh && md+els[n].markdown <= maxMarkdown && size+els[n].size <= maxTotal) {
			md += els[n].markdown
			size += els[n].size
			n++
		}
		var p part
		var plain []string
		for _, e := range els[:n] {
			p.blocks = append(p.blocks, e.block)
			plain = append(plain, e.plain)
		}
		p.plain = strings.Join(plain, "\n\n")
		p.text = cmp.Or(clipEscaped(p.plain, maxFallback), "…")
		out = append(out, p)
		els = els[n:]
	}
	return out
}

// each tries the looks of a part, plainer with every refusal.
func (p part) each(send func(part) error) error {
	err := send(p)
	if !web.RefusedBlocks(err) {
		return err
	}
	err = send(p.plainer())
	if !web.RefusedBlocks(err) {
		return err
	}
	err = send(part{text: cmp.Or(clipEscaped(p.plain, maxPlainMessage), "…")})
	if web.Code(err) != "msg_too_long" {
		return err
	}
	return send(part{text: cmp.Or(clipEscaped(p.plain, maxPlainEdit), "…")})
}

// plainer replaces Markdown by plain sections and keeps the buttons.
func (p part) plainer() part {
	out := part{text: p.text, plain: p.plain}
	for _, b := range p.blocks {
		md, ok := b.(*slack.MarkdownBlock)
		if fb, isFeedback := b.(*slack.ContextActionsBlock); isFeedback {
			b = asButtons(fb)
		}
		if !ok {
			out.blocks = append(out.blocks, b)
			continue
		}
		for rest := md.Text; rest != "" && len(out.blocks) < maxBlocks-8; {
			head := cut(rest, maxSection)
			rest = rest[len(head):]
			out.blocks = append(out.blocks, section(markdown.Unmarked(head), "").block)
		}
	}
	return out
}

// asButtons are feedback buttons where Slack knows only plain ones.
func asButtons(b *slack.ContextActionsBlock) slack.Block {
	var els []slack.BlockElement
	for _, e := range b.Elements.ElementSet {
		if fb, ok := e.(*slack.FeedbackButtonsBlockElement); ok {
			for _, side := range []*slack.FeedbackButton{fb.PositiveButton, fb.NegativeButton} {
				els = append(els, slack.NewButtonBlockElement(actionPrefix+side.Value, side.Value, side.Text))
			}
		}
	}
	return slack.NewActionBlock("", els...)
}

// options are the parameters of a message that every send shares.
func (p part) options() []slack.MsgOption {
	opts := []slack.MsgOption{slack.MsgOptionText(p.text, false)}
	if len(p.blocks) > 0 {
		opts = append(opts, slack.MsgOptionBlocks(p.blocks...))
	}
	return opts
}

// digest tells parts apart without keeping them.
func (p part) digest() string {
	raw, err := json.Marshal(p.blocks)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(append(raw, p.text...))
	return hex.EncodeToString(sum[:16])
}
