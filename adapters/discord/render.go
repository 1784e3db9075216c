package discord

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"maru/bot"
)

// part is one message of a reply.
type part struct {
	content string
	rows    []component
}

// render turns a card into the messages that show it, each within the limits.
// There is always at least one, and none is empty. Buttons stand under the last.
func render(c bot.Card) []part {
	lines := cardLines(c)
	texts := split(lines, maxContent)
	if len(texts) > maxMessages {
		more := "\n-# " + word(c.Language, "너무 길어서 여기까지만 보여 드려요.", "Cut here: the rest is too long for Discord.")
		texts = split(lines, maxContent-size(more))[:maxMessages]
		texts[maxMessages-1] += more
	}
	if len(texts) == 0 {
		texts = []string{"…"}
	}
	parts := make([]part, len(texts))
	for i, t := range texts {
		parts[i].content = t
	}
	parts[len(parts)-1].rows = buttonRows(c)
	return parts
}

// cardLines writes everything of a card but its buttons.
func cardLines(c bot.Card) []line {
	var out []line
	if t := clip(oneLine(c.Title), maxTitle); t != "" {
		out = append(out, line{toks: []tok{{s: "### ", kind: tokFixed}, {s: escapeWords(t), plain: t}}})
	}
	text := cut(c.Text, 2*maxMessages*maxContent)
	out = append(out, parseMarkdown(text, knownURLs(c.Sources))...)
	out = append(out, spaced(fieldLines(c.Fields))...)
	out = append(out, spaced(stepLines(c.Steps, c.Language))...)
	if c.Status != "" && !c.Final {
		out = append(out, quiet("⏳ "+clip(oneLine(c.Status), maxStatus)))
	}
	out = append(out, sourceLines(c.Sources, c.Language)...)
	if c.Footer != "" {
		out = append(out, quiet(clip(oneLine(c.Footer), maxFooter)))
	}
	return out
}

// spaced puts an empty line before a section.
func spaced(lines []line) []line {
	if len(lines) > 0 {
		lines[0].gap, lines[0].blank = true, true
	}
	return lines
}

// quiet is a small line.
func quiet(s string) line {
	return line{gap: true, toks: append(fixed("-# "), (&writer{}).words(s, "")...)}
}

func knownURLs(sources []bot.Source) map[string]bool {
	known := make(map[string]bool, len(sources))
	for _, s := range sources {
		if s.URL != "" {
			known[strings.TrimSpace(s.URL)] = true
		}
	}
	return known
}

func fieldLines(fields []bot.Field) []line {
	var out []line
	w := &writer{}
	for _, f := range fields[:min(len(fields), maxFields)] {
		toks := w.words(clip(oneLine(f.Label), maxTitle), "s")
		toks = append(toks, fixed(": ")...)
		value := strings.TrimSpace(clean(clip(f.Value, maxFieldText)))
		for i, v := range strings.Split(value, "\n") {
			if i > 0 {
				toks = nil
			}
			out = append(out, line{gap: i == 0, toks: append(toks, w.words(v, "")...)})
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
	w := &writer{}
	for i, s := range steps {
		if i == maxSteps {
			rest := fmt.Sprintf(word(lang, "… 그리고 %d단계 더", "… and %d more steps"), len(steps)-maxSteps)
			return append(out, line{toks: fixed(rest)})
		}
		toks := append(fixed(stepMark(s.State)), w.words(clip(oneLine(s.Text), maxStepText), "")...)
		out = append(out, line{gap: true, toks: toks})
		if d := clip(oneLine(s.Detail), maxStepText); d != "" {
			q := quiet(d)
			q.gap = false
			out = append(out, q)
		}
	}
	return out
}

// sourceLines writes the sources as small lines under a word that names them.
func sourceLines(sources []bot.Source, lang string) []line {
	if len(sources) == 0 {
		return nil
	}
	out := []line{quiet(word(lang, "출처", "Sources"))}
	out[0].blank = true
	for i, s := range sources {
		if i == maxSources {
			out = append(out, quiet(fmt.Sprintf(word(lang, "… 그리고 %d개 더", "… and %d more"), len(sources)-maxSources)))
			break
		}
		l := sourceLine(s)
		l.gap = false
		out = append(out, l)
	}
	return out
}

func sourceLine(s bot.Source) line {
	title := clip(first(oneLine(s.Title), "–"), maxSourceTitle)
	l := line{toks: fixed("-# [" + strconv.Itoa(s.N) + "] ")}
	if u, _, ok := safeURL(s.URL); ok && !looksLikeURL(title) {
		l.toks = append(l.toks, tok{s: "[" + escape(title) + "](" + u + ")", plain: title, kind: tokLink})
	} else {
		l.toks = append(l.toks, tok{s: escapeWords(title), plain: title})
	}
	where := ""
	if h := oneLine(s.Heading); h != "" {
		where += " · " + clip(h, maxSourceTitle)
	}
	if s.Page > 0 {
		where += " · p. " + strconv.Itoa(s.Page)
	}
	if where != "" {
		l.toks = append(l.toks, tok{s: escapeWords(where), plain: where})
	}
	return l
}

// plainer is a part without anything that Discord may refuse: its words alone.
func (p part) plainer() part {
	return part{content: cut(strings.NewReplacer("`", "'").Replace(p.content), maxContent)}
}

// digest tells parts apart without keeping them.
func (p part) digest() string {
	sum := sha256.New()
	sum.Write([]byte(p.content))
	for _, r := range p.rows {
		fmt.Fprintf(sum, "\x00%+v", r)
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}
