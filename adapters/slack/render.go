package slack

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"maru/bot"
	"maru/phrase"
)

// part is one message of a reply, in three looks: with everything, with plain
// sections in place of Markdown, and as text only. A card is never lost because
// Slack refuses its look.
type part struct {
	blocks []slack.Block
	text   string // what notifications and screen readers get, safe in mrkdwn
	plain  string // all its words, for the look without blocks
}

// element is a block with what it counts for.
type element struct {
	block    slack.Block
	markdown int    // of maxMarkdown
	size     int    // of maxTotal
	plain    string // its words
	fresh    bool   // it begins a message
}

// render turns a card into the messages that show it, each within the limits.
func render(c bot.Card) []part { return renderAt(c, nil) }

// renderAt is render for a reply whose messages began at the given lines of its
// text.
func renderAt(c bot.Card, breaks []int) []part {
	var els []element
	if t := strings.TrimSpace(clean(c.Title)); t != "" {
		t = clip(literal(oneLine(t)), maxHeader)
		els = append(els, element{block: slack.NewHeaderBlock(slack.NewTextBlockObject(slack.PlainTextType, t, false, false)), size: units(t), plain: t})
	}
	els = append(els, textElements(c, breaks)...)
	els = append(els, fieldElements(c.Fields)...)
	els = append(els, stepElements(c.Steps, c.Language)...)
	if c.Status != "" && !c.Final {
		els = append(els, contextElement("⏳ "+clip(oneLine(c.Status), contextText)))
	}
	els = append(els, sourceElements(c)...)
	els = append(els, buttonElements(c)...)
	if c.Footer != "" {
		els = append(els, contextElement(clip(oneLine(c.Footer), contextText)))
	}
	if len(els) == 0 {
		els = append(els, contextElement("…"))
	}
	return pack(els)
}

// textElements renders the card's Markdown, one block a message.
func textElements(c bot.Card, breaks []int) []element {
	if strings.TrimSpace(c.Text) == "" {
		return nil
	}
	src := cut(c.Text, maxMessages*maxPart)
	pieces := splitAt(parseMarkdown(src, knownLinks(c.Sources)), maxPart, breaks)
	more := len(src) < len(c.Text)
	if len(pieces) > maxMessages {
		pieces, more = pieces[:maxMessages], true
	}
	var out []element
	for _, p := range pieces {
		if strings.TrimSpace(p.md) == "" {
			continue
		}
		out = append(out, textElement(p))
	}
	if more {
		out = append(out, contextElement(phrase.Say(c.Language, "slack.cut_here_the_rest_is")))
	}
	return out
}

// knownLinks are the addresses that an answer may link to under their titles.
func knownLinks(sources []bot.Source) map[string]bool {
	known := make(map[string]bool, len(sources))
	for _, s := range sources {
		if s.URL != "" {
			known[strings.TrimSpace(s.URL)] = true
		}
	}
	return known
}

func textElement(p piece) element {
	return element{block: slack.NewMarkdownBlock("", p.md), markdown: units(p.md), size: units(p.md), plain: p.plain, fresh: p.fresh}
}

// contextElement is a quiet line.
func contextElement(s string) element {
	safe := clipEscaped(s, contextText)
	obj := slack.NewTextBlockObject(slack.MarkdownType, safe, false, true)
	return element{block: slack.NewContextBlock("", obj), size: units(safe), plain: s}
}

// section is a block of mrkdwn text that is already safe.
func section(safe, plain string) element {
	obj := slack.NewTextBlockObject(slack.MarkdownType, safe, false, true)
	return element{block: slack.NewSectionBlock(obj, nil, nil), size: units(safe), plain: plain}
}

func fieldElements(fields []bot.Field) []element {
	var out []element
	fields = fields[:min(len(fields), maxFields)]
	for len(fields) > 0 {
		n := min(len(fields), maxSectionSet)
		e := element{}
		var objs []*slack.TextBlockObject
		for _, f := range fields[:n] {
			label, value := clip(oneLine(f.Label), maxButton*2), clip(strings.TrimSpace(f.Value), 800)
			safe := clipSafe("*"+clipEscaped(label, 200)+"*\n"+clipEscaped(value, maxField-300), maxField)
			objs = append(objs, slack.NewTextBlockObject(slack.MarkdownType, safe, false, true))
			e.size += units(safe)
			e.plain += label + ": " + value + "\n"
		}
		e.block = slack.NewSectionBlock(nil, objs, nil)
		e.plain = strings.TrimSpace(e.plain)
		out = append(out, e)
		fields = fields[n:]
	}
	return out
}

