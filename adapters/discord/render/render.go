package render

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// Part is one message of a reply: classic with content and button rows, or with components.
type Part struct {
	content string
	rows    []wire.Component
	blocks  []wire.Component // if set, replaces all else
}

// Plain returns a message of Discord Markdown.
func Plain(content string) Part { return Part{content: content} }

// Card renders a card as messages within Discord's limits. There is at least one, none is
// empty, and the last has the buttons.
func Card(c bot.Card) []Part {
	if isNative(c) {
		return native(c)
	}
	lines := cardLines(c)
	texts := split(lines, MaxContent)
	if len(texts) > maxMessages {
		more := "\n-# " + phrase.Say(c.Language, "discord.cut.rest")
		texts = split(lines, MaxContent-size(more))[:maxMessages]
		texts[maxMessages-1] += more
	}
	if len(texts) == 0 {
		texts = []string{"…"}
	}
	parts := make([]Part, len(texts))
	for i, t := range texts {
		parts[i].content = t
	}
	parts[len(parts)-1].rows = buttonRows(c)
	return parts
}

// cardLines returns all of a card but its buttons.
func cardLines(c bot.Card) []line {
	out := titleLine(c)
	out = append(out, parseMarkdown(c)...)
	out = append(out, spaced(fieldLines(c.Fields))...)
	out = append(out, spaced(stepLines(c.Steps, c.Language))...)
	if c.Status != "" && !c.Final {
		out = append(out, quiet("⏳ "+fit.Clip(OneLine(c.Status), maxStatus)))
	}
	out = append(out, sourceLines(c.Sources, c.Language)...)
	if c.Footer != "" {
		out = append(out, footer(c))
	}
	return out
}

func titleLine(c bot.Card) []line {
	t := fit.Clip(OneLine(c.Title), maxTitle)
	if t == "" {
		return nil
	}
	return []line{{Tokens: append(fixed("### "), words(t, "")...)}}
}

// spaced adds an empty line before a section.
func spaced(lines []line) []line {
	if len(lines) > 0 {
		lines[0].Gap, lines[0].Blank = true, true
	}
	return lines
}

// quiet returns a line of small text. Text between backticks, such as a command, is code; all else
// is escaped.
func quiet(s string) line { return quietIn(markdown.Discord(), s) }

// footer returns the small text under a card.
func footer(c bot.Card) line {
	s := fit.OneLine(phrase.KeepMoments(c.Footer, fit.Clean))
	if !c.Own || utf8.RuneCountInString(s) > maxFooter {
		s = phrase.MomentWords(s)
	}
	return quietIn(dialect(c), fit.Clip(s, maxFooter))
}

func quietIn(d *markdown.Dialect, s string) line {
	toks := fixed("-# ")
	for {
		before, rest, _ := strings.Cut(s, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !closed || strings.TrimSpace(code) == "" {
			return line{Gap: true, Tokens: append(toks, d.Words(s, "")...)}
		}
		toks = append(append(toks, d.Words(before, "")...), d.Span(code))
		s = after
	}
}

func fieldLines(fields []bot.Field) []line {
	var out []line
	for _, f := range fields[:min(len(fields), maxFields)] {
		toks := words(fit.Clip(OneLine(f.Label), maxTitle), string(markdown.Bold))
		toks = append(toks, fixed(": ")...)
		value := strings.TrimSpace(phrase.KeepMoments(fit.Clip(f.Value, maxFieldText), fit.Clean))
		for i, v := range strings.Split(value, "\n") {
			if i > 0 {
				toks = nil
			}
			out = append(out, line{Gap: i == 0, Tokens: append(toks, markdown.Discord().Timed().Words(v, "")...)})
		}
	}
	return out
}

func stepMark(s bot.StepState) string {
	switch s {
	case bot.StepRunning:
		return "▶️ "
	case bot.StepDone:
		return "✅ "
	case bot.StepFailed:
		return "❌ "
	case bot.StepSkipped:
		return "⏭️ "
	case bot.StepWaiting:
	}
	return "▫️ "
}

func stepLines(steps []bot.Step, lang string) []line {
	var out []line
	for i, s := range steps {
		if i == maxSteps {
			rest := phrase.Say(lang, "discord.and_more_steps", len(steps)-maxSteps)
			return append(out, line{Tokens: fixed(rest)})
		}
		toks := append(fixed(stepMark(s.State)), words(fit.Clip(OneLine(s.Text), maxStepText), "")...)
		out = append(out, line{Gap: true, Tokens: toks})
		if d := fit.Clip(OneLine(s.Detail), maxStepText); d != "" {
			out = append(out, line{Tokens: append(fixed("-# "), words(d, "")...)})
		}
	}
	return out
}

// sourceLines returns the sources as lines of small text under a heading.
func sourceLines(sources []bot.Source, lang string) []line {
	if len(sources) == 0 {
		return nil
	}
	out := []line{quiet(phrase.Say(lang, "discord.sources"))}
	out[0].Blank = true
	for i, s := range sources {
		if i == maxSources {
			out = append(out, quiet(phrase.Say(lang, "discord.and_more", len(sources)-maxSources)))
			break
		}
		l := sourceLine(s)
		l.Gap = false
		out = append(out, l)
	}
	return out
}

func sourceLine(s bot.Source) line {
	title := fit.Clip(cmp.Or(OneLine(s.Title), "–"), maxSourceTitle)
	l := line{Tokens: append(fixed("-# ["+strconv.Itoa(s.N)+"] "), markdown.Discord().Source(title, s.URL)...)}
	where := ""
	if h := OneLine(s.Heading); h != "" {
		where += " · " + fit.Clip(h, maxSourceTitle)
	}
	if s.Page > 0 {
		where += " · p. " + strconv.Itoa(s.Page)
	}
	if where != "" {
		l.Tokens = append(l.Tokens, words(where, "")...)
	}
	return l
}

// Plainer returns a part's plain text only, as a fallback that Discord accepts.
func (p Part) Plainer() Part {
	plain := Part{content: cmp.Or(fit.Cut(strings.NewReplacer("`", "'").Replace(p.Text()), MaxContent), "…")}
	if p.V2() {
		return plain.AsV2()
	}
	return plain
}

// Digest identifies a part's content for comparison.
func (p Part) Digest() string {
	raw, err := json.Marshal(NewOutgoing(p))
	if err != nil { // cannot happen
		return ""
	}
	return wire.Digest(string(raw))
}
