package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"maru/config"
	"maru/phrase"
	"maru/rag"
)

// Commands implements Intake: the one table that every platform registers and
// that help is rendered from.
func (b *Bot) Commands() []Command {
	rows := commandTable()
	out := make([]Command, len(rows))
	for i, r := range rows {
		out[i] = r.Command
	}
	return out
}

// commandRow is a command with what carries it out.
type commandRow struct {
	Command
	run func(*Bot, context.Context, Invocation, string) (*Card, error)
}

func commandTable() []commandRow {
	return []commandRow{
		{Command{Name: "ask", Also: phrase.All("bot.also.ask"), Summary: phrase.All("bot.ask_a_question"), Args: []Arg{
			{Name: "question", Summary: phrase.All("bot.your_question"), Required: true, Rest: true},
		}}, (*Bot).cmdAsk},
		{Command{Name: "docs", Also: phrase.All("bot.also.docs"), Summary: phrase.All("bot.documents_readable_here"), Args: []Arg{
			{Name: "action", Summary: phrase.All("bot.what_to_do"), Choices: docActions()},
			{Name: "name", Summary: phrase.All("bot.name_of_the_document"), Rest: true, Complete: true},
		}}, (*Bot).cmdDocs},
		{Command{Name: "memory", Also: phrase.All("bot.also.memory"), Summary: phrase.All("bot.what_i_know_about_you"), Args: []Arg{
			{Name: "action", Summary: phrase.All("bot.what_to_do"), Choices: memoryActions()},
			{Name: "what", Summary: phrase.All("bot.a_number_all_me_channel"), Rest: true},
		}}, (*Bot).cmdMemory},
		{Command{Name: "settings", Also: phrase.All("bot.also.settings"), Summary: phrase.All("bot.see_and_change_what_holds"), Args: settingsArgs()}, (*Bot).cmdSettings},
		{Command{Name: "agent", Also: phrase.All("bot.also.agent"), Summary: phrase.All("bot.choose_the_agent_that_answers"), Args: []Arg{
			{Name: "name", Summary: phrase.All("bot.name_of_the_agent"), Rest: true},
		}}, (*Bot).cmdAgent},
		{Command{Name: "usage", Also: phrase.All("bot.also.usage"), Summary: phrase.All("bot.what_was_used_and_what"), Args: []Arg{
			{Name: "days", Summary: phrase.All("bot.how_many_days"), Kind: ArgInteger, Min: 1, Max: usageMost},
			{Name: "form", Summary: phrase.All("bot.usage_form"), Choices: usageForms()},
		}}, (*Bot).cmdUsage},
		{Command{Name: "status", Also: phrase.All("bot.also.status"), Summary: phrase.All("bot.what_is_going_on_here")}, (*Bot).cmdStatus},
		{Command{Name: "audit", Also: phrase.All("bot.also.audit"), Summary: phrase.All("bot.who_changed_and_decided_what"), Admin: true, Args: []Arg{
			{Name: "filter", Summary: phrase.All("bot.words_to_look_for"), Rest: true},
		}}, (*Bot).cmdAudit},
		{Command{Name: "why", Also: phrase.All("bot.also.why"), Summary: phrase.All("bot.why_the_last_answer_came")}, (*Bot).cmdWhy},
		{Command{Name: "approve", Also: phrase.All("bot.also.approve"), Summary: phrase.All("bot.approve_what_waits_for_a"), Args: []Arg{
			{Name: "id", Summary: phrase.All("bot.id_of_the_question"), Required: true},
			{Name: "verb", Summary: phrase.All("bot.another_of_its_choices_and"), Rest: true},
		}}, (*Bot).cmdApprove},
		{Command{Name: "reject", Also: phrase.All("bot.also.reject"), Summary: phrase.All("bot.reject_what_waits_for_a"), Args: []Arg{
			{Name: "id", Summary: phrase.All("bot.id_of_the_question"), Required: true},
		}}, (*Bot).cmdReject},
		{Command{Name: "approvers", Also: phrase.All("bot.also.approvers"), Summary: phrase.All("bot.who_may_decide_here_and"), Args: []Arg{
			{Name: "action", Summary: phrase.All("bot.what_to_do"), Choices: approverActions()},
			{Name: "who", Summary: phrase.All("bot.ids_of_people_roles_or"), Rest: true, Kind: ArgPeople},
		}}, (*Bot).cmdApprovers},
		{Command{Name: "tools", Also: phrase.All("bot.also.tools"), Summary: phrase.All("bot.tools_offered_here"), Args: []Arg{
			{Name: "action", Summary: phrase.All("bot.what_to_do"), Choices: toolActions()},
			{Name: "name", Summary: phrase.All("bot.name_of_a_tool_that"), Complete: true},
			{Name: "hash", Summary: phrase.All("bot.its_hash_as_the_list")},
		}}, (*Bot).cmdTools},
		{Command{Name: "stop", Also: phrase.All("bot.also.stop"), Summary: phrase.All("bot.stop_what_is_running_in")}, (*Bot).cmdStop},
		{Command{Name: "redo", Also: phrase.All("bot.also.redo"), Summary: phrase.All("bot.redo.summary"), Args: []Arg{
			{Name: "step", Summary: phrase.All("bot.redo.step")},
		}}, (*Bot).cmdRedo},
		{Command{Name: "reset", Also: phrase.All("bot.also.reset"), Summary: phrase.All("bot.forget_this_thread_and_start")}, (*Bot).cmdReset},
		{Command{Name: "forget", Also: phrase.All("bot.also.forget"), Summary: phrase.All("bot.forget_what_you_know_about"), Args: []Arg{
			{Name: "what", Summary: phrase.All("bot.what_to_forget"), Choices: forgetActions()},
		}}, (*Bot).cmdForget},
		{Command{Name: "doctor", Also: phrase.All("bot.also.doctor"), Summary: phrase.All("bot.what_works_and_what_does"), Admin: true}, (*Bot).cmdDoctor},
		{Command{Name: "help", Also: phrase.All("bot.also.help"), Summary: phrase.All("bot.what_i_can_do")}, (*Bot).cmdHelp},
	}
}

