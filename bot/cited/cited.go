// Package cited opens an answer's sources in the conversation: a button under the answer shows the cited passages
// with their context to the person who clicks, without another sign-in.
//
// Reading rights are checked at every click, with the rules of a search; a sentence reports passages that the
// person may not read or that were removed. The package must not know how documents are stored or cards are shown.
package cited

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Control begins the ID of the buttons; the run's ID follows. It grants nothing.
const Control = "source/"

const (
	verbOpen  = "open"
	most      = 8    // sources with their own button
	inPassage = 1400 // characters of a passage
	around    = 400  // and of the text before and after it
)

// Config holds the dependencies of Sources, all required.
type Config struct {
	// Reply returns the reply of a run; bot.ErrNotFound if there is none.
	Reply func(ctx context.Context, run string) (bot.Reply, error)
	// MaySee returns a *bot.Error for people who may not see a run of a thread.
	MaySee func(ctx context.Context, t bot.Thread, u bot.User, run string) error
	// Passage returns a passage that the person may read, bot.ErrNotFound otherwise.
	Passage func(ctx context.Context, t bot.Thread, u bot.User, chunk string) (View, error)
}

// View is a passage with its position in the document.
type View struct {
	Chunk    string `json:"chunk"`
	Document string `json:"document"`
	Title    string `json:"title"` // of the document
	Heading  string `json:"heading,omitempty"`
	Page     int    `json:"page,omitempty"`   // 1-based, 0 if the format has none
	Before   string `json:"before,omitempty"` // the document's text just before the passage
	Text     string `json:"text"`             // the passage itself
	After    string `json:"after,omitempty"`  // the document's text just after it
	Previous string `json:"previous,omitempty"`
	Next     string `json:"next,omitempty"` // chunks of the neighbours, "" at an end
}

// Sources opens sources. It is safe for concurrent use.
type Sources struct{ Config }

// New returns Sources.
func New(c Config) *Sources { return &Sources{c} }

// Button opens the sources of a run's answer; false if none of them is a passage of a document.
func Button(run string, sources []bot.Source, lang string) (bot.Button, bool) {
	if len(passages(sources)) == 0 {
		return bot.Button{}, false
	}
	return bot.Button{ID: Control + run, Verb: verbOpen, Label: phrase.Say(lang, "cited.open")}, true
}

func passages(sources []bot.Source) (out []bot.Source) {
	for _, s := range sources {
		if s.Chunk != "" {
			out = append(out, s)
		}
	}
	return out
}

// Action answers a click: with the passage, or where there are several with the first one and a button for each.
func (ss *Sources) Action(ctx context.Context, a bot.Action, lang string) (bot.Answer, error) {
	run := strings.TrimPrefix(a.ID, Control)
	var no *bot.Error
	if err := ss.MaySee(ctx, a.Thread, a.User, run); errors.As(err, &no) {
		return told(phrase.Say(lang, "cited.gone"), nil, lang), nil
	} else if err != nil {
		return bot.Answer{}, err
	}
	reply, err := ss.Reply(ctx, run)
	if err != nil && !errors.Is(err, bot.ErrNotFound) {
		return bot.Answer{}, fmt.Errorf("read reply: %w", err)
	}
	var card bot.Card
	if len(reply.Card) > 0 {
		if err := json.Unmarshal(reply.Card, &card); err != nil {
			return bot.Answer{}, fmt.Errorf("read reply: %w", err)
		}
	}
	all := passages(card.Sources)
	if len(all) == 0 {
		return told(phrase.Say(lang, "cited.gone"), nil, lang), nil
	}
	chosen := all[0]
	var others []bot.Button
	for i, s := range all {
		n := strconv.Itoa(s.N)
		if a.Verb == n {
			chosen = s
		}
		if len(all) > 1 && i < most {
			others = append(others, bot.Button{ID: Control + run, Verb: n, Label: "[" + n + "]", Spoken: fit.Clip(s.Title, 60)})
		}
	}
	text, err := ss.read(ctx, a, chosen, lang)
	return told(text, others, lang), err
}

// read formats a source for people: its place, the passage, and its context.
func (ss *Sources) read(ctx context.Context, a bot.Action, s bot.Source, lang string) (string, error) {
	v, err := ss.Passage(ctx, a.Thread, a.User, s.Chunk)
	if errors.Is(err, bot.ErrNotFound) {
		return phrase.Say(lang, "cited.unreadable", s.N), nil
	}
	if err != nil {
		return "", fmt.Errorf("read passage: %w", err)
	}
	where := fmt.Sprintf("**[%d] %s**", s.N, plain(v.Title))
	if v.Heading != "" {
		where += " · " + plain(v.Heading)
	}
	if v.Page > 0 {
		where += " · " + phrase.Say(lang, "cited.page", v.Page)
	}
	parts := []string{where}
	if before := last(fit.Clean(v.Before), around); before != "" {
		parts = append(parts, before)
	}
	parts = append(parts, "> "+strings.ReplaceAll(fit.Clip(strings.TrimSpace(fit.Clean(v.Text)), inPassage), "\n", "\n> "))
	if after := fit.Clip(strings.TrimSpace(fit.Clean(v.After)), around); after != "" {
		parts = append(parts, after)
	}
	return strings.Join(parts, "\n\n"), nil
}

// plain returns a title or heading without Markdown.
func plain(s string) string {
	return fit.Clip(strings.NewReplacer("*", "·", "`", "'", "[", "(", "]", ")").Replace(fit.OneLine(fit.Visible(s))), 120)
}

// last returns the end of a text, at most n characters and beginning with a whole word.
func last(text string, n int) string {
	runes := []rune(strings.TrimSpace(text))
	if len(runes) <= n {
		return string(runes)
	}
	_, rest, _ := strings.Cut(string(runes[len(runes)-n:]), " ")
	return "… " + rest
}

func told(text string, buttons []bot.Button, lang string) bot.Answer {
	return bot.Answer{Card: &bot.Card{Kind: bot.CardNotice, Text: text, Buttons: buttons, Language: lang, Final: true}}
}
