package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"maru/agent"
	"maru/bot"
	"maru/config"
	"maru/phrase/intent"
)

// heard says whom a message was said to, as far as can be told without a model.
type heard int

const (
	heardOthers heard = iota // not to the bot
	heardUs                  // to the bot
	heardUnsure              // people talk in a thread that the bot takes part in
)

// overheardTurns is how much of a thread it takes to tell who speaks to whom.
const overheardTurns = 12

// hear tells whom a message is for, and what holds in its place. It costs no
// model call.
func (b *Bot) hear(ctx context.Context, m bot.Message) (config.Resolved, heard, error) {
	if m.User.Bot {
		return config.Resolved{}, heardOthers, nil
	}
	set, err := b.settingsSoon(ctx, m)
	if err != nil || set.Engage == config.EngageNever {
		return set, heardOthers, err
	}
	h, err := b.hearReach(ctx, m, set.Engage)
	if err == nil && h != heardUs && m.Reach == bot.ReachFollow && !m.NamesOther() {
		h, err = b.hearAnswer(ctx, m, h)
	}
	if err == nil && h == heardUnsure {
		h, err = b.hearRedo(ctx, m)
	}
	return set, b.hush(set, m, h), err
}

// hearReach decides by how a message reached the bot.
func (b *Bot) hearReach(ctx context.Context, m bot.Message, engage string) (heard, error) {
	switch m.Reach {
	case bot.ReachMention, bot.ReachDirect, bot.ReachCommand, bot.ReachMenu:
		return heardUs, nil
	case bot.ReachFollow:
		if engage == config.EngageFollow {
			return b.hearThread(ctx, m)
		}
	case bot.ReachAmbient:
	}
	if engage == config.EngageAlways && !m.NamesOther() {
		return heardUs, nil
	}
	return heardOthers, nil
}

// hearAnswer makes a reply one for the bot when a question waits in its thread
// for whoever wrote it; else it is what it was.
func (b *Bot) hearAnswer(ctx context.Context, m bot.Message, otherwise heard) (heard, error) {
	waiting, err := b.questions.In(ctx, bot.Item{}, m)
	if err != nil || len(waiting.Rows) == 0 {
		return otherwise, err
	}
	list, err := b.questions.For(ctx, m, waiting.Rows)
	if err != nil || len(list) == 0 {
		return otherwise, err
	}
	return heardUs, nil
}

// hearThread decides on a message without a mention in a thread. Whoever is
// alone there with the bot speaks to it; among several people their words and
// whose turn it is must tell.
func (b *Bot) hearThread(ctx context.Context, m bot.Message) (heard, error) {
	if m.NamesOther() {
		return heardOthers, nil
	}
	if m.Young {
		if joined, err := b.joined(ctx, m.Thread); err != nil || !joined {
			return heardOthers, err
		}
	}
	var past []bot.Entry
	var lost error
	var reading sync.WaitGroup // both at once: the platform waits for what comes of it
	reading.Go(func() { past, lost = b.cfg.Record.Transcript(ctx, m.Thread.Key(), overheardTurns) })
	known, err := b.cfg.Record.Known(ctx, m.Thread.Key())
	reading.Wait()
	if err != nil || !known {
		return heardOthers, err
	}
	if lost != nil {
		return heardOthers, fmt.Errorf("read transcript: %w", lost)
	}
	alone := true
	for _, e := range past {
		alone = alone && (e.Own || e.User == m.User.ID)
	}
	switch {
	case alone, callsBot(m.Text):
		return heardUs, nil
	case intent.Courtesy(m.Text):
		return heardOthers, nil
	}
	return heardUnsure, nil
}

// What overtakes the mention that began its thread waits for it, twice as long each time:
// 1.6 s together, which an intake has.
const (
	overtakes  = 5
	overtaking = 50 * time.Millisecond
)

// joined reports whether the bot takes part in a thread, as soon as what began it is
// there.
func (b *Bot) joined(ctx context.Context, th bot.Thread) (bool, error) {
	for n, wait := 0, overtaking; ; n, wait = n+1, 2*wait {
		known, err := b.cfg.Record.Known(ctx, th.Key())
		if err != nil || known || n == overtakes {
			return known, err
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return false, context.Cause(ctx)
		case <-t.C:
		}
	}
}

// addressed decides on a message that was overheard: by the model if there is
// one, else by whose turn it is. A model that cannot decide decides nothing.
func (b *Bot) addressed(ctx context.Context, m bot.Message) (bool, error) {
	past, err := b.cfg.Record.Transcript(ctx, m.Thread.Key(), overheardTurns)
	if err != nil {
		return false, fmt.Errorf("read transcript: %w", err)
	}
	var turns []agent.Turn
	if i := slices.IndexFunc(past, func(e bot.Entry) bool { return e.ID == m.Key() }); i >= 0 {
		past = past[:i]
	}
	past = standing(past)
	for _, e := range past {
		turns = append(turns, agent.Turn{Author: e.Author, Own: e.Own, Text: e.Text, At: e.At})
	}
	if b.cfg.Addressed != nil {
		yes, err := b.cfg.Addressed(b.counted(ctx, m.Thread, m.User, bot.SpentAddressing), turns, agent.Turn{Author: m.User.Name, Text: m.Text, At: m.At})
		if err == nil {
			return yes, nil
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		b.log.InfoContext(ctx, "who is spoken to: decided without the model", "err", err)
	}
	return (intent.Question(m.Text) || intent.Request(m.Text)) && theirTurn(past, m.User.ID), nil
}

// theirTurn reports whether the bot has answered and nobody has spoken since, or
// only the person whom it answered: a thanks, or what it did not take to be for it,
// does not end their conversation.
func theirTurn(past []bot.Entry, user string) bool {
	since := len(past)
	for since > 0 && !past[since-1].Own {
		since--
	}
	if since == 0 || since == len(past) {
		return since > 0
	}
	asked := since - 1
	for asked >= 0 && past[asked].Own {
		asked--
	}
	others := slices.ContainsFunc(past[since:], func(e bot.Entry) bool { return e.User != user })
	return !others && asked >= 0 && past[asked].User == user
}

// callsBot reports whether a message names the bot as one calls a person: at the
// beginning or the end.
func callsBot(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
	if len(words) == 0 {
		return false
	}
	for _, w := range []string{words[0], words[len(words)-1]} {
		switch w {
		case "마루", "마루야", "마루님", "마루씨", "maru":
			return true
		}
	}
	return (words[0] == "hey" || words[0] == "hi") && len(words) > 1 && words[1] == "maru"
}