// Command implements Intake.
func (b *Bot) Command(ctx context.Context, c Invocation) (*Card, error) {
	lang := b.language(ctx, c.Thread, c.User, ownWords(c))
	name := strings.ToLower(strings.TrimSpace(c.Name))
	if name == "" {
		name = "help"
	}
	for _, row := range commandTable() {
		if !row.Is(name) {
			continue
		}
		var card *Card
		var err error
		if row.Admin && !b.may(c.Thread, c.User, config.Admin) {
			err = &Error{Code: CodeMayNot, Detail: whom(config.Admin, lang)}
		} else {
			card, err = row.run(b, ctx, c, lang)
			if row.Admin && err == nil {
				b.audit(ctx, c.Thread, c.User, "command.run", map[string]any{"command": row.Name})
			}
		}
		if err == nil {
			return card, nil
		}
		e := asError(err)
		if e.Code == CodeMayNot && !e.Noted {
			b.audit(ctx, c.Thread, c.User, "command.refused", map[string]any{"command": row.Name})
		}
		if e.Code == CodeInternal {
			b.log.ErrorContext(ctx, "command failed", "command", row.Name, "ref", e.Ref, "err", err)
		}
		n := e.notice(lang)
		return &n, nil
	}
	e := &Error{Code: CodeBadCommand, Detail: didYouMean(name, lang)}
	n := e.notice(lang)
	return &n, nil
}

// ownWords are the words of a command that tell a person's language: those of a
// question, and those in another script. Names and values are Latin in every
// language.
func ownWords(c Invocation) string {
	switch {
	case c.Name == "ask", phrase.Spoken(c.Args, "") != phrase.Fallback:
		return c.Args
	case phrase.Spoken(c.Name, "") != phrase.Fallback: // its name in their language
		return c.Name
	}
	return ""
}

// didYouMean names the command that was probably meant, by the name that was
// nearly written: its own before those of a language.
func didYouMean(name, lang string) string {
	var own, also []string
	for _, row := range commandTable() {
		own, also = append(own, row.Name), append(also, namesIn(row.Also, " ")...)
	}
	meant := probably(name, own)
	if meant == "" {
		meant = probably(name, also)
	}
	if meant == "" {
		return ""
	}
	return say(lang, "bot.did_you_mean", meant)
}

