// Package note stores notes of a channel on request: "remember for this channel: the stand-up is
// at 10".
//
// A note is a document of the channel, so documents' rules for search, citation and access apply;
// [bot.Thread.NoteBy] distinguishes it from a file. Its title contains the text, the author and
// the day, so that citations show them. [Notes] adds, lists and deletes notes by words, by "/maru
// memory channel" and by buttons.
//
// Invariants:
//
//   - A note is stored only at a member's request, or when a member accepts an offer.
//   - A newer note on the same subject replaces the older one, and the answer names it.
//   - A note is deleted with the message that asked for it, with its author and with the workspace.
//   - Text that looks like a secret or a personal number is rejected, not masked.
//
// Memory about a person is in memory/longterm. The package must not know how a message is answered
// or a card is shown.
package note

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"maru/bot"
	"maru/memory/longterm"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/rag"
)

const (
	maxText  = 1000 // characters of a note
	maxNotes = 200  // of a channel
	inTitle  = 60   // characters of a note's words in its title
	inName   = 40   // and of its author's name
)

// Rules answer what a person may do in a place.
type Rules interface {
	MembersOnly(ctx context.Context, t bot.Thread, u bot.User, lang string) error
	ZoneOf(u bot.User) *time.Location
	Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
}

// Record provides people's messages, and the number of offers made.
type Record interface {
	Entry(ctx context.Context, thread, id string) (bot.Entry, error)
	bot.Notes
}

// Config is what Notes are made of.
type Config struct {
	Record  Record
	Library bot.Library
	Rules   Rules
	Log     *slog.Logger
	Now     func() time.Time
	NewID   func() string
}

// Notes manages the notes of channels. It is safe for concurrent use.
type Notes struct {
	Config
}

// New returns Notes.
func New(c Config) *Notes { return &Notes{c} }

// Hear carries out a message's request about its channel's notes; text is "" if it has none.
func (ns *Notes) Hear(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error) {
	wish, body, ok := intent.OfChannel(m.Text)
	if !ok {
		return ns.loose(ctx, m, lang)
	}
	if err := ns.Rules.MembersOnly(ctx, m.Thread, m.User, lang); err != nil {
		return "", nil, err
	}
	switch wish {
	case intent.ListNotes:
		text, err = ns.list(ctx, m.Thread, lang)
		return text, nil, err
	case intent.ForgetNotes:
		return ns.ask(ctx, m.Thread, body, lang)
	}
	return ns.Put(ctx, m.Thread, m.User, Said{Key: m.Key(), Text: body, At: m.At}, lang)
}

// loose asks about the notes that a request to delete a note may mean; text is "" if it means none of the channel.
func (ns *Notes) loose(ctx context.Context, m bot.Message, lang string) (string, []bot.Button, error) {
	about, ok := intent.MayForgetNote(m.Text)
	if !ok || ns.Rules.MembersOnly(ctx, m.Thread, m.User, lang) != nil {
		return "", nil, nil
	}
	text, buttons, err := ns.ask(ctx, m.Thread, about, lang)
	if len(buttons) == 0 {
		text = ""
	}
	return text, buttons, err
}

// Said is a statement to be remembered. There is one note per Key.
type Said struct {
	Key  string
	Text string
	At   time.Time
}

// Put stores a note for the readers of a channel, and returns the message for the person, which explains a
// rejection.
func (ns *Notes) Put(ctx context.Context, t bot.Thread, u bot.User, said Said, lang string) (text string, buttons []bot.Button, err error) {
	words := clean(said.Text)
	if no := refusal(words, lang); no != "" {
		return no, nil, nil
	}
	all, err := ns.of(ctx, t)
	if err != nil {
		return "", nil, err
	}
	name := nameOf(said.Key)
	others := slices.DeleteFunc(slices.Clone(all), func(d rag.Document) bool { return d.Source == name })
	old, err := ns.sameSubject(ctx, t, words, said.At, others)
	if err != nil {
		return "", nil, err
	}
	if len(all)-len(old) >= maxNotes && len(others) == len(all) {
		return phrase.Say(lang, "note.full", maxNotes), nil, nil
	}
	doc, err := ns.Library.Add(ctx, bot.NewDocument{
		Scope: t.ChannelScope(), Name: name, By: t.NoteBy(u), MIME: "text/markdown",
		Body: strings.NewReader("---\ntitle: " + ns.title(words, u, said.At, lang) + "\n---\n\n" + words + "\n"),
	})
	if err != nil {
		return "", nil, bot.FileError(err, lang, name, 0, 0)
	}
	ns.Rules.Audit(ctx, t, u, "noted.add", map[string]any{"document": doc.ID, "scope": doc.Scope})
	text = phrase.Say(lang, "note.kept", quoted(words))
	for _, n := range old { // after the new one is stored: a crash in between leaves both, and the next attempt completes the replacement
		if err := ns.remove(ctx, t, u, n.ID); err != nil {
			return "", nil, err
		}
		text += "\n" + phrase.Say(lang, "note.replaces", quoted(n.words), Author(n.Document))
	}
	return text, []bot.Button{forgetButton(doc, "ask", lang)}, nil
}

