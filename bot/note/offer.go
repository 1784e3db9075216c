package note

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maru/bot"
	"maru/bot/shared"
	"maru/phrase"
	"maru/phrase/intent"
)

// offered begins the ID of an offer's buttons; the ID of the message follows.
const offered = Control + "said/"

// offersADay limits the offers in a channel per day.
const offersADay = 2

var errEnough = errors.New("note: the day's offers in the channel are made")

// Offer offers to store a member's statement as a note if it is lasting (see [intent.Lasting]), by rule and
// without a model. text is "" without an offer. Only the IDs of offered messages are stored, for the daily limit;
// a repeated offer for the same message, after a crash, counts once.
func (ns *Notes) Offer(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error) {
	words := clean(m.Text)
	if m.Thread.Direct || m.User.Stranger() || len(m.Files) > 0 || m.NamesOther() || !intent.Lasting(words) || refusal(words, lang) != "" {
		return "", nil, nil
	}
	if _, _, wish := intent.OfChannel(m.Text); wish {
		return "", nil, nil
	}
	key := "note-offers/" + m.Thread.ChannelScope()
	day := m.At.In(ns.Rules.ZoneOf(m.User)).Format("2006-01-02")
	err = shared.Amend(ctx, ns.Record, key, func(was string) (string, error) {
		today := strings.Fields(was)
		if len(today) == 0 || today[0] != day {
			today = []string{day}
		}
		switch {
		case slices.Contains(today, m.ID):
			return was, nil
		case len(today) > offersADay:
			return "", errEnough
		}
		return strings.Join(append(today, m.ID), " "), nil
	})
	if errors.Is(err, errEnough) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("count an offer: %w", err)
	}
	return phrase.Say(lang, "note.offer", shown(words), shown(m.User.Name)), []bot.Button{
		{ID: offered + m.ID, Verb: "keep", Label: phrase.Say(lang, "note.keep"), Style: bot.ButtonPrimary},
		{ID: offered + m.ID, Verb: "no", Label: phrase.Say(lang, "note.no_thanks")},
	}, nil
}

// decide stores an offered message with its present text, or declines.
func (ns *Notes) decide(ctx context.Context, a bot.Action, message, lang string) (bot.Answer, error) {
	if a.Verb != "keep" {
		return told(phrase.Say(lang, "note.declined"), nil, lang), nil
	}
	key := bot.Message{ID: message, Thread: a.Thread}.Key()
	e, err := ns.Record.Entry(ctx, a.Thread.Key(), key)
	if errors.Is(err, bot.ErrNotFound) || err == nil && e.Deleted {
		return told(phrase.Say(lang, "note.offer_gone"), nil, lang), nil
	}
	if err != nil {
		return bot.Answer{}, fmt.Errorf("read message: %w", err)
	}
	text, buttons, err := ns.Put(ctx, a.Thread, bot.User{ID: e.User, Name: e.Author}, Said{Key: key, Text: e.Text, At: e.At}, lang)
	return told(text, buttons, lang), err
}
