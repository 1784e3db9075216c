package approval

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/chore"
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
	notYet  whole = "not yet" // nor there, until a later attempt uploads its file
	refused whole = "refused" // nor there: the platform takes no file
	onCard  whole = "on card" // the platform shows cards of any length
)

// unread reports whether people cannot read all of a question that is too long.
func (w whole) unread() bool { return w == nowhere || w.cut() }

// cut reports whether the card that stands was shortened without a file.
func (w whole) cut() bool { return w == notYet || w == refused }

// wholeNote returns the key of a note with the name of the file in which an approval's card is uploaded whole, or how its card was cut.
func wholeNote(approval string) string { return bot.NoteWhole + approval }

// wholeName names the file with some questions: a file never changes, and other questions get another one.
func wholeName(list []Asked) string {
	var ids strings.Builder
	for _, a := range list {
		ids.WriteString(a.Row.ID + " ")
	}
	return "question-" + bot.Digest([]byte(ids.String()))[:12] + ".txt"
}

// Presented returns the questions of a run as their card shows them: with the platform's names of their IDs and, where
// they are too long for a card, with a file in the thread that has all of them. Best effort: without the file the
// card offers no approval, and [Questions.Sweep] tries again unless the platform has refused it for good.
func Presented(ctx context.Context, qs *Questions, list []Asked) []Asked {
	list = qs.Labelled(ctx, list)
	if len(list) == 0 {
		return list
	}
	if at := list[0].whole; at == onCard || !tooMuch(draw(list, nil, time.UTC).Text) {
		for _, a := range list {
			if w, err := wholeOf(ctx, qs, []Asked{a}); err == nil && (w.cut() || at == onCard) {
				qs.notePointer(ctx, wholeNote(a.Row.ID), bot.Ref{}) // its card shows it whole now
			}
		}
		return list
	} else if !at.unread() {
		return list
	}
	at := whole(wholeName(list))
	err := upload(ctx, qs, list, string(at))
	if err != nil {
		qs.log.WarnContext(ctx, "upload a long question", "approval", list[0].Row.ID, "err", err)
		at = notYet
		if errors.Is(err, bot.ErrForbidden) || errors.Is(err, bot.ErrGone) {
			at = refused
		}
	}
	noted, done := chore.AtTheEnd(ctx)
	defer done()
	for i := range list {
		list[i].whole, list[i].uploaded = at, err == nil
		if err := qs.record.SetNote(noted, wholeNote(list[i].Row.ID), string(at)); err != nil {
			qs.log.WarnContext(ctx, "note where a long question is whole", "approval", list[i].Row.ID, "err", err)
			list[i].whole = notYet
		}
	}
	return list
}

// NotShown has [Questions.Sweep] show a card again that could not be changed after its file was uploaded.
func NotShown(ctx context.Context, qs *Questions, list []Asked) {
	for _, a := range list {
		if !a.uploaded {
			continue
		}
		if err := qs.record.SetNote(ctx, wholeNote(a.Row.ID), string(notYet)); err != nil {
			qs.log.WarnContext(ctx, "note that a card is to be shown", "approval", a.Row.ID, "err", err)
		}
	}
}

// upload posts the text of a card as a file, once.
func upload(ctx context.Context, qs *Questions, list []Asked, name string) error {
	m, lang := list[0].About.Message, list[0].About.Lang
	up, ok := qs.adapters[m.Thread.Platform].(bot.Uploader)
	if !ok {
		return errors.ErrUnsupported
	}
	short, cancel := context.WithTimeout(ctx, wholeTime)
	defer cancel()
	p := parcelOf("whole/"+name, bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, Title: m.Title(), User: m.User})
	if err := listUploaded(short, qs, p.Key, list); err != nil {
		return fmt.Errorf("note the upload: %w", err)
	}
	text := []byte(plainly(draw(list, nil, qs.rules.ZoneOf(m.User)).Text) + "\n")
	p.Text = phrase.Say(lang, "bot.approval.whole")
	p.Files = []bot.Artifact{{Run: list[0].Row.Run, Name: name, MIME: "text/plain; charset=utf-8", Size: int64(len(text)), Data: text}}
	if err := up.Upload(short, p); err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	return nil
}

