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

// Commands returns the table of all commands, from which platforms register theirs and help is rendered.
func Commands() []bot.Command {
	return []bot.Command{
		{Name: "ask", Also: phrase.All("bot.also.ask"), Summary: phrase.All("bot.command.ask"), Args: []bot.Arg{
			{Name: "question", Summary: phrase.All("bot.arg.question"), Required: true, Rest: true},
		}},
		{Name: "docs", Also: phrase.All("bot.also.docs"), Summary: phrase.All("bot.command.docs"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.arg.action"), Choices: docActions()},
			{Name: "name", Summary: phrase.All("bot.arg.document"), Rest: true, Complete: true},
		}},
		{Name: "memory", Also: phrase.All("bot.also.memory"), Summary: phrase.All("bot.command.memory"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.arg.action"), Choices: memoryActions()},
			{Name: "what", Summary: phrase.All("bot.arg.memory"), Rest: true},
		}},
		{Name: "settings", Also: phrase.All("bot.also.settings"), Summary: phrase.All("bot.command.settings"), Args: settingsArgs()},
		{Name: "agent", Also: phrase.All("bot.also.agent"), Summary: phrase.All("bot.command.agent"), Args: []bot.Arg{
			{Name: "name", Summary: phrase.All("bot.arg.agent"), Rest: true},
		}},
		{Name: "usage", Also: phrase.All("bot.also.usage"), Summary: phrase.All("bot.command.usage"), Args: []bot.Arg{
			{Name: "days", Summary: phrase.All("bot.arg.days"), Kind: bot.ArgInteger, Min: 1, Max: usageMost},
			{Name: "form", Summary: phrase.All("bot.arg.usage_csv"), Choices: usageForms()},
		}},
		{Name: "status", Also: phrase.All("bot.also.status"), Summary: phrase.All("bot.command.status")},
		{Name: "audit", Also: phrase.All("bot.also.audit"), Summary: phrase.All("bot.command.audit"), Admin: true, Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.arg.action"), Choices: auditActions()},
			{Name: "filter", Summary: phrase.All("bot.arg.audit_filter"), Rest: true},
		}},
		{Name: "why", Also: phrase.All("bot.also.why"), Summary: phrase.All("bot.command.why")},
		{Name: "approve", Also: phrase.All("bot.also.approve"), Summary: phrase.All("bot.command.approve"), Args: []bot.Arg{
			{Name: "id", Summary: phrase.All("bot.arg.question_id"), Required: true},
			{Name: "verb", Summary: phrase.All("bot.arg.other_choice"), Rest: true},
		}},
		{Name: "reject", Also: phrase.All("bot.also.reject"), Summary: phrase.All("bot.command.reject"), Args: []bot.Arg{
			{Name: "id", Summary: phrase.All("bot.arg.question_id"), Required: true},
		}},
		{Name: "schedule", Also: phrase.All("bot.also.schedule"), Summary: phrase.All("bot.command.schedule"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.arg.action"), Choices: scheduleActions()},
			{Name: "what", Summary: phrase.All("bot.arg.schedule"), Rest: true},
		}},
		{Name: "sources", Also: phrase.All("bot.also.sources"), Summary: phrase.All("bot.command.sources"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.arg.action"), Choices: []string{"list", "add", "sync", "retry", "pause", "resume", "remove", "people", "person", "nobody", "link"}},
			{Name: "what", Summary: phrase.All("bot.arg.source"), Rest: true},
		}},
		{Name: "approvers", Also: phrase.All("bot.also.approvers"), Summary: phrase.All("bot.command.approvers"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.arg.action"), Choices: approverActions()},
			{Name: "who", Summary: phrase.All("bot.arg.people"), Rest: true, Kind: bot.ArgPeople},
		}},
		{Name: "tools", Also: phrase.All("bot.also.tools"), Summary: phrase.All("bot.command.tools"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.arg.action"), Choices: []string{"list", "add", "test", "accept", "class", "limit", "token", "remove", "allowed", "disallow"}},
			{Name: "name", Summary: phrase.All("bot.arg.changed_tool"), Complete: true},
			{Name: "hash", Summary: phrase.All("bot.arg.tool_hash"), Rest: true},
		}},
		{Name: "token", Also: phrase.All("bot.also.token"), Summary: phrase.All("bot.command.token"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.arg.action"), Choices: []string{"list", "new", "revoke"}},
			{Name: "what", Summary: phrase.All("bot.arg.token"), Rest: true},
		}},
		{Name: "accounts", Also: phrase.All("bot.also.accounts"), Summary: phrase.All("bot.command.accounts"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.arg.action"), Choices: []string{"list", "connect", "disconnect"}},
			{Name: "name", Summary: phrase.All("bot.arg.account")},
		}},
		{Name: "gaps", Also: phrase.All("bot.also.gaps"), Summary: phrase.All("bot.command.gaps"), Args: []bot.Arg{
			{Name: "action", Summary: phrase.All("bot.arg.action"), Choices: []string{"list", "weekly", "off"}},
		}},
		{Name: "stop", Also: phrase.All("bot.also.stop"), Summary: phrase.All("bot.command.stop")},
		{Name: "redo", Also: phrase.All("bot.also.redo"), Summary: phrase.All("bot.command.redo"), Args: []bot.Arg{
			{Name: "step", Summary: phrase.All("bot.arg.redo_step")},
		}},
		{Name: "retry", Also: phrase.All("bot.also.retry"), Summary: phrase.All("bot.command.retry"), Args: []bot.Arg{
			{Name: "what", Summary: phrase.All("bot.arg.retry"), Choices: []string{"all", "list"}},
		}},
		{Name: "reset", Also: phrase.All("bot.also.reset"), Summary: phrase.All("bot.command.reset")},
		{Name: "forget", Also: phrase.All("bot.also.forget"), Summary: phrase.All("bot.command.forget"), Args: []bot.Arg{
			{Name: "what", Summary: phrase.All("bot.arg.forget"), Choices: forgetActions()},
		}},
		{Name: "doctor", Also: phrase.All("bot.also.doctor"), Summary: phrase.All("bot.command.doctor"), Admin: true},
		{Name: "demo", Also: phrase.All("bot.also.demo"), Summary: phrase.All("bot.command.demo")},
		{Name: "help", Also: phrase.All("bot.also.help"), Summary: phrase.All("bot.command.help")},
	}
}

// scheduleActions returns the actions of "/maru schedule"; the first is the default.
func scheduleActions() []string {
	return []string{"list", "add", "pause", "resume", "run", "delete", "enable", "disable"}
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
	if e.Code == bot.CodeInternal || e.OfRecord() {
		tb.log.ErrorContext(ctx, "command failed", "command", rows[i].Name, "ref", e.Ref, "err", err)
	}
	n := e.Notice(lang)
	return &n, nil
}

// runAllowed executes a command if the caller may use it.
func (tb *Table) runAllowed(ctx context.Context, row bot.Command, c bot.Invocation, lang string) (*bot.Card, error) {
	if !row.Admin {
		if tb.handlers[row.Name] == nil {
			return nil, &bot.Error{Code: bot.CodeNotFound}
		}
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
