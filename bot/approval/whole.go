package approval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/markdown"
)

// Limits of a question that is too long for a card.
const (
	maxBegun  = 3_000            // characters of it on the card, if the whole is within reach
	wholeTime = 45 * time.Second // for uploading the whole
)

// whole is where a question can be read that is too long for a card.
type whole string

const (
	nowhere whole = ""        // it must not be approved there
	onCard  whole = "on card" // the platform shows cards of any length
)

// wholeNote is the key of a note with the name of the file in which an approval's card is uploaded whole.
func wholeNote(approval string) string { return "whole/" + approval }

// Presented returns the questions of a run as their card shows them: with the platform's names of their IDs and, where
// they are too long for a card, with a file in the thread that has all of them. Best effort: without the file the
// card offers no approval.
func Presented(ctx context.Context, qs *Questions, list []Asked) []Asked {
	list = qs.Labelled(ctx, list)
	if len(list) == 0 || !tooMuch(draw(list, nil, time.UTC).Text) || list[0].whole != nowhere {
		return list
	}
	name := "question-" + strings.ToLower(list[0].Row.ID) + ".txt"
	if err := upload(ctx, qs, list, name); err != nil {
		qs.log.WarnContext(ctx, "upload a long question", "approval", list[0].Row.ID, "err", err)
		return list
	}
	for i := range list {
		list[i].whole = whole(name)
	}
	return list
}

// upload posts the text of a card as a file, once, and notes that for each of its questions.
func upload(ctx context.Context, qs *Questions, list []Asked, name string) error {
	m, lang := list[0].About.Message, list[0].About.Lang
	up, ok := qs.adapters[m.Thread.Platform].(bot.Uploader)
	if !ok {
		return errors.ErrUnsupported
	}
	short, cancel := context.WithTimeout(ctx, wholeTime)
	defer cancel()
	text := []byte(plainly(draw(list, nil, qs.rules.ZoneOf(m.User)).Text) + "\n")
	key := wholeNote(list[0].Row.ID)
	err := up.Upload(short, bot.Parcel{
		To: bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, Title: m.Title(), User: m.User}, Text: phrase.Say(lang, "bot.approval.whole"), Key: key, Again: true,
		Files: []bot.Artifact{{Run: key, Name: name, MIME: "text/plain; charset=utf-8", Size: int64(len(text)), Data: text}},
	})
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	for _, a := range list {
		if err := qs.record.SetNote(ctx, wholeNote(a.Row.ID), name); err != nil {
			return fmt.Errorf("note the file: %w", err)
		}
	}
	return nil
}

// wholeOf returns where all of a run's questions can be read that are too long for a card.
func wholeOf(ctx context.Context, qs *Questions, list []Asked) whole {
	if _, ok := qs.adapters[list[0].About.Message.Thread.Platform].(bot.Uploader); !ok {
		return onCard
	}
	var found whole
	for _, a := range list {
		name, err := qs.record.Note(ctx, wholeNote(a.Row.ID))
		if err != nil {
			qs.log.WarnContext(ctx, "read where a question is whole", "approval", a.Row.ID, "err", err)
		}
		if name == "" || err != nil {
			return nowhere
		}
		found = cmp.Or(found, whole(name))
	}
	return found
}

// unseen reports whether people could not read all of a question on its card, nor in a file beside it. A question that
// would be too long beside the others of its run is as much cut as one that is too long alone.
func unseen(ctx context.Context, qs *Questions, a Asked) bool {
	list, err := qs.Pending(ctx, a.Row.Thread, a.Row.Run)
	if err != nil {
		qs.log.WarnContext(ctx, "read the questions of a run", "run", a.Row.Run, "err", err)
		return true
	}
	if len(list) == 0 {
		list = []Asked{a}
	}
	return tooMuch(draw(list, nil, time.UTC).Text) && wholeOf(ctx, qs, list) == nowhere
}

// bounded shortens a card that is too long for people's surfaces. Where the whole is not within reach, it removes the
// controls that have an effect.
func bounded(card bot.Card, at whole, lang string) bot.Card {
	if !tooMuch(card.Text) || at == onCard {
		return card
	}
	runes := []rune(card.Text)
	if at != nowhere {
		card.Text = begun(runes, maxBegun) + "\n\n" + phrase.Say(lang, "bot.approval.in_file", maxBegun, len(runes), string(at))
		return card
	}
	card.Text = begun(runes, maxShown) + "\n\n" + phrase.Say(lang, "bot.approval.too_long", len(runes), maxShown)
	var left []bot.Button
	for _, b := range card.Buttons {
		if harmless(b.Verb) {
			left = append(left, b)
		}
	}
	card.Buttons = left
	return card
}

// begun returns the beginning of Markdown. It ends a block of code that is cut, so that nothing below is taken for code.
func begun(text []rune, n int) string {
	head := string(text[:n]) + "…"
	fence := ""
	for line := range strings.Lines(head) {
		mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(mark) >= 3:
			fence = mark
		case fence != "" && len(mark) >= len(fence) && strings.TrimSpace(line[len(mark):]) == "":
			fence = ""
		}
	}
	if fence == "" {
		return head
	}
	return head + "\n" + fence
}

// plainly returns Markdown as plain text.
func plainly(md string) string { return markdown.PlainLines(markdown.Terminal().Lines(md, nil)) }
