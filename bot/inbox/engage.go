package inbox

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
	"maru/phrase/intent"
)

// heard classifies the addressee of a message, as far as rules can tell without a model.
type heard int

const (
	heardOthers heard = iota // addressed to others
	heardUs                  // addressed to the bot
	heardUnsure              // several people talk in a thread that the bot has joined
)

// overheardTurns is the number of transcript entries read to find a message's addressee.
const overheardTurns = 12

// hear classifies a message's addressee and returns the settings that apply to it. It makes no model call.
func (in *Intake) hear(ctx context.Context, m bot.Message) (config.Resolved, heard, error) {
	if m.User.Bot {
		if ours, err := in.hearApp(ctx, m); err != nil || !ours {
			return config.Resolved{}, heardOthers, err
		}
	}
	set, err := in.settings(ctx, m)
	if err != nil || set.Engage == config.EngageNever {
		return set, heardOthers, err
	}
	h, err := in.hearReach(ctx, m, set)
	if err == nil && h != heardUs && m.Reach == bot.ReachFollow && !m.NamesOther() {
		h, err = in.hearAnswer(ctx, m, h)
	}
	if err == nil && h == heardUnsure {
		h, err = in.hearRedo(ctx, m)
	}
	return set, in.applyQuietHours(set, m, h), err
}

// hearReach classifies by how the message reached the bot and by the channel's engage setting.
func (in *Intake) hearReach(ctx context.Context, m bot.Message, set config.Resolved) (heard, error) {
	engage := set.Engage
	switch m.Reach {
	case bot.ReachMention, bot.ReachDirect, bot.ReachCommand, bot.ReachMenu:
		return heardUs, nil
	case bot.ReachFollow:
		if engage == config.EngageFollow || engage == config.EngageDocuments {
			return in.hearThread(ctx, m)
		}
	case bot.ReachAmbient:
		if engage == config.EngageDocuments {
			return in.hearAround(ctx, m, set)
		}
	}
	if engage == config.EngageAlways && !m.NamesOther() {
		return heardUs, nil
	}
	return heardOthers, nil
}

// coverTime limits the document search, which runs before the platform's acknowledgement.
const coverTime = 500 * time.Millisecond

// readsDocuments names the agent for questions not addressed to the bot: it answers from documents at once, whereas the
// channel's configured agent may plan, ask back or act.
const readsDocuments = "chat"

// hearAround accepts a message to the whole channel only if the channel's documents answer it. It runs before the message
// is committed, so nothing is stored of messages that do not concern the bot.
func (in *Intake) hearAround(ctx context.Context, m bot.Message, set config.Resolved) (heard, error) {
	if in.covers == nil || m.NamesOther() || len(m.Files) > 0 {
		return heardOthers, nil
	}
	looking, cancel := context.WithTimeout(ctx, coverTime)
	defer cancel()
	covered, err := in.covers(looking, m.Text, place.Scopes(m.Thread, m.User, set), set.Means.DocTags)
	if err != nil && ctx.Err() == nil { // nobody addressed the bot, so it stays silent
		in.log.DebugContext(ctx, "search documents for an unaddressed question", "err", err)
		return heardOthers, nil
	}
	if err != nil || !covered {
		return heardOthers, err
	}
	return heardUs, nil
}

// hearAnswer returns heardUs if a question in the thread waits for the message's author, otherwise its last argument.
func (in *Intake) hearAnswer(ctx context.Context, m bot.Message, otherwise heard) (heard, error) {
	if waits, err := in.questions.WaitsFor(ctx, m); err != nil || !waits {
		return otherwise, err
	}
	return heardUs, nil
}

// hearRedo returns heardUs if the author of the thread's last task asks to redo it, otherwise heardUnsure.
func (in *Intake) hearRedo(ctx context.Context, m bot.Message) (heard, error) {
	if own, err := in.runs.RedoesOwn(ctx, m); err != nil || !own {
		return heardUnsure, err
	}
	return heardUs, nil
}

// hearThread classifies a thread message without a mention. A person alone with the bot addresses it; among several
// people, only a message that names the bot surely does.
func (in *Intake) hearThread(ctx context.Context, m bot.Message) (heard, error) {
	if m.NamesOther() {
		return heardOthers, nil
	}
	past, err := in.record.Transcript(ctx, m.Thread.Key(), overheardTurns)
	if err == nil && len(past) == 0 { // an entry is committed with its thread, so a thread that has one is known
		if known, err := in.known(ctx, m); err != nil || !known {
			return heardOthers, err
		}
		past, err = in.record.Transcript(ctx, m.Thread.Key(), overheardTurns) // the first message has come meanwhile
	}
	if err != nil {
		return heardOthers, fmt.Errorf("read transcript: %w", err)
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

// known reports whether the bot takes part in a message's thread.
func (in *Intake) known(ctx context.Context, m bot.Message) (bool, error) {
	if m.Young {
		return in.joined(ctx, m.Thread)
	}
	return in.record.Known(ctx, m.Thread.Key())
}

// A reply may arrive before the mention that started its thread. It is retried with exponential backoff for 1.6 s in
// total, which fits the platforms' acknowledgement limits.
const (
	overtakes  = 5
	overtaking = 50 * time.Millisecond
)

// joined reports whether the bot takes part in a thread, waiting for a first message that is still on its way.
func (in *Intake) joined(ctx context.Context, th bot.Thread) (bool, error) {
	for n, wait := 0, overtaking; ; n, wait = n+1, 2*wait {
		known, err := in.record.Known(ctx, th.Key())
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

// callsBot reports whether a message begins or ends with the bot's name, as when calling a person.
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

// applyQuietHours drops messages not addressed to the bot during quiet hours.
func (in *Intake) applyQuietHours(set config.Resolved, m bot.Message, h heard) heard {
	spoken := h == heardUs && m.Reach != bot.ReachAmbient
	if _, quiet := in.rules.QuietUntil(set, m.User, m.At); !quiet || spoken {
		return h
	}
	return heardOthers
}
