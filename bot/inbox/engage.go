package inbox

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"maru/bot"
	"maru/bot/place"
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
	return set, in.hush(set, m, h), err
}

// hearReach decides by how a message reached the bot.
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

// coverTime bounds the search for documents that cover a question; the platform waits for it.
const coverTime = 500 * time.Millisecond

// readsDocuments names the agent that answers a question that nobody addressed to the bot: it answers from documents
// at once, where the channel's own may plan, ask back or act.
const readsDocuments = "chat"

// hearAround decides on a message to the whole channel by whether its documents answer it. It is decided before the
// message is accepted, so that nothing is kept of one that does not concern the bot.
func (in *Intake) hearAround(ctx context.Context, m bot.Message, set config.Resolved) (heard, error) {
	if in.covers == nil || m.NamesOther() || len(m.Files) > 0 {
		return heardOthers, nil
	}
	looking, cancel := context.WithTimeout(ctx, coverTime)
	defer cancel()
	covered, err := in.covers(looking, m.Text, place.Scopes(m.Thread, m.User, set), set.Means.DocTags)
	if err != nil && ctx.Err() == nil { // nobody has spoken to the bot: silence is right
		in.log.DebugContext(ctx, "a channel's question: documents were not searched", "err", err)
		return heardOthers, nil
	}
	if err != nil || !covered {
		return heardOthers, err
	}
	return heardUs, nil
}

// hearAnswer makes a reply one for the bot when a question waits in its thread
// for whoever wrote it; else it is what it was.
func (in *Intake) hearAnswer(ctx context.Context, m bot.Message, otherwise heard) (heard, error) {
	if waits, err := in.questions.WaitsFor(ctx, m); err != nil || !waits {
		return otherwise, err
	}
	return heardUs, nil
}

// hearRedo makes words for a task once more ones for the bot when whoever asked
// for the thread's last task says them among several people.
func (in *Intake) hearRedo(ctx context.Context, m bot.Message) (heard, error) {
	if own, err := in.runs.RedoesOwn(ctx, m); err != nil || !own {
		return heardUnsure, err
	}
	return heardUs, nil
}

// hearThread decides on a message without a mention in a thread. Whoever is
// alone there with the bot speaks to it; among several people their words and
// whose turn it is must tell.
func (in *Intake) hearThread(ctx context.Context, m bot.Message) (heard, error) {
	if m.NamesOther() {
		return heardOthers, nil
	}
	known := false
	if m.Young {
		var err error
		if known, err = in.joined(ctx, m.Thread); err != nil || !known {
			return heardOthers, err
		}
	}
	var past []bot.Entry
	var lost error
	var reading sync.WaitGroup // both at once: the platform waits for what comes of it
	reading.Go(func() { past, lost = in.record.Transcript(ctx, m.Thread.Key(), overheardTurns) })
	var err error
	if !known {
		known, err = in.record.Known(ctx, m.Thread.Key())
	}
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

// hush makes what was only overheard in quiet hours none of the bot's business.
func (in *Intake) hush(set config.Resolved, m bot.Message, h heard) heard {
	spoken := h == heardUs && m.Reach != bot.ReachAmbient
	if _, quiet := in.rules.QuietUntil(set, m.User, m.At); !quiet || spoken {
		return h
	}
	return heardOthers
}
