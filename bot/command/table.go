package command

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
	"maru/phrase"
)

// Commands is the table of all commands. Platforms register it, and help is rendered from
// it.
func Commands() []bot.Command {
	return []bot.Command{
		{Name: "ask", Also: phrase.All("bot.also.ask"), Summary: phrase.All("bot.ask_a_question"), Args: []bot.Arg{
			{Name: "question", Summary: phrase.All("bot.your_question"), Required: true, Rest: true},
		}},
		{Name: "docs", Also: phrase.All("bot.also.docs"), Summary: phrase.All("bot.documents_readable_here"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.what_to_do"), Choices: docActions()},
			{Name: "name", Summary: phrase.All("bot.name_of_the_document"), Rest: true, Complete: true},
		}},
		{Name: "memory", Also: phrase.All("bot.also.memory"), Summary: phrase.All("bot.what_i_know_about_you"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.what_to_do"), Choices: memoryActions()},
			{Name: "what", Summary: phrase.All("bot.a_number_all_me_channel"), Rest: true},
		}},
		{Name: "settings", Also: phrase.All("bot.also.settings"), Summary: phrase.All("bot.see_and_change_what_holds"), Args: settingsArgs()},
		{Name: "agent", Also: phrase.All("bot.also.agent"), Summary: phrase.All("bot.choose_the_agent_that_answers"), Args: []bot.Arg{
			{Name: "name", Summary: phrase.All("bot.name_of_the_agent"), Rest: true},
		}},
		{Name: "usage", Also: phrase.All("bot.also.usage"), Summary: phrase.All("bot.what_was_used_and_what"), Args: []bot.Arg{
			{Name: "days", Summary: phrase.All("bot.how_many_days"), Kind: bot.ArgInteger, Min: 1, Max: usageMost},
			{Name: "form", Summary: phrase.All("bot.usage_form"), Choices: usageForms()},
		}},
		{Name: "status", Also: phrase.All("bot.also.status"), Summary: phrase.All("bot.what_is_going_on_here")},
		{Name: "audit", Also: phrase.All("bot.also.audit"), Summary: phrase.All("bot.who_changed_and_decided_what"), Admin: true, Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.what_to_do"), Choices: auditActions()},
			{Name: "filter", Summary: phrase.All("bot.words_to_look_for"), Rest: true},
		}},
		{Name: "why", Also: phrase.All("bot.also.why"), Summary: phrase.All("bot.why_the_last_answer_came")},
		{Name: "approve", Also: phrase.All("bot.also.approve"), Summary: phrase.All("bot.approve_what_waits_for_a"), Args: []bot.Arg{
			{Name: "id", Summary: phrase.All("bot.id_of_the_question"), Required: true},
			{Name: "verb", Summary: phrase.All("bot.another_of_its_choices_and"), Rest: true},
		}},
		{Name: "reject", Also: phrase.All("bot.also.reject"), Summary: phrase.All("bot.reject_what_waits_for_a"), Args: []bot.Arg{
			{Name: "id", Summary: phrase.All("bot.id_of_the_question"), Required: true},
		}},
		{Name: "approvers", Also: phrase.All("bot.also.approvers"), Summary: phrase.All("bot.who_may_decide_here_and"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.what_to_do"), Choices: approverActions()},
			{Name: "who", Summary: phrase.All("bot.ids_of_people_roles_or"), Rest: true, Kind: bot.ArgPeople},
		}},
		{Name: "tools", Also: phrase.All("bot.also.tools"), Summary: phrase.All("bot.tools_offered_here"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.what_to_do"), Choices: toolActions()},
			{Name: "name", Summary: phrase.All("bot.name_of_a_tool_that"), Complete: true},
			{Name: "hash", Summary: phrase.All("bot.its_hash_as_the_list")},
		}},
		{Name: "stop", Also: phrase.All("bot.also.stop"), Summary: phrase.All("bot.stop_what_is_running_in")},
		{Name: "redo", Also: phrase.All("bot.also.redo"), Summary: phrase.All("bot.redo.summary"), Args: []bot.Arg{
			{Name: "step", Summary: phrase.All("bot.redo.step")},
		}},
		{Name: "reset", Also: phrase.All("bot.also.reset"), Summary: phrase.All("bot.forget_this_thread_and_start")},
		{Name: "forget", Also: phrase.All("bot.also.forget"), Summary: phrase.All("bot.forget_what_you_know_about"), Args: []bot.Arg{
			{Name: "what", Summary: phrase.All("bot.what_to_forget"), Choices: forgetActions()},
		}},
		{Name: "doctor", Also: phrase.All("bot.also.doctor"), Summary: phrase.All("bot.what_works_and_what_does"), Admin: true},
		{Name: "help", Also: phrase.All("bot.also.help"), Summary: phrase.All("bot.what_i_can_do")},
	}
}

// run executes a command. A nil card means that the answer is shown elsewhere, as a form.
type run func(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error)

// Table executes commands. It checks the rights to admin commands and audits them.
type Table struct {
	rules    *place.Rules
	log      *slog.Logger
	handlers map[string]run // by the command's name
}

// Commands implements [bot.Intake].
func (tb *Table) Commands() []bot.Command { return Commands() }

// Command implements [bot.Intake].
func (tb *Table) Command(ctx context.Context, c bot.Invocation) (*bot.Card, error) {
	lang := tb.rules.Language(ctx, c.Thread, c.User, languageHint(c))
	name := cmp.Or(strings.ToLower(strings.TrimSpace(c.Name)), "help")
	rows := Commands()
	i := slices.IndexFunc(rows, func(r bot.Command) bool { return r.Is(name) })
	if i < 0 {
		n := (&bot.Error{Code: bot.CodeBadCommand, Detail: didYouMean(name, c.Args, lang)}).Notice(lang)
		return &n, nil
	}
	card, err := tb.runAllowed(ctx, rows[i], c, lang)
	if err == nil {
		return card, nil
	}
	e := bot.AsError(err)
	if e.Code == bot.CodeMayNot && !e.Noted {
		tb.rules.Audit(ctx, c.Thread, c.User, "command.refused", map[string]any{"command": rows[i].Name})
	}
	if e.Code == bot.CodeInternal || e.Code == bot.CodeStoreAway {
		tb.log.ErrorContext(ctx, "command failed", "command", rows[i].Name, "ref", e.Ref, "err", err)
	}
	n := e.Notice(lang)
	return &n, nil
}

// runAllowed executes a command if the caller may use it.
func (tb *Table) runAllowed(ctx context.Context, row bot.Command, c bot.Invocation, lang string) (*bot.Card, error) {
	if !row.Admin {
		return tb.handlers[row.Name](ctx, c, lang)
	}
	if !tb.rules.May(c.Thread, c.User, config.Admin) {
		return nil, &bot.Error{Code: bot.CodeMayNot, Detail: place.Whom(config.Admin, lang)}
	}
	card, err := tb.handlers[row.Name](ctx, c, lang)
	if err == nil {
		tb.rules.Audit(ctx, c.Thread, c.User, "command.run", map[string]any{"command": row.Name})
	}
	return card, err
}

// languageHint returns the words of a command that reveal the caller's language: those of a
// question, and those in another script. Names and values are in Latin script in every
// language.
func languageHint(c bot.Invocation) string {
	switch {
	case c.Name == "ask", phrase.Spoken(c.Args, "") != phrase.Fallback:
		return c.Args
	case phrase.Spoken(c.Name, "") != phrase.Fallback: // its name in their language
		return c.Name
	}
	return ""
}