// near reports whether b is a with one letter changed, added, left out, or two
// neighbours swapped.
func near(a, b string) bool {
	x, y := []rune(a), []rune(b)
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	rest := func(p, q int) bool {
		return p <= len(x) && q <= len(y) && string(x[p:]) == string(y[q:])
	}
	swapped := i+1 < len(x) && i+1 < len(y) && x[i] == y[i+1] && x[i+1] == y[i] && rest(i+2, i+2)
	return rest(i+1, i+1) || rest(i+1, i) || rest(i, i+1) || swapped
}

// cmdAsk answers a question given as a command. A command leaves no message to
// hang a thread on, so the question is posted first where a platform has
// threads.
func (b *Bot) cmdAsk(ctx context.Context, c Invocation, lang string) (*Card, error) {
	question := strings.TrimSpace(c.Args)
	if question == "" {
		question = strings.TrimSpace(c.Options["question"])
	}
	if question == "" {
		return nil, &Error{Code: CodeEmpty}
	}
	m := Message{ID: c.ID, Thread: c.Thread, User: c.User, Reach: ReachCommand, Text: question, At: c.At}
	if c.Thread.ID == "" && !c.Thread.Direct {
		ref, err := b.postQuestion(ctx, c, question, lang)
		if err != nil {
			return nil, err
		}
		m.Thread.ID = ref.Messages[0]
		m.ReplyTo = ref.Messages[0]
		m.Order = ref.Messages[0]
	}
	if err := b.Message(ctx, m); err != nil {
		return nil, err
	}
	card := Card{Kind: CardNotice, Text: say(lang, "bot.your_answer_is_on_its"), Language: lang, Final: true}
	return &card, nil
}

func (b *Bot) postQuestion(ctx context.Context, c Invocation, question, lang string) (Ref, error) {
	a := b.adapters[c.Thread.Platform]
	if a == nil {
		return Ref{}, &Error{Code: CodeInternal, Err: errors.New("no adapter for " + c.Thread.Platform)}
	}
	who := c.User.Name
	if who == "" {
		who = say(lang, "bot.question")
	}
	card := Card{Kind: CardText, Text: "**" + who + "**: " + question, Language: lang, Final: true}
	ref, err := a.Post(ctx, Target{Thread: c.Thread}, card, "ask-"+c.ID)
	if errors.Is(err, ErrForbidden) || errors.Is(err, ErrGone) { // commands can be given where the bot is no member
		return Ref{}, &Error{Code: CodeNoPlace, Err: err}
	}
	if err != nil {
		return Ref{}, fmt.Errorf("post question: %w", err)
	}
	if ref.IsZero() {
		return Ref{}, &Error{Code: CodeInternal, Err: errors.New("the platform gave no message id")}
	}
	return ref, nil
}

func docActions() []string { return []string{"list", "remove"} }

// cmdDocs lists the documents readable here, or removes one of this channel.
func (b *Bot) cmdDocs(ctx context.Context, c Invocation, lang string) (*Card, error) {
	action, name, _ := strings.Cut(strings.TrimSpace(c.Args), " ")
	if v := c.Options["action"]; v != "" {
		action, name = v, c.Options["name"]
	}
	action, name = heardAs(action, docActions()), unquoted(name)
	if action == "" || action == "list" {
		return b.listDocs(ctx, c, name, lang)
	}
	if action != "remove" {
		return nil, badAction("docs", action, docActions(), lang)
	}
	if name == "" {
		return nil, &Error{Code: CodeEmpty, Say: say(lang, "bot.which_document_shall_go")}
	}
	if err := b.membersOnly(ctx, c.Thread, c.User, lang); err != nil {
		return nil, err
	}
	own := []string{channelScope(c.Thread)}
	docs, err := b.cfg.Library.Documents(ctx, own)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		if d.ID != name && d.Source != name && d.Title != name {
			continue
		}
		if _, err := b.cfg.Library.Remove(ctx, own, d.ID); err != nil {
			return nil, err
		}
		b.audit(ctx, c.Thread, c.User, "document.remove", map[string]any{"document": d.ID, "name": d.Source})
		card := Card{Kind: CardNotice, Language: lang, Final: true,
			Text: say(lang, "bot.removed") + d.Source}
		return &card, nil
	}
	return nil, &Error{Code: CodeNotFound, Say: say(lang, "bot.no_document_of_this_place", name)}
}

