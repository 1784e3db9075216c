package render

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

func fieldElements(fields []bot.Field) []element {
	var out []element
	fields = fields[:min(len(fields), maxFields)]
	for len(fields) > 0 {
		n, e := 0, element{}
		var objs []*slack.TextBlockObject
		for n < min(len(fields), maxSectionSet) && (n == 0 || e.size+maxField <= maxTotal) {
			label, value := Clip(OneLine(fields[n].Label), maxButton*2), Clip(strings.TrimSpace(phrase.MomentWords(fields[n].Value)), maxField-300)
			safe := clipEscaped(value, maxField-300)
			if timed := markdown.MrkdwnTimed(strings.TrimSpace(fields[n].Value)); fit.UTF16(timed) <= maxField-300 {
				safe = timed
			}
			safe = clipSafe("*"+clipEscaped(label, 200)+"*\n"+safe, maxField)
			objs = append(objs, slack.NewTextBlockObject(slack.MarkdownType, safe, false, true))
			e.size += fit.UTF16(safe)
			e.plain += label + ": " + value + "\n"
			n++
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

// stepElements renders a plan's steps as a numbered list, in text that Slack does not parse
// as markup.
func stepElements(steps []bot.Step, lang string) []element {
	if len(steps) == 0 {
		return nil
	}
	e := element{}
	var items []slack.RichTextElement
	for i, s := range steps[:min(len(steps), MaxSteps)] {
		mark := cmp.Or(stepMarks[s.State], "▫️")
		t, d := markdown.Literal(Clip(OneLine(s.Text), maxStepText)), markdown.Literal(Clip(OneLine(s.Detail), maxStepDetail))
		parts := []slack.RichTextSectionElement{slack.NewRichTextSectionTextElement(mark+" "+cmp.Or(t, "–"), nil)}
		words := fmt.Sprintf("%d. %s %s", i+1, mark, t)
		if d != "" {
			parts = append(parts, slack.NewRichTextSectionTextElement("\n"+d, &slack.RichTextSectionTextStyle{Italic: true}))
			words += " – " + d
		}
		items = append(items, slack.NewRichTextSection(parts...))
		e.size += fit.UTF16(words) + 1
		e.plain += words + "\n"
	}
	e.plain = strings.TrimSpace(e.plain)
	e.block = slack.NewRichTextBlock("", slack.NewRichTextList(slack.RTEListOrdered, 0, items...))
	out := []element{e}
	if n := len(steps) - MaxSteps; n > 0 {
		out = append(out, contextElement(phrase.Say(lang, "slack.and_more_steps", n)))
	}
	return out
}

// sourceElements renders the sources compactly, under a heading.
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
		return element{block: slack.NewContextBlock("", obj), size: fit.UTF16(safe), plain: plain}
	})
}

func sourceLine(s bot.Source) (safe, plain string) {
	title := Clip(cmp.Or(OneLine(s.Title), "–"), maxSourceTitle)
	var where string
	if h := OneLine(s.Heading); h != "" {
		where += " · " + Clip(h, maxSourceTitle)
	}
	if s.Page > 0 {
		where += " · p. " + strconv.Itoa(s.Page)
	}
	num := "[" + strconv.Itoa(s.N) + "] "
	plain = num + title + where
	safe = num + markdown.Mrkdwn(title) + markdown.Mrkdwn(where)
	if u, _, ok := safeURL(s.URL); ok && fit.UTF16(u) < 1500 {
		safe = num + "<" + markdown.Entities(u) + "|" + markdown.Mrkdwn(title) + ">" + markdown.Mrkdwn(where)
	}
	return safe, plain
}

// gather joins lines into as few elements as possible.
func gather(safe, plain []string, limit int, build func(safe, plain string) element) []element {
	var out []element
	for len(safe) > 0 {
		n, size := 0, 0
		for n < len(safe) && (n == 0 || size+fit.UTF16(safe[n])+1 <= limit) {
			size += fit.UTF16(safe[n]) + 1
			n++
		}
		out = append(out, build(strings.Join(safe[:n], "\n"), strings.Join(plain[:n], "\n")))
		safe, plain = safe[n:], plain[n:]
	}
	return out
}
