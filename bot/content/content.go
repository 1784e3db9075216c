// Package content is the platform-neutral content of a message besides plain text: tables, cards, polls, pictures
// and unreadable parts. Adapters fill it from a platform's data; [Words] formats it for transcripts and models. It
// must not know any platform.
package content

import (
	"fmt"
	"path"
	"strings"
	"time"

	"maru/phrase/fit"
)

// Kind is the kind of a message part.
type Kind string

// The kinds of parts.
const (
	Text    Kind = "text"
	Table   Kind = "table"
	Card    Kind = "card" // an app's attachment or embed
	Poll    Kind = "poll"
	Picture Kind = "picture" // with a description, if any, in Text
	Sticker Kind = "sticker"
	Unread  Kind = "unread" // Text names it
)

// Part is a part of a message. Its kind determines which fields are used.
type Part struct {
	Kind    Kind
	Title   string     // of a card; a poll's question
	Link    string     // to which a card's title leads
	Author  string     // of a card
	Text    string     // words
	Fields  []Field    // of a card
	Parts   []Part     // within a card
	Footer  string     // of a card
	Rows    [][]string // of a table
	Options []Option   // of a poll
	Several bool       // of a poll: people may choose more than one
	Until   time.Time  // of a poll: its end, zero for none
	Ended   bool       // of a poll
	Votes   int        // of a poll: in all, 0 if unknown
}

// Field is a name and a value on a card.
type Field struct{ Name, Value string }

// Option is an option of a poll with its votes; -1 if unknown.
type Option struct {
	Text  string
	Votes int
}

// maxRows limits the rows of a formatted table.
const maxRows = 200

// Unreadable returns the part for an attachment that no reader supports, such as a "video", with its name.
func Unreadable(kind, name string) Part {
	return Part{Kind: Unread, Text: strings.TrimSpace(kind + " " + name)}
}

// Legible returns a card, or the part that says that it has no words.
func Legible(card Part) Part {
	if Words(card) == "" {
		return Unreadable("card", "without words")
	}
	return card
}

// Words writes parts as Markdown, one below the other.
func Words(parts ...Part) string {
	var out []string
	for _, p := range parts {
		if s := strings.TrimSpace(p.words()); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

func (p Part) words() string {
	switch p.Kind {
	case Table:
		return table(p.Rows)
	case Card:
		return p.card()
	case Poll:
		lines := []string{"[poll] " + p.Title}
		for _, o := range p.Options {
			line := "- " + fit.OneLine(o.Text)
			if o.Votes >= 0 {
				line += fmt.Sprintf(": %d", o.Votes)
			}
			lines = append(lines, line)
		}
		var notes []string
		if p.Several {
			notes = append(notes, "several answers allowed")
		}
		if len(p.Options) == 0 {
			notes = append(notes, "no options")
		}
		if !p.Until.IsZero() {
			notes = append(notes, "until "+Moment(p.Until))
		}
		if p.Ended {
			notes = append(notes, "ended")
		}
		if p.Votes > 0 {
			notes = append(notes, fmt.Sprintf("%d votes in all", p.Votes))
		}
		return strings.Join(append(lines, strings.Join(notes, ", ")), "\n")
	case Picture, Sticker:
		return "[" + strings.TrimSuffix(string(p.Kind)+": "+fit.OneLine(p.Text), ": ") + "]"
	case Unread:
		return "[cannot be read: " + fit.OneLine(p.Text) + "]"
	}
	return p.Text
}

func (p Part) card() string {
	title := fit.OneLine(p.Title)
	if title != "" {
		title = "**" + title + "**"
	}
	if p.Link != "" {
		title = strings.TrimSpace(title + " (" + p.Link + ")")
	}
	lines := []string{fit.OneLine(p.Author), title, p.Text}
	for _, f := range p.Fields {
		if fit.Blank(f.Name + f.Value) {
			continue
		}
		name := strings.TrimSuffix(fit.OneLine(f.Name), ":")
		if name != "" && f.Value != "" {
			name += ": "
		}
		lines = append(lines, name+f.Value)
	}
	var out []string
	for _, l := range append(lines, Words(p.Parts...), p.Footer) {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// table writes rows as a Markdown table below the first.
func table(rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	wide := 0
	for _, r := range rows {
		wide = max(wide, len(r))
	}
	var b strings.Builder
	for i, r := range rows[:min(len(rows), maxRows)] {
		for c := range wide {
			cell := ""
			if c < len(r) {
				cell = strings.ReplaceAll(fit.OneLine(r[c]), "|", `\|`)
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", wide) + "|\n")
		}
	}
	if n := len(rows) - maxRows; n > 0 {
		fmt.Fprintf(&b, "[%d more rows]\n", n)
	}
	return b.String()
}

// Beside returns text followed by parts. Text that the parts contain already, as an app's plain version of its
// blocks, appears once.
func Beside(words string, parts ...Part) string {
	more := Words(parts...)
	if more == "" || words == "" {
		return words + more
	}
	if strings.Contains(plain(more), plain(words)) {
		return more
	}
	return words + "\n" + more
}

// plain removes Markdown and normalises white space.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n\u00a0*_~`>|", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// Moment writes a time in UTC. A platform shows it to each reader in their own zone, but a message is read by all of them and by
// a model.
func Moment(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// App marks the name of a program that speaks.
func App(name string) string { return strings.TrimSpace(fit.OneLine(name) + " (app)") }

// FileKind is the kind of a file, for people and models.
type FileKind string

// The kinds of files.
const (
	Document  FileKind = "document"
	Image     FileKind = "picture"
	Recording FileKind = "recording" // of sound or film
)

// KindOf returns a file's kind by its media type, or by its name if that is unspecific.
func KindOf(name, mime string) FileKind {
	major, _, _ := strings.Cut(strings.ToLower(mime), "/")
	switch major {
	case "image":
		if strings.Contains(mime, "svg") {
			return Document
		}
		return Image
	case "audio", "video":
		return Recording
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif":
		return Image
	case ".ogg", ".oga", ".opus", ".mp3", ".m4a", ".wav", ".flac", ".aac", ".mp4", ".m4v", ".mov", ".webm", ".mkv", ".avi":
		return Recording
	}
	return Document
}