// listed bounds a list of documents on a card.
const listed = 30

// listDocs lists the documents readable here; narrow leaves out what it says, as
// in "tag:hr since:2026-01".
func (b *Bot) listDocs(ctx context.Context, c Invocation, narrow, lang string) (*Card, error) {
	scopes, err := b.scopes(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	all, err := b.cfg.Library.Documents(ctx, scopes)
	if err != nil {
		return nil, err
	}
	var docs []rag.Document
	filter := rag.Narrow(rag.Query{Text: narrow}, b.cfg.Zone).Filter()
	for _, d := range all {
		if filter.Passes(d) {
			docs = append(docs, d)
		}
	}
	var text strings.Builder
	for i, d := range docs {
		if i == listed {
			text.WriteString(say(lang, "bot.and_more", len(docs)-listed))
			break
		}
		fmt.Fprintf(&text, "- %s\n", docLine(d, lang))
	}
	switch {
	case len(docs) == 0 && len(all) > 0:
		text.WriteString(say(lang, "bot.no_document_fits_that"))
	case len(docs) == 0:
		text.WriteString(say(lang, "bot.there_are_no_documents_yet"))
	}
	if narrow == "" {
		text.WriteString(b.refusedFiles(c, lang))
	}
	card := Card{Kind: CardNotice, Title: say(lang, "bot.documents_2"), Text: text.String(), Language: lang, Final: true}
	return &card, nil
}

// refusedListed bounds the refused files on a card.
const refusedListed = 10

// refusedFiles tells an admin, who can do something about it, what the watched folder has
// that could not be read; "" if there is nothing.
func (b *Bot) refusedFiles(c Invocation, lang string) string {
	f, ok := b.cfg.Library.(Follower)
	if !ok || !b.may(c.Thread, c.User, config.Admin) {
		return ""
	}
	refused := f.Refused(lang)
	if len(refused) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString("\n\n" + say(lang, "bot.files_not_read", len(refused)) + "\n")
	for i, why := range refused {
		if i == refusedListed {
			text.WriteString(say(lang, "bot.and_more", len(refused)-refusedListed))
			break
		}
		text.WriteString("- " + quoted(why, 300) + "\n")
	}
	return text.String()
}

func docLine(d rag.Document, lang string) string {
	line := "**" + d.Title + "**"
	if d.Source != "" && d.Source != d.Title {
		line += " (" + d.Source + ")"
	}
	if d.Scope == ScopePublic {
		line += say(lang, "bot.public")
	}
	for _, t := range d.Tags {
		line += " #" + t
	}
	return line
}

// cmdWhy tells in a few lines what the last run of the thread did.
func (b *Bot) cmdWhy(ctx context.Context, c Invocation, lang string) (*Card, error) {
	runs, err := b.lastRun(ctx, c)
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, &Error{Code: CodeNotFound, Say: say(lang, "bot.i_have_not_answered_anything")}
	}
	card := Card{
		Kind: CardNotice, Title: say(lang, "bot.how_the_last_answer_came"),
		Text: b.explain(ctx, runs[0], c.User, lang), Language: lang, Final: true, Run: runs[0].ID,
	}
	if b.cfg.TraceURL != "" {
		card.Buttons = []Button{{Label: say(lang, "bot.open_the_trace"), URL: b.cfg.TraceURL + runs[0].ID}}
	}
	return &card, nil
}