var stepMarks = map[bot.StepState]string{
	bot.StepWaiting: "▫️", bot.StepRunning: "▶️", bot.StepDone: "✅", bot.StepFailed: "❌", bot.StepSkipped: "⏭️",
}

// stepElements renders a plan's steps as a numbered list. Slack shows its words
// as they are, so that nothing in a step can look like anything else.
func stepElements(steps []bot.Step, lang string) []element {
	if len(steps) == 0 {
		return nil
	}
	e := element{}
	var items []slack.RichTextElement
	for i, s := range steps[:min(len(steps), maxSteps)] {
		mark := first(stepMarks[s.State], "▫️")
		t, d := literal(clip(oneLine(s.Text), maxStepText)), literal(clip(oneLine(s.Detail), maxStepDetail))
		parts := []slack.RichTextSectionElement{slack.NewRichTextSectionTextElement(mark+" "+first(t, "–"), nil)}
		words := fmt.Sprintf("%d. %s %s", i+1, mark, t)
		if d != "" {
			parts = append(parts, slack.NewRichTextSectionTextElement("\n"+d, &slack.RichTextSectionTextStyle{Italic: true}))
			words += " – " + d
		}
		items = append(items, slack.NewRichTextSection(parts...))
		e.size += units(words) + 1
		e.plain += words + "\n"
	}
	e.plain = strings.TrimSpace(e.plain)
	e.block = slack.NewRichTextBlock("", slack.NewRichTextList(slack.RTEListOrdered, 0, items...))
	out := []element{e}
	if n := len(steps) - maxSteps; n > 0 {
		out = append(out, contextElement(phrase.Say(lang, "slack.and_more_steps", n)))
	}
	return out
}

// sourceElements renders the sources compactly, under a word that names them.
func sourceElements(c bot.Card) []element {
	if len(c.Sources) == 0 {
		return nil
	}
	var safe, plain []string
	for i, s := range c.Sources {
		if i == maxSources {
			rest := phrase.Say(c.Language, "slack.and_more", len(c.Sources)-maxSources)
			safe, plain = append(safe, rest), append(plain, rest)
			break
		}
		a, b := sourceLine(s)
		safe, plain = append(safe, a), append(plain, b)
	}
	head := phrase.Say(c.Language, "slack.sources")
	safe[0], plain[0] = "*"+head+"*\n"+safe[0], head+"\n"+plain[0]
	return gather(safe, plain, maxSection, func(safe, plain string) element {
		obj := slack.NewTextBlockObject(slack.MarkdownType, safe, false, true)
		return element{block: slack.NewContextBlock("", obj), size: units(safe), plain: plain}
	})
}

func sourceLine(s bot.Source) (safe, plain string) {
	title := clip(first(oneLine(s.Title), "–"), maxSourceTitle)
	var where string
	if h := oneLine(s.Heading); h != "" {
		where += " · " + clip(h, maxSourceTitle)
	}
	if s.Page > 0 {
		where += " · p. " + strconv.Itoa(s.Page)
	}
	num := "[" + strconv.Itoa(s.N) + "] "
	plain = num + title + where
	safe = num + plainSafe(title) + plainSafe(where)
	if u, _, ok := safeURL(s.URL); ok && units(u) < 1500 {
		safe = num + "<" + escape(u) + "|" + plainSafe(title) + ">" + plainSafe(where)
	}
	return safe, plain
}

// gather joins lines to as few elements as hold them.
func gather(safe, plain []string, limit int, build func(safe, plain string) element) []element {
	var out []element
	for len(safe) > 0 {
		n, size := 0, 0
		for n < len(safe) && (n == 0 || size+units(safe[n])+1 <= limit) {
			size += units(safe[n]) + 1
			n++
		}
		out = append(out, build(strings.Join(safe[:n], "\n"), strings.Join(plain[:n], "\n")))
		safe, plain = safe[n:], plain[n:]
	}
	return out
}