// wholeOf returns where all of a run's questions can be read that are too long for a card: in one file that has them all.
func wholeOf(ctx context.Context, qs *Questions, list []Asked) (whole, error) {
	if _, ok := qs.adapters[list[0].About.Message.Thread.Platform].(bot.Uploader); !ok {
		return onCard, nil
	}
	var all []whole
	for _, a := range list {
		name, err := qs.record.Note(ctx, wholeNote(a.Row.ID))
		if err != nil {
			return nowhere, fmt.Errorf("read note: %w", err)
		}
		all = append(all, whole(name))
	}
	if all = slices.Compact(all); len(all) > 1 {
		return nowhere, nil
	}
	return all[0], nil
}

// unseen reports whether people decide with an effect although they could not read all of a question on its card, nor in a file
// beside it. A question that would be too long beside the others of its run is as much cut as one that is too long alone.
func unseen(ctx context.Context, qs *Questions, a Asked, verb string) (bool, error) {
	if harmless(verb) {
		return false, nil
	}
	// The card that stands may have been cut for questions that are decided since.
	if at, err := wholeOf(ctx, qs, []Asked{a}); err != nil || at.cut() {
		return true, err
	}
	list, err := qs.Pending(ctx, a.Row.Thread, a.Row.Run)
	if err != nil {
		return false, err
	}
	if len(list) == 0 {
		list = []Asked{a}
	}
	if !tooMuch(draw(list, nil, time.UTC).Text) {
		return false, nil
	}
	at, err := wholeOf(ctx, qs, list)
	return at.unread(), err
}

// bounded shortens a card that is too long for people's surfaces. Where the whole is not within reach, it removes the
// controls that have an effect.
func bounded(card bot.Card, at whole, lang string) bot.Card {
	if !tooMuch(card.Text) || at == onCard {
		return card
	}
	runes := []rune(card.Text)
	if !at.unread() {
		card.Text = begun(runes, maxBegun) + "\n\n" + phrase.Say(lang, "bot.approval.in_file", maxBegun, len(runes), string(at))
		return card
	}
	why := phrase.Say(lang, "bot.approval.too_long", maxShown, len(runes))
	if at == notYet {
		why = phrase.Say(lang, "bot.approval.not_yet", maxShown, len(runes))
	}
	card.Text = begun(runes, maxShown) + "\n\n" + why
	var left []bot.Button
	for _, b := range card.Buttons {
		if harmless(b.Verb) {
			left = append(left, b)
		}
	}
	card.Buttons = left
	return card
}

// fenceLine matches a line with a fence of code: its indentation, with marks of quotes, the marks of lists, the fence, and the rest.
var fenceLine = regexp.MustCompile("^([ >]*)((?:(?:[-*+]|[0-9]{1,9}[.)]) +)*)(`{3,}|~{3,})([^\n]*)")

// begun returns the beginning of Markdown. It ends a block of code that is cut, so that nothing below is taken for code.
func begun(text []rune, n int) string {
	head := string(text[:n]) + "…"
	indent, fence := "", ""
	for line := range strings.Lines(head) {
		m := fenceLine.FindStringSubmatch(line)
		switch {
		case m == nil:
		case fence == "" && (m[3][0] == '~' || !strings.Contains(m[4], "`")):
			indent, fence = m[1]+strings.Repeat(" ", len(m[2])), m[3]
		case fence != "" && m[2] == "" && strings.HasPrefix(m[3], fence) && strings.TrimSpace(m[4]) == "":
			fence = ""
		}
	}
	if fence == "" {
		return head
	}
	return head + "\n" + indent + fence
}

// plainly returns Markdown as plain text.
func plainly(md string) string { return markdown.PlainLines(markdown.Terminal().Lines(md, nil)) }
