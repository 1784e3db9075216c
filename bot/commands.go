package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"maru/config"
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
	two := func(ko, en string) map[string]string { return map[string]string{"ko": ko, "en": en} }
	return []commandRow{
		{Command{Name: "ask", Summary: two("질문하기", "Ask a question"), Args: []Arg{
			{Name: "question", Summary: two("질문", "Your question"), Required: true, Rest: true},
		}}, (*Bot).cmdAsk},
		{Command{Name: "docs", Summary: two("이곳에서 읽을 수 있는 문서", "Documents readable here"), Args: []Arg{
			{Name: "action", Summary: two("할 일", "What to do"), Choices: []string{"list", "remove"}},
			{Name: "name", Summary: two("문서 이름", "Name of the document"), Rest: true, Complete: true},
		}}, (*Bot).cmdDocs},
		{Command{Name: "memory", Summary: two("저에 대해 아는 것: 보기, 지우기, 끄기", "What I know about you: see, forget, switch off"), Args: []Arg{
			{Name: "action", Summary: two("할 일", "What to do"), Choices: memoryActions()},
			{Name: "what", Summary: two("번호, all, me, channel 또는 workspace", "A number, all, me, channel or workspace"), Rest: true},
		}}, (*Bot).cmdMemory},
		{Command{Name: "settings", Summary: two("이곳의 설정 보기와 바꾸기", "See and change what holds here"), Args: settingsArgs(two)}, (*Bot).cmdSettings},
		{Command{Name: "agent", Summary: two("이곳에서 답할 에이전트 고르기", "Choose the agent that answers here"), Args: []Arg{
			{Name: "name", Summary: two("에이전트 이름", "Name of the agent"), Rest: true},
		}}, (*Bot).cmdAgent},
		{Command{Name: "usage", Summary: two("사용량과 비용", "What was used, and what it cost"), Args: []Arg{
			{Name: "days", Summary: two("며칠 동안", "How many days")},
		}}, (*Bot).cmdUsage},
		{Command{Name: "status", Summary: two("지금 무엇을 하고 있는지", "What is going on here now")}, (*Bot).cmdStatus},
		{Command{Name: "audit", Summary: two("누가 무엇을 바꾸고 결정했는지", "Who changed and decided what"), Admin: true, Args: []Arg{
			{Name: "filter", Summary: two("찾을 말", "Words to look for"), Rest: true},
		}}, (*Bot).cmdAudit},
		{Command{Name: "why", Summary: two("마지막 답이 왜 그렇게 나왔는지", "Why the last answer came out as it did")}, (*Bot).cmdWhy},
		{Command{Name: "approve", Summary: two("기다리는 확인을 승인하기", "Approve what waits for a decision"), Args: []Arg{
			{Name: "id", Summary: two("확인의 아이디", "Id of the question"), Required: true},
			{Name: "verb", Summary: two("승인 말고 다른 선택과 내용", "Another of its choices, and words"), Rest: true},
		}}, (*Bot).cmdApprove},
		{Command{Name: "reject", Summary: two("기다리는 확인을 거절하기", "Reject what waits for a decision"), Args: []Arg{
			{Name: "id", Summary: two("확인의 아이디", "Id of the question"), Required: true},
		}}, (*Bot).cmdReject},
		{Command{Name: "approvers", Summary: two("누가 결정하는지 보기와 바꾸기", "Who may decide here, and changing it"), Args: []Arg{
			{Name: "action", Summary: two("할 일", "What to do"), Choices: approverActions()},
			{Name: "who", Summary: two("사람·역할·그룹의 아이디, @admins", "Ids of people, roles or groups, @admins"), Rest: true, Kind: ArgPeople},
		}}, (*Bot).cmdApprovers},
		{Command{Name: "tools", Summary: two("이곳에서 쓸 수 있는 도구", "Tools offered here"), Args: []Arg{
			{Name: "action", Summary: two("할 일", "What to do"), Choices: toolActions()},
			{Name: "name", Summary: two("바뀐 도구의 이름", "Name of a tool that changed"), Complete: true},
			{Name: "hash", Summary: two("목록에 보이는 해시", "Its hash, as the list shows it")},
		}}, (*Bot).cmdTools},
		{Command{Name: "stop", Summary: two("이 대화에서 하던 일을 멈추기", "Stop what is running in this thread")}, (*Bot).cmdStop},
		{Command{Name: "reset", Summary: two("이 대화의 기억을 지우고 새로 시작하기", "Forget this thread and start afresh")}, (*Bot).cmdReset},
		{Command{Name: "forget", Summary: two("나에 대한 기억과 이 대화를 지우기", "Forget what you know about me, and this thread"), Args: []Arg{
			{Name: "what", Summary: two("무엇을", "What to forget"), Choices: forgetActions()},
		}}, (*Bot).cmdForget},
		{Command{Name: "doctor", Summary: two("무엇이 잘 되고 안 되는지", "What works and what does not"), Admin: true}, (*Bot).cmdDoctor},
		{Command{Name: "help", Summary: two("도움말", "What I can do")}, (*Bot).cmdHelp},
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
		if row.Name != name {
			continue
		}
		var card *Card
		var err error
		if row.Admin && !b.may(c.Thread, c.User, config.Admin) {
			b.audit(ctx, c.Thread, c.User, "command.refused", map[string]any{"command": name})
			err = &Error{Code: CodeMayNot, Detail: whom(config.Admin, lang)}
		} else {
			card, err = row.run(b, ctx, c, lang)
		}
		if err == nil {
			return card, nil
		}
		e := asError(err)
		if e.Code == CodeInternal {
			b.log.ErrorContext(ctx, "command failed", "command", name, "ref", e.Ref, "err", err)
		}
		n := e.notice(lang)
		return &n, nil
	}
	e := &Error{Code: CodeBadCommand, Detail: didYouMean(name, lang)}
	n := e.notice(lang)
	return &n, nil
}