// feedbackElement renders the last two buttons of a card that asks for feedback
// as Slack's own; the others stay buttons.
func feedbackElement(c bot.Card) (element, []bot.Button, bool) {
	if c.Kind != bot.CardFeedback || len(c.Buttons) < 2 {
		return element{}, c.Buttons, false
	}
	e := element{}
	others, pair := c.Buttons[:len(c.Buttons)-2], c.Buttons[len(c.Buttons)-2:]
	var sides []*slack.FeedbackButton
	for _, b := range pair {
		value := buttonValue(b.ID, b.Verb)
		if b.ID == "" || b.URL != "" || len(value) > maxID-len(actionPrefix)-8 {
			return element{}, c.Buttons, false
		}
		label := plainText(oneLine(b.Label), "…", maxButton)
		sides = append(sides, slack.NewFeedbackButton(label, value))
		e.size += units(label.Text)
		e.plain += "[" + label.Text + "] "
	}
	id := actionPrefix + "feedback:" + buttonValue(pair[0].ID, "")
	e.block = slack.NewContextActionsBlock("", slack.NewFeedbackButtonsBlockElement(id, sides[0], sides[1]))
	e.plain = strings.TrimSpace(e.plain)
	return e, others, true
}

// buttonElements renders the buttons, and one that opens the card's form.
func buttonElements(c bot.Card) []element {
	var out []element
	feedback, buttons, rated := feedbackElement(c)
	if f := c.Form; f != nil && !hasButton(buttons, f.ID) {
		buttons = append(buttons[:len(buttons):len(buttons)], bot.Button{ID: f.ID, Verb: VerbOpen, Label: first(f.Title, f.Submit), Style: bot.ButtonPrimary})
	}
	seen := map[string]int{}
	for rows := 0; len(buttons) > 0 && rows < 2; rows++ {
		n := min(len(buttons), maxActions)
		e := element{}
		var els []slack.BlockElement
		for _, b := range buttons[:n] {
			el, ok := button(b, seen)
			if !ok {
				continue
			}
			els = append(els, el)
			e.size += units(el.Text.Text)
			e.plain += "[" + el.Text.Text + "] "
		}
		if len(els) > 0 {
			e.block, e.plain = slack.NewActionBlock("", els...), strings.TrimSpace(e.plain)
			out = append(out, e)
		}
		buttons = buttons[n:]
	}
	if rated {
		out = append(out, feedback)
	}
	return out
}

// VerbOpen is the verb of the button that the adapter adds to a card with a form
// and no button of its own for it.
const VerbOpen = "open"

func hasButton(bs []bot.Button, id string) bool {
	for _, b := range bs {
		if b.ID == id {
			return true
		}
	}
	return false
}

func button(b bot.Button, seen map[string]int) (*slack.ButtonBlockElement, bool) {
	label := plainText(oneLine(b.Label), "…", maxButton)
	if b.URL != "" {
		u, _, ok := safeURL(b.URL)
		if !ok {
			return nil, false
		}
		el := slack.NewButtonBlockElement(unique(linkPrefix, seen), "", label)
		el.URL = u
		return el, true
	}
	value := buttonValue(b.ID, b.Verb)
	if b.ID == "" || len(value) > maxID-len(actionPrefix)-8 {
		return nil, false
	}
	el := slack.NewButtonBlockElement(unique(actionPrefix+value, seen), value, label)
	switch b.Style {
	case bot.ButtonPrimary:
		el.Style = slack.StylePrimary
	case bot.ButtonDanger:
		el.Style = slack.StyleDanger
	}
	return el, true
}

// unique makes an action_id differ from the others of its message.
func unique(id string, seen map[string]int) string {
	seen[id]++
	if n := seen[id]; n > 1 || id == linkPrefix {
		return id + ":" + strconv.Itoa(n)
	}
	return id
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
		p.text = first(clipEscaped(p.plain, maxFallback), "…")
		out = append(out, p)
		els = els[n:]
	}
	return out
}

// each tries the looks of a part, plainer with every refusal.
func (p part) each(send func(part) error) error {
	err := send(p)
	if !refusedBlocks(err) {
		return err
	}
	err = send(p.plainer())
	if !refusedBlocks(err) {
		return err
	}
	err = send(part{text: first(clipEscaped(p.plain, maxPlainMessage), "…")})
	if errorCode(err) != "msg_too_long" {
		return err
	}
	return send(part{text: p.text})
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
			out.blocks = append(out.blocks, section(head, "").block)
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

// clipEscaped makes plain text safe and at most limit long, without cutting an
// entity in two.
func clipEscaped(s string, limit int) string {
	safe := plainSafe(s)
	for n := limit; units(safe) > limit; n = n * 3 / 4 {
		safe = plainSafe(clip(s, n))
	}
	return safe
}

// clipSafe is a last bound on text that is safe already.
func clipSafe(safe string, limit int) string {
	if units(safe) <= limit {
		return safe
	}
	return strings.TrimRight(cut(safe, limit-1), "&abcdefglmpt;#0123456789") + "…"
}

func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }
