package turn

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// linked.go resolves links to messages, threads and files of the same platform: "add this file
// https://…", "what does https://… say?".

const (
	linkTime   = 15 * time.Second // limit on resolving a question's links
	maxReplies = 100              // newest messages of a linked thread
	maxThread  = 12_000           // characters of them
)

// openLinks adds the targets of a message's links as quotes, and replaces each link in the text by a
// description of its target. It fails if a link cannot be resolved, since the answer would miss the
// point.
func (fs *Files) openLinks(ctx context.Context, m bot.Message, lang string) (bot.Message, error) {
	linker, ok := fs.adapters[m.Thread.Platform].(bot.Linker)
	if !ok {
		return m, nil
	}
	links := linker.Links(m.Text)
	if len(links) == 0 {
		return m, nil
	}
	ctx, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	m.Quoted = slices.Clone(m.Quoted)
	words := m.Text
	for _, link := range links {
		words = strings.ReplaceAll(words, link, " ")
	}
	for _, link := range links[:min(len(links), maxQuotes)] {
		q, err := fs.linked(ctx, linker, m, link, lang)
		switch {
		case errors.Is(err, bot.ErrForbidden), errors.Is(err, bot.ErrGone):
			return m, &bot.Error{Code: bot.CodeNoLink, Detail: link, Err: err}
		case err != nil:
			return m, &bot.Error{Code: bot.CodeLinkAway, Detail: link, Err: err}
		case q.Text == "" && len(q.Files) == 0:
			continue
		}
		q.Link = link
		m.Quoted = append(m.Quoted, q)
		m.Text = strings.ReplaceAll(m.Text, link, linkText(q, lang))
	}
	if filesOfLinks(m) != nil && fit.Blank(words) { // treated as a file without text
		m.Text = ""
	}
	return m, nil
}

// linkText returns the description that replaces a resolved link in the text.
func linkText(q bot.Quote, lang string) string {
	switch {
	case q.Thread != nil:
		return phrase.Say(lang, "bot.linked.thread")
	case strings.TrimSpace(q.Text) == "" && len(q.Files) > 0:
		return fit.Visible(q.Files[0].Name)
	}
	return phrase.Say(lang, "bot.linked.message")
}

// linked resolves one link; a thread includes its messages.
func (fs *Files) linked(ctx context.Context, linker bot.Linker, m bot.Message, link, lang string) (bot.Quote, error) {
	q, err := linker.Linked(ctx, m, link)
	if err != nil || q.Thread == nil {
		return q, err
	}
	before := ""
	if *q.Thread == m.Thread {
		before = m.ID
	}
	var said []bot.Message
	partial := false
	if h, ok := linker.(bot.Historian); ok {
		if said, err = h.History(ctx, *q.Thread, before, maxReplies); errors.Is(err, bot.ErrLimited) {
			partial = true
		} else if err != nil {
			return bot.Quote{}, err
		}
	}
	room, left := maxThread-utf8.RuneCountInString(q.Text), false
	var lines []string
	for _, r := range slices.Backward(said) {
		text := strings.TrimSpace(r.EntryText())
		if text == "" || r.ID == q.Thread.ID { // the quoted message itself
			continue
		}
		line := strings.TrimPrefix(fit.OneLine(r.User.Name)+": ", ": ") + fit.Clip(text, maxQuote)
		if room -= utf8.RuneCountInString(line) + 1; room < 0 {
			left = true
			break
		}
		lines = append(lines, line)
	}
	if left || len(said) == maxReplies {
		lines = append(lines, "…")
	}
	slices.Reverse(lines)
	if partial {
		lines = append(lines, "("+phrase.Say(lang, "bot.linked.partial", len(said))+")")
	}
	q.Text = strings.Join(append([]string{q.Text}, lines...), "\n")
	return q, nil
}

// filesOfLinks returns the files that a message links to.
func filesOfLinks(m bot.Message) []bot.File {
	var out []bot.File
	for _, q := range m.Quoted {
		if q.Link != "" {
			out = append(out, q.Files...)
		}
	}
	return out
}