// ownWords are the words of a command that tell a person's language: those of a
// question, and Korean ones. Names and values are Latin in every language.
func ownWords(c Invocation) string {
	if c.Name == "ask" || languageOf("", c.Args, "") == "ko" {
		return c.Args
	}
	return ""
}

// didYouMean names the command that was probably meant.
func didYouMean(name, lang string) string {
	for _, row := range commandTable() {
		if strings.HasPrefix(row.Name, name) || strings.HasPrefix(name, row.Name) || near(row.Name, name) {
			return fmt.Sprintf(say(lang, "혹시 `%s`인가요?", "Did you mean `%s`?"), row.Name)
		}
	}
	return ""
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
	card := Card{Kind: CardNotice, Text: say(lang, "답을 준비하고 있어요.", "Your answer is on its way."), Language: lang, Final: true}
	return &card, nil
}

func (b *Bot) postQuestion(ctx context.Context, c Invocation, question, lang string) (Ref, error) {
	a := b.adapters[c.Thread.Platform]
	if a == nil {
		return Ref{}, &Error{Code: CodeInternal, Err: errors.New("no adapter for " + c.Thread.Platform)}
	}
	who := c.User.Name
	if who == "" {
		who = say(lang, "질문", "Question")
	}
	card := Card{Kind: CardText, Text: "**" + who + "**: " + question, Language: lang, Final: true}
	ref, err := a.Post(ctx, Target{Thread: c.Thread}, card, "ask-"+c.ID)
	if err != nil {
		return Ref{}, fmt.Errorf("post question: %w", err)
	}
	if ref.IsZero() {
		return Ref{}, &Error{Code: CodeInternal, Err: errors.New("the platform gave no message id")}
	}
	return ref, nil
}

// cmdDocs lists the documents readable here, or removes one of this channel.
func (b *Bot) cmdDocs(ctx context.Context, c Invocation, lang string) (*Card, error) {
	action, name, _ := strings.Cut(strings.TrimSpace(c.Args), " ")
	if v := c.Options["action"]; v != "" {
		action, name = v, c.Options["name"]
	}
	if action == "" || action == "list" {
		return b.listDocs(ctx, c, name, lang)
	}
	if action != "remove" {
		return nil, &Error{Code: CodeBadCommand}
	}
	if err := b.membersOnly(ctx, c.Thread, c.User, lang); err != nil {
		return nil, err
	}
	own := []string{channelScope(c.Thread)}
	docs, err := b.cfg.Library.Documents(ctx, own)
	if err != nil {
		return nil, err
	}
	name = strings.TrimSpace(name)
	for _, d := range docs {
		if d.ID != name && d.Source != name && d.Title != name {
			continue
		}
		if _, err := b.cfg.Library.Remove(ctx, own, d.ID); err != nil {
			return nil, err
		}
		b.audit(ctx, c.Thread, c.User, "document.remove", map[string]any{"document": d.ID, "name": d.Source})
		card := Card{Kind: CardNotice, Language: lang, Final: true,
			Text: say(lang, "지웠어요: ", "Removed: ") + d.Source}
		return &card, nil
	}
	return nil, &Error{Code: CodeNotFound, Detail: name}
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
			fmt.Fprintf(&text, say(lang, "… 그 밖에 %d개\n", "… and %d more\n"), len(docs)-listed)
			break
		}
		fmt.Fprintf(&text, "- %s\n", docLine(d, lang))
	}
	switch {
	case len(docs) == 0 && len(all) > 0:
		text.WriteString(say(lang, "조건에 맞는 문서가 없어요.", "No document fits that."))
	case len(docs) == 0:
		text.WriteString(say(lang, "아직 문서가 없어요. 파일을 올리고 \"추가해 줘\"라고 말해 보세요.",
			"There are no documents yet. Upload a file and say \"add this\"."))
	}
	card := Card{Kind: CardNotice, Title: say(lang, "문서", "Documents"), Text: text.String(), Language: lang, Final: true}
	return &card, nil
}

