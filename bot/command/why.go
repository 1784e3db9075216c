package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/place"
	"maru/phrase"
	"maru/phrase/fit"
)

// RunRecord is the part of the record that [Runs] need.
type RunRecord interface {
	RunByID(ctx context.Context, run string) (bot.Run, error)
	RunsOf(ctx context.Context, thread string, limit int) ([]bot.Run, error)
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error)
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
}

// Runs explains answers by the trace of their run.
type Runs struct {
	rules     *place.Rules
	log       *slog.Logger
	record    RunRecord
	turns     Turns
	questions Questions
	memories  *Memory
	traceURL  string
}

// why summarises the trace of the thread's last run.
func (rn *Runs) why(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	runs, err := rn.lastRun(ctx, c)
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "bot.why.nothing")}
	}
	card := bot.Card{
		Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.why.title"),
		Text: rn.explain(ctx, runs[0], c.User, lang), Language: lang, Final: true, Run: runs[0].ID, Own: true,
	}
	if rn.traceURL != "" {
		card.Buttons = []bot.Button{{Label: phrase.Say(lang, "bot.why.open_trace"), URL: rn.traceURL + runs[0].ID}}
	}
	return &card, nil
}

// lastRun returns the thread's last run or, outside of a thread, the last run of the
// channel's newest thread that has one.
func (rn *Runs) lastRun(ctx context.Context, c bot.Invocation) ([]bot.Run, error) {
	rn.turns.AwaitTrace(ctx, "", c.Thread.Key())
	runs, err := rn.record.RunsOf(ctx, c.Thread.Key(), 1)
	if err != nil || len(runs) > 0 || c.Thread.ID != "" {
		return runs, err
	}
	threads, err := rn.record.Threads(ctx, c.Thread.Platform, c.Thread.Team, c.Thread.Channel, 5)
	if err != nil {
		return nil, err
	}
	for _, t := range threads {
		if runs, err = rn.record.RunsOf(ctx, t.Thread.Key(), 1); err != nil || len(runs) > 0 {
			return runs, err
		}
	}
	return nil, nil
}

// explain renders a trace as lines of Markdown.
func (rn *Runs) explain(ctx context.Context, r bot.Run, u bot.User, lang string) string {
	var events []agent.Event
	var usage agent.Usage
	_ = json.Unmarshal(r.Trace, &events) // written by us; a trace that cannot be read explains less
	rn.memories.fillIn(ctx, r, u, events)
	_ = json.Unmarshal(r.Usage, &usage)
	var s strings.Builder
	ranks := map[string]int{} // of the passages found, by which the trace numbers them
	for _, e := range events {
		took := ""
		if e.Took > 0 {
			took = " (" + e.Took.Round(time.Millisecond).String() + ")"
		}
		switch e.Kind {
		case agent.EventNodeEnd:
			if e.Waits { // the node starts again after the decision, and ends a second time
				took = " " + phrase.Say(lang, "bot.why.step_waited")
			}
			if e.Err != "" {
				took += " ✗"
			}
			line := fmt.Sprintf("- %s `%s`%s %s", phrase.Say(lang, "bot.why.step"), e.Node, took, e.Text)
			s.WriteString(strings.TrimSpace(line) + "\n")
		case agent.EventToolResult:
			fmt.Fprintf(&s, "- %s `%s`%s\n", phrase.Say(lang, "bot.why.tool"), e.Name, took)
		case agent.EventModelCall:
			fmt.Fprintf(&s, "- %s %s%s%s\n", phrase.Say(lang, "bot.why.model_call"), e.Name, whichModel(e), took)
		case agent.EventMemory:
			for _, k := range agent.KnownIn([]agent.Event{e}) {
				fmt.Fprintf(&s, "- %s %s (%s)\n", phrase.Say(lang, "bot.why.memory"), cmp.Or(k.Text, k.Kind), k.Why)
			}
		case agent.EventCustom:
			if e.Name == agent.CustomNoAnswer {
				s.WriteString("- " + e.Text + "\n")
			}
			for _, c := range citedIn(e) {
				s.WriteString("- " + phrase.Say(lang, "bot.why.cited", c.N, passageTitle(c), ranks[c.Chunk]) + "\n")
			}
		case agent.EventSources:
			s.WriteString("- " + phrase.Say(lang, "bot.why.passages", len(e.Sources)))
			for _, p := range e.Sources {
				ranks[p.Chunk] = p.N
			}
		}
	}
	told := phrase.MomentWords(s.String()) // it quotes people and agents
	s.Reset()
	for _, w := range rn.questions.Waits(ctx, r) {
		fmt.Fprintf(&s, "- ⏳ `%s`: %s\n", w.Node, phrase.Say(lang, "bot.why.waits_for", w.Whom(lang), place.Until(w.Until, rn.rules.ZoneOf(u))))
	}
	s.WriteString(phrase.Say(lang, "bot.why.totals",
		usage.Calls, usage.Input+usage.Output, r.Worked.Round(time.Millisecond)))
	return told + s.String()
}

// citedIn returns the cited passages in an event.
func citedIn(e agent.Event) []agent.Source {
	if e.Kind != agent.EventCustom || e.Name != agent.CustomCited {
		return nil
	}
	return e.Sources
}

// passageTitle returns a passage's document and heading on one line.
func passageTitle(s agent.Source) string {
	if s.Heading == "" || s.Heading == s.Title {
		return fit.Visible(s.Title)
	}
	return fit.Visible(s.Title + " › " + s.Heading)
}

// Trace returns the trace of a run. The caller decides whether the person may see it: the
// console shows every run to the operator. Memory texts are included only for the person
// they are about.
func (rn *Runs) Trace(ctx context.Context, u bot.User, run string) (bot.RunView, error) {
	rn.turns.AwaitTrace(ctx, run, "")
	r, err := rn.record.RunByID(ctx, run)
	if err != nil {
		return bot.RunView{}, err
	}
	t, err := bot.ParseThread(r.Thread)
	if err != nil {
		return bot.RunView{}, err
	}
	v := bot.RunView{
		ID: r.ID, Thread: t, Agent: r.Agent, User: r.User, Status: r.Status,
		Started: r.Started, Ended: r.Ended,
	}
	if err := errors.Join(json.Unmarshal(r.Usage, &v.Usage), json.Unmarshal(r.Trace, &v.Events)); err != nil {
		return bot.RunView{}, fmt.Errorf("decode trace: %w", err)
	}
	rn.memories.fillIn(ctx, r, u, v.Events)
	v.Question, v.Waits = rn.questionOf(ctx, r), rn.questions.Waits(ctx, r)
	return v, nil
}

// questionOf returns the message that a run answered, "" if it was deleted.
func (rn *Runs) questionOf(ctx context.Context, r bot.Run) string {
	entries, err := rn.record.Transcript(ctx, r.Thread, 200)
	if err != nil {
		return ""
	}
	i := slices.IndexFunc(entries, func(e bot.Entry) bool { return !e.Own && bot.RunID(e.ID) == r.ID })
	if i < 0 {
		return ""
	}
	return entries[i].Text
}

// whichModel names the model that a call asked, "" for one without a name.
func whichModel(e agent.Event) string {
	if e.Text == "" {
		return ""
	}
	return " `" + strings.ReplaceAll(e.Text, "`", "") + "`"
}
