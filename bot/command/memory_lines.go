package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"maru/bot"
	"maru/bot/approval"
	"maru/memory/longterm"
	"maru/phrase"
	"maru/phrase/fit"
)

// remembered is a record for people: its task, "" for statements about themselves, and its content as text.
type remembered struct {
	longterm.Record

	task, words string
}

// byTask groups the records by task, in order of each task's first record, after the statements about the person.
// The numbers in a list follow this order.
func byTask(list []longterm.Record, lang string) []remembered {
	all := make([]remembered, len(list))
	for i, r := range list {
		all[i] = inWords(r, lang)
	}
	for i := range all { // a decision about a step names its tool before the task
		for _, o := range all {
			if all[i].Kind == longterm.KindBehavior && o.task != "" && o.Kind != longterm.KindBehavior && strings.HasSuffix(all[i].task, " "+o.task) {
				all[i].task = o.task
			}
		}
	}
	slices.SortStableFunc(all, func(a, b remembered) int { // statements about the person come first
		return cmp.Compare(min(len(a.task), 1), min(len(b.task), 1))
	})
	var out []remembered
	taken := make([]bool, len(all))
	for i, r := range all {
		for j := i; j < len(all); j++ {
			if !taken[j] && (j == i || r.task != "" && (all[j].task == r.task || longterm.SameTask(all[j].task, r.task))) {
				taken[j] = true
				out = append(out, all[j])
			}
		}
	}
	return out
}

// inWords describes a record. Its search text may begin with the internal name of an approval or a tool.
func inWords(r longterm.Record, lang string) remembered {
	out := remembered{Record: r, words: r.Text}
	read := func(v any) bool { return json.Unmarshal(r.Data, v) == nil }
	switch r.Kind {
	case longterm.KindPlan:
		var p longterm.Plan
		if read(&p) && p.Query != "" {
			out.task, out.words = p.Query, phrase.Say(lang, "bot.memory.plan", stepsInWords(p.Final), p.SuccessCount, p.SuccessCount+p.Failures)
		}
	case longterm.KindWorkflow:
		var w longterm.Workflow
		if read(&w) && w.Query != "" {
			out.task, out.words = w.Query, phrase.Say(lang, "bot.memory.work", stepsInWords(w.Plan), w.Successes, w.Successes+w.Failures)
		}
	case longterm.KindClarification:
		var c longterm.Clarification
		if read(&c) && c.Answer != "" {
			out.task, out.words = c.Query, phrase.Say(lang, "bot.memory.answer", c.Answer)
		}
	case longterm.KindTool:
		var t longterm.Tool
		if read(&t) && t.Tool != "" {
			out.task, out.words = t.Task, phrase.Say(lang, "bot.memory.tool", strings.ReplaceAll(t.Tool, "_", " "), t.Successes, t.Successes+t.Failures)
		}
	case longterm.KindBehavior:
		var b longterm.Behavior
		if read(&b) && approval.KindTitle(b.Approval, lang) != "" {
			out.task, out.words = b.Task, phrase.Say(lang, "bot.memory.decisions", approval.KindTitle(b.Approval, lang),
				b.Actions[longterm.Accepted], b.Actions[longterm.Edited], b.Actions[longterm.Skipped], b.Actions[longterm.Rejected])
		}
	case longterm.KindPreference:
	}
	return out
}

// stepsInWords names the steps of a plan in one line.
func stepsInWords(steps []longterm.Step) string {
	texts := make([]string, len(steps))
	for i, s := range steps {
		texts[i] = fit.Clip(fit.OneLine(s.Text), 40)
	}
	return fit.Clip(strings.Join(texts, " → "), 160)
}

// Line is a memory of a person, as text.
type Line struct {
	ID, Task string // Task is "" for statements about the person; lines of one task are adjacent and share it
	Text     string // Markdown
}

// Lines lists a person's memories in the order and wording of "/maru memory", and reports whether memory is on in
// the channel.
func (me *Memory) Lines(ctx context.Context, t bot.Thread, u bot.User, lang string) (lines []Line, state string, err error) {
	if me.memory == nil {
		return nil, phrase.Say(lang, "bot.memory.unavailable"), nil
	}
	known, err := me.memory.Known(ctx, t.Person(u))
	if err != nil {
		return nil, "", err
	}
	for i, r := range byTask(known, lang) {
		l := Line{ID: r.ID, Text: recordLine(r, t, lang)}
		if r.task != "" {
			l.Task = plainLine(r.task, lang)
		}
		if i > 0 && r.task != "" && longterm.SameTask(lines[i-1].Task, r.task) {
			l.Task = lines[i-1].Task
		}
		lines = append(lines, l)
	}
	return lines, me.state(ctx, bot.Invocation{Thread: t, User: u}, lang), nil
}

// memoryLines writes numbered records, the ones of a task below its name.
func memoryLines(list []remembered, t bot.Thread, lang string) string {
	var s strings.Builder
	for i, r := range list {
		if r.task != "" && (i == 0 || list[i-1].task != r.task && !longterm.SameTask(list[i-1].task, r.task)) {
			fmt.Fprintf(&s, "\n**%s**\n", plainLine(r.task, lang))
		}
		fmt.Fprintf(&s, "%d. %s\n", i+1, recordLine(r, t, lang))
	}
	return strings.TrimPrefix(s.String(), "\n")
}