// refusal explains why a text cannot be a note, "" if it can.
func refusal(words, lang string) string {
	switch {
	case fit.Blank(words):
		return phrase.Say(lang, "note.empty")
	case utf8.RuneCountInString(words) > maxText:
		return phrase.Say(lang, "note.too_long", maxText)
	case longterm.Sensitive(words):
		return phrase.Say(lang, "note.sensitive")
	}
	return ""
}

// clean joins a text to one paragraph: a separate line could look like a heading with another author.
func clean(text string) string {
	return strings.TrimLeft(fit.OneLine(fit.Clean(text)), "#>-*=+|~` ")
}

// title returns a note's title: text, author and day.
func (ns *Notes) title(words string, u bot.User, at time.Time, lang string) string {
	by := cmp.Or(strings.NewReplacer(separator, " ").Replace(fit.Clip(fit.OneLine(fit.Visible(u.Name)), inName)), u.ID)
	key := "note.by"
	if u.Stranger() {
		key = "note.by_guest"
	}
	return fit.Clip(words, inTitle) + separator + phrase.Say(lang, key, by, at.In(ns.Rules.ZoneOf(u)).Format(time.DateOnly))
}

// separator separates text and author in a title.
const separator = " · "

// Author returns a note's author and date, from its title.
func Author(d rag.Document) string {
	if i := strings.LastIndex(d.Title, separator); i >= 0 {
		return d.Title[i+len(separator):]
	}
	return d.At.Format(time.DateOnly)
}

// nameOf returns the file name of the note that a message requested.
func nameOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "note-" + hex.EncodeToString(sum[:8]) + ".md"
}

// of returns the notes of a channel, the oldest first.
func (ns *Notes) of(ctx context.Context, t bot.Thread) ([]rag.Document, error) {
	docs, err := ns.Library.Documents(ctx, []string{t.ChannelScope()})
	if err != nil {
		return nil, fmt.Errorf("list notes: %w", err)
	}
	docs = slices.DeleteFunc(slices.Clone(docs), func(d rag.Document) bool { return !strings.HasPrefix(d.By, t.NoteBy(bot.User{})) })
	slices.SortStableFunc(docs, func(a, b rag.Document) int { return a.At.Compare(b.At) })
	return docs, nil
}

// kept is a note with its text.
type kept struct {
	rag.Document

	words string
}

// read returns the texts of notes, without those deleted meanwhile.
func (ns *Notes) read(ctx context.Context, t bot.Thread, docs []rag.Document) ([]kept, error) {
	var out []kept
	for _, d := range docs {
		passage, _, err := ns.Library.Passage(ctx, []string{t.ChannelScope()}, d.ID+"#0")
		if err != nil {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("read a note: %w", err)
			}
			continue
		}
		out = append(out, kept{d, fit.OneLine(passage.Text)})
	}
	return out, nil
}

// sameSubject returns the notes that a statement replaces.
func (ns *Notes) sameSubject(ctx context.Context, t bot.Thread, words string, at time.Time, docs []rag.Document) ([]kept, error) {
	list, err := ns.read(ctx, t, docs)
	if err != nil {
		return nil, err
	}
	said := subjectOf(words, at)
	return slices.DeleteFunc(list, func(n kept) bool { return !said.same(subjectOf(n.words, at)) }), nil
}

// remove deletes a note. It is idempotent.
func (ns *Notes) remove(ctx context.Context, t bot.Thread, u bot.User, id string) error {
	was, err := ns.Library.Remove(ctx, []string{t.ChannelScope()}, id)
	if err != nil {
		return fmt.Errorf("remove a note: %w", err)
	}
	if was {
		ns.Rules.Audit(ctx, t, u, "noted.remove", map[string]any{"document": id})
	}
	return nil
}

// Withdraw removes the note that a message asked for, once the message is deleted.
func (ns *Notes) Withdraw(ctx context.Context, t bot.Thread, u bot.User, message string) error {
	docs, err := ns.of(ctx, t)
	if err != nil {
		return err
	}
	for _, d := range docs {
		if d.Source == nameOf(message) {
			return ns.remove(ctx, t, u, d.ID)
		}
	}
	return nil
}

func quoted(words string) string { return "“" + fit.Clip(words, 200) + "”" }

// Answers returns a function that reports whether a channel has a note with a key.
func (ns *Notes) Answers(ctx context.Context, t bot.Thread) (func(key string) bool, error) {
	docs, err := ns.of(ctx, t)
	if err != nil {
		return nil, err
	}
	return func(key string) bool {
		return slices.ContainsFunc(docs, func(d rag.Document) bool { return d.Source == nameOf(key) })
	}, nil
}
