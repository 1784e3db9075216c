package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/phrase"
	"maru/phrase/fit"
)

// Redo redoes the thread's last task from a step, like the corresponding message; without a number it
// lists the steps. On platforms without commands in threads it uses the channel's newest thread that
// has a task.
func (rd *Redos) Redo(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	rd.runs.awaitChannel(ctx, c.Thread)
	task, in, err := rd.taskHere(ctx, c)
	if err != nil {
		return nil, err
	}
	if in == nil {
		return nil, &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "bot.redo.nothing")}
	}
	may, err := rd.mayRedo(ctx, task, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	if !may {
		return nil, &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(lang, "bot.redo.not_yours"), Noted: true}
	}
	word := strings.TrimSpace(c.Args)
	if v := c.Options["step"]; v != "" {
		word = v
	}
	if word == "" {
		return listRedo(task.plan, lang), nil
	}
	n := stepNumber(word)
	if n < 1 || n > len(task.plan.Steps) {
		return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "bot.redo.no_step", fit.Clip(fit.OneLine(fit.Visible(word)), 20), len(task.plan.Steps))}
	}
	if busy, err := rd.busyIn(ctx, *in); err != nil || busy {
		if err != nil {
			return nil, err
		}
		return nil, &bot.Error{Code: bot.CodeBusy, Say: phrase.Say(lang, "bot.redo.busy")}
	}
	m := bot.Message{ID: c.ID, Thread: *in, User: c.User, Reach: bot.ReachCommand, Text: phrase.Say(lang, "bot.redo.words", n), At: c.At}
	if err := rd.accept(ctx, m); err != nil {
		return nil, err
	}
	return approval.Notice(lang, "bot.answer.on_its_way").Card, nil
}

// taskHere returns the task that a command refers to, and its thread; nil if there
// is none.
func (rd *Redos) taskHere(ctx context.Context, c bot.Invocation) (redoable, *bot.Thread, error) {
	task, found, err := rd.lastTask(ctx, c.Thread.Key(), "")
	if err != nil || found {
		return task, &c.Thread, err
	}
	if c.Thread.ID != "" {
		return redoable{}, nil, nil
	}
	threads, err := rd.record.Threads(ctx, c.Thread.Platform, c.Thread.Team, c.Thread.Channel, 5)
	if err != nil {
		return redoable{}, nil, fmt.Errorf("read threads: %w", err)
	}
	for _, t := range threads {
		if task, found, err = rd.lastTask(ctx, t.Thread.Key(), ""); err != nil || found {
			in := t.Thread
			in.Direct = c.Thread.Direct
			return task, &in, err
		}
	}
	return redoable{}, nil, nil
}

// busyIn reports whether a thread has a run that is active or waits for people.
func (rd *Redos) busyIn(ctx context.Context, t bot.Thread) (bool, error) {
	if rd.runs.BusyBeside(t.Key(), "") {
		return true, nil
	}
	rows, err := rd.record.PendingApprovals(ctx, t.Key(), approval.MaxAsked)
	if err != nil {
		return false, fmt.Errorf("read approvals: %w", err)
	}
	for _, row := range rows {
		if !approval.IsOffer(row.Kind) {
			return true, nil
		}
	}
	return false, nil
}

// listRedo lists a task's steps with their numbers, and suggests one to redo from: the first that failed,
// otherwise the last.
func listRedo(p agent.Plan, lang string) *bot.Card {
	n := slices.IndexFunc(p.Steps, func(s agent.PlanStep) bool { return s.State != agent.StepDone }) + 1
	if n == 0 {
		n = len(p.Steps)
	}
	var text strings.Builder
	for i, s := range p.Steps {
		mark := map[agent.StepState]string{agent.StepDone: "✅", agent.StepFailed: "❌", agent.StepSkipped: "⏭️"}[s.State]
		mark = cmp.Or(mark, "◻️")
		fmt.Fprintf(&text, "%d. %s %s\n", i+1, mark, fit.Clip(fit.OneLine(fit.Visible(s.Text)), approval.MaxStepShown))
	}
	text.WriteString("\n" + phrase.Say(lang, "bot.redo.how", phrase.Say(lang, "bot.redo.words", n), n))
	return &bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.redo.title"), Text: text.String(), Language: lang, Final: true}
}
