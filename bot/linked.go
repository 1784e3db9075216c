package bot

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

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
	// has no text.
	Linked(ctx context.Context, m Message, link string) (Quote, error)
}

// linkTime bounds how long a question waits for what it links to.
const linkTime = 15 * time.Second

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
		q, err := linker.Linked(ctx, m, link)
		switch {
		case errors.Is(err, ErrForbidden), errors.Is(err, ErrGone):
			return m, &Error{Code: CodeNoLink, Detail: link, Err: err}
		case err != nil:
			return m, &Error{Code: CodeLinkAway, Detail: link, Err: err}
		}
		q.Link = link
		m.Quoted = append(m.Quoted, q)
		stands := say(lang, "bot.linked_message")
		if strings.TrimSpace(q.Text) == "" && len(q.Files) > 0 {
			stands = visible(q.Files[0].Name)
		}
		m.Text = strings.ReplaceAll(m.Text, link, stands)
	}
	if filesOfLinks(m) != nil && fit.Blank(words) { // as a file that comes without words
		m.Text = ""
	}
	return m, nil
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