func docLine(d rag.Document, lang string) string {
	line := "**" + d.Title + "**"
	if d.Source != "" && d.Source != d.Title {
		line += " (" + d.Source + ")"
	}
	if d.Scope == ScopePublic {
		line += say(lang, " · 모두에게 공개", " · public")
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
		return nil, &Error{Code: CodeNotFound, Detail: say(lang, "이곳에서는 아직 답한 것이 없어요.", "I have not answered anything here yet.")}
	}
	card := Card{
		Kind: CardNotice, Title: say(lang, "마지막 답의 과정", "How the last answer came about"),
		Text: b.explain(ctx, runs[0], c.User, lang), Language: lang, Final: true, Run: runs[0].ID,
	}
	if b.cfg.TraceURL != "" {
		card.Buttons = []Button{{Label: say(lang, "자세히 보기", "Open the trace"), URL: b.cfg.TraceURL + runs[0].ID}}
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
	text := say(lang, "여기에서 하고 있는 일이 없어요.", "Nothing is running here.")
	stopped := b.Stop(ctx, c.Thread.Key())
	if !stopped && c.Thread.ID == "" {
		stopped = b.active.cancelFor(c.Thread, c.User.ID, errStop)
	}
	if stopped {
		text = say(lang, "멈췄어요.", "Stopped.")
	}
	return &Card{Kind: CardNotice, Text: text, Language: lang, Final: true}, nil
}

// cmdReset forgets a thread: what the agents remember of it, and its record.
func (b *Bot) cmdReset(ctx context.Context, c Invocation, lang string) (*Card, error) {
	if err := b.membersOnly(ctx, c.Thread, c.User, lang); err != nil {
		return nil, err
	}
	key := c.Thread.Key()
	b.Stop(ctx, key)
	if err := b.Forget(ctx, c.Thread, c.User); err != nil {
		return nil, err
	}
	return &Card{Kind: CardNotice, Language: lang, Final: true,
		Text: say(lang, "이 대화의 기억을 지웠어요.", "I have forgotten this thread.")}, nil
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
func (b *Bot) cmdHelp(_ context.Context, c Invocation, lang string) (*Card, error) {
	var text strings.Builder
	text.WriteString(say(lang,
		"저는 **마루**예요. 저를 부르거나 저에게 메시지를 보내면 팀의 문서와 도구로 답하고, 답에는 출처를 붙여요. 파일을 올리고 \"추가해 줘\"라고 하면 그 내용도 물어보실 수 있어요. 하던 일을 멈추려면 \"그만\"이라고 하세요.\n\n",
		"I am **Maru**. Mention me or write to me, and I answer from your team's documents and tools, with sources. Upload a file and say \"add this\" to ask about it. Say \"stop\" to stop me.\n\n"))
	for _, row := range commandTable() {
		fmt.Fprintf(&text, "- `/maru %s`%s — %s\n", row.Name, argHelp(row.Args), row.Summary[lang])
	}
	_ = c
	return &Card{Kind: CardNotice, Title: say(lang, "도움말", "Help"), Text: text.String(), Language: lang, Final: true}, nil
}

func argHelp(args []Arg) string {
	var s strings.Builder
	for _, a := range args {
		name := strings.ToUpper(a.Name)
		if n := len(a.Choices); n > 0 && n <= 5 {
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
