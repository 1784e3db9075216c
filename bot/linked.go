package bot

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"maru/phrase/fit"
)

// linked.go opens the links of a message that lead to what stands elsewhere on its platform: "add
// this file https://…", "what does https://… say?".

// Linker is implemented by adapters whose messages and files have addresses that people paste.
type Linker interface {
	// Links returns the addresses in a message's words that lead to messages and files of the platform.
	Links(text string) []string
	// Linked reads what one of them leads to, as it is now, for the person who wrote m. What that
	// person may not see, what the bot does not see and what is gone is ErrForbidden or ErrGone, so
	// that nobody learns from the answer that there is something to hide. A quote of a file alone
	// has no text; one without text, files and thread says that the address leads to nothing that is
	// opened, such as a channel.
	Linked(ctx context.Context, m Message, link string) (Quote, error)
}

// LinksIn is Links for addresses of a form that an expression finds: each once, without what
// ends a sentence and not an address.
func LinksIn(text string, form *regexp.Regexp) []string {
	var out []string
	for _, u := range form.FindAllString(text, -1) {
		if u = strings.TrimRight(u, ".,;:!?)]}*_~"); !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

const (
	linkTime   = 15 * time.Second // for which a question waits for what it links to
	maxReplies = 100              // of a thread to which it links, the newest
	maxThread  = 12_000           // letters of them
)

// openLinks adds to a message what its links lead to: it is quoted, and where it stood in the words
// stands what it is. One that cannot be opened is the end of it, as what would be answered is not
// what was asked.
func (b *Bot) openLinks(ctx context.Context, m Message, lang string) (Message, error) {
	linker, ok := b.adapters[m.Thread.Platform].(Linker)
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
		q, err := b.linked(ctx, linker, m, link)
		switch {
		case errors.Is(err, ErrForbidden), errors.Is(err, ErrGone):
			return m, &Error{Code: CodeNoLink, Detail: link, Err: err}
		case err != nil:
			return m, &Error{Code: CodeLinkAway, Detail: link, Err: err}
		case q.Text == "" && len(q.Files) == 0:
			continue
		}
		q.Link = link
		m.Quoted = append(m.Quoted, q)
		m.Text = strings.ReplaceAll(m.Text, link, q.stands(lang))
	}
	if filesOfLinks(m) != nil && fit.Blank(words) { // as a file that comes without words
		m.Text = ""
	}
	return m, nil
}

// stands is what stands in the words for the link that led to a quote.
func (q Quote) stands(lang string) string {
	switch {
	case q.Thread != nil:
		return say(lang, "bot.linked_thread")
	case strings.TrimSpace(q.Text) == "" && len(q.Files) > 0:
		return visible(q.Files[0].Name)
	}
	return say(lang, "bot.linked_message")
}

// linked opens one link; of a thread with what was said in it.
func (b *Bot) linked(ctx context.Context, linker Linker, m Message, link string) (Quote, error) {
	q, err := linker.Linked(ctx, m, link)
	if err != nil || q.Thread == nil {
		return q, err
	}
	before := ""
	if *q.Thread == m.Thread {
		before = m.ID
	}
	var said []Message
	if h, ok := linker.(Historian); ok {
		if said, err = h.History(ctx, *q.Thread, before, maxReplies); err != nil {
			return Quote{}, err
		}
	}
	room, left := maxThread-utf8.RuneCountInString(q.Text), false
	var lines []string
	for _, r := range slices.Backward(said) {
		text := strings.TrimSpace(entryText(r))
		if text == "" || r.ID == q.Thread.ID { // that is the quote itself
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
	q.Text = strings.Join(append([]string{q.Text}, lines...), "\n")
	return q, nil
}

// filesOfLinks are the files to which a message links.
func filesOfLinks(m Message) []File {
	var out []File
	for _, q := range m.Quoted {
		if q.Link != "" {
			out = append(out, q.Files...)
		}
	}
	return out
}