// lastRun returns the thread's last run. Where commands cannot be given in a
// thread, as on Slack, it is that of the channel's newest thread that has one.
func (b *Bot) lastRun(ctx context.Context, c Invocation) ([]Run, error) {
	b.active.awaitTrace(ctx, "", c.Thread.Key())
	runs, err := b.cfg.Record.RunsOf(ctx, c.Thread.Key(), 1)
	if err != nil || len(runs) > 0 || c.Thread.ID != "" {
		return runs, err
	}
	threads, err := b.cfg.Record.Threads(ctx, c.Thread.Platform, c.Thread.Team, c.Thread.Channel, 5)
	if err != nil {
		return nil, err
	}
	for _, t := range threads {
		if runs, err = b.cfg.Record.RunsOf(ctx, t.Thread.Key(), 1); err != nil || len(runs) > 0 {
			return runs, err
		}
	}
	return nil, nil
}

// cmdStop stops what runs in the thread, or, given outside of one, what the
// caller has running in the channel.
func (b *Bot) cmdStop(ctx context.Context, c Invocation, lang string) (*Card, error) {
	text := say(lang, "bot.nothing_is_running_here")
	stopped := b.Stop(ctx, c.Thread.Key())
	if !stopped && c.Thread.ID == "" {
		stopped = b.halt(ctx, ofPerson(c.Thread, c.User.ID), stopSaid)
	}
	if stopped {
		text = say(lang, "bot.stopped")
	}
	return &Card{Kind: CardNotice, Text: text, Language: lang, Final: true}, nil
}

// cmdReset forgets a thread: what the agents remember of it, and its record.
// Outside of one it is the channel's conversation, where a channel is one.
func (b *Bot) cmdReset(ctx context.Context, c Invocation, lang string) (*Card, error) {
	if err := b.membersOnly(ctx, c.Thread, c.User, lang); err != nil {
		return nil, err
	}
	key := c.Thread.Key()
	if c.Thread.ID == "" {
		known, err := b.cfg.Record.Known(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("find the thread: %w", err)
		}
		if !known {
			text, err := b.forgetThread(ctx, c, lang)
			return &Card{Kind: CardNotice, Language: lang, Final: true, Text: text}, err
		}
	}
	b.Stop(ctx, key)
	if err := b.Forget(ctx, c.Thread, c.User); err != nil {
		return nil, err
	}
	return &Card{Kind: CardNotice, Language: lang, Final: true,
		Text: say(lang, "bot.i_have_forgotten_this_thread")}, nil
}

// Forget removes everything that is kept of a thread.
func (b *Bot) Forget(ctx context.Context, t Thread, u User) error {
	b.active.cancelThread(t.Key(), errStop)
	if err := b.active.await(ctx, t.Key()); err != nil {
		return fmt.Errorf("wait for the thread's run to stop: %w", err)
	}
	if err := b.cfg.Runner.Forget(ctx, t.Key()); err != nil {
		return fmt.Errorf("forget in memory: %w", err)
	}
	if err := b.cfg.Record.Forget(ctx, t.Key()); err != nil {
		return fmt.Errorf("forget in the record: %w", err)
	}
	b.audit(ctx, t, u, "thread.forget", map[string]any{"thread": t.Key()})
	return nil
}

// cmdHelp says what the bot is and lists the commands.
func (b *Bot) cmdHelp(_ context.Context, _ Invocation, lang string) (*Card, error) {
	var text strings.Builder
	text.WriteString(say(lang,
		"bot.i_am_maru_mention_me"))
	for _, row := range commandTable() {
		fmt.Fprintf(&text, "- `/maru %s`%s — %s", row.Name, argHelp(row.Args), row.Summary[lang])
		if row.Admin {
			text.WriteString(say(lang, "bot.for_admins"))
		}
		text.WriteString("\n")
	}
	return &Card{Kind: CardNotice, Title: say(lang, "bot.help"), Text: text.String(), Language: lang, Final: true}, nil
}

// mostShown is how many choices of an argument the help writes out.
const mostShown = 8

func argHelp(args []Arg) string {
	var s strings.Builder
	for _, a := range args {
		name := strings.ToUpper(a.Name)
		if n := len(a.Choices); n > 0 && n <= mostShown {
			name = strings.Join(a.Choices, "|")
		}
		if a.Required {
			s.WriteString(" " + name)
		} else {
			s.WriteString(" [" + name + "]")
		}
	}
	if s.Len() == 0 {
		return ""
	}
	return " `" + strings.TrimSpace(s.String()) + "`"
}
