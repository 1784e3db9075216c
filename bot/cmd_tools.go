package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"maru/agent"
	"maru/config"
)

// toolActions are what "/maru tools" can do; the first is the default.
func toolActions() []string { return []string{"list", "accept"} }

// shownTools bounds a list of tools on a card, shortHash how much of a hash is
// shown: enough to tell two versions of a tool apart.
const (
	shownTools = 40
	shortHash  = 12
)

// cmdTools lists what a run here may call and how the servers are that bring
// tools; admins accept tools that changed.
func (b *Bot) cmdTools(ctx context.Context, c Invocation, lang string) (*Card, error) {
	words := strings.Fields(c.Args)
	if v := c.Options["action"]; v != "" {
		words = []string{v, c.Options["name"], c.Options["hash"]}
	}
	switch {
	case len(words) == 0 || words[0] == "list":
		return b.listTools(ctx, c, lang)
	case strings.EqualFold(words[0], "accept") && len(words) == 3:
		return b.acceptTool(ctx, c, strings.Trim(words[1], "`"), strings.ToLower(strings.Trim(words[2], "`")), lang)
	}
	return nil, &Error{Code: CodeBadCommand, Detail: say(lang, "`/maru tools accept 이름 해시`처럼 적어 주세요.", "Write `/maru tools accept NAME HASH`.")}
}

func (b *Bot) listTools(ctx context.Context, c Invocation, lang string) (*Card, error) {
	scopes, err := b.scopes(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	var s strings.Builder
	tools := b.cfg.Toolbox.Tools(scopes)
	for _, t := range tools[:min(len(tools), shownTools)] {
		fmt.Fprintf(&s, "- %s\n", toolLine(t, lang))
	}
	if n := len(tools) - shownTools; n > 0 {
		fmt.Fprintf(&s, say(lang, "… 그 밖에 %d개\n", "… and %d more\n"), n)
	}
	if len(tools) == 0 {
		s.WriteString(say(lang, "이곳에서 쓸 수 있는 도구가 없어요.\n", "No tool is offered here.\n"))
	}
	changes := 0
	for i, srv := range b.cfg.Toolbox.Servers() {
		if i == 0 {
			s.WriteString("\n**" + say(lang, "MCP 서버", "MCP servers") + "**\n")
		}
		s.WriteString(serverLines(srv, lang))
		changes += len(srv.Changes)
	}
	card := Card{Kind: CardNotice, Title: say(lang, "도구", "Tools"), Text: s.String(), Language: lang, Final: true}
	if changes > 0 {
		card.Footer = say(lang, "바뀐 도구는 관리자가 확인하고 `/maru tools accept 이름 해시`로 받아들일 때까지 쓰지 않아요.",
			"A changed tool is not used until an admin has looked at it and says `/maru tools accept NAME HASH`.")
	}
	return &card, nil
}

// toolLine is one tool: what it is called, what it can do to the world, and
// whether a person is asked first.
func toolLine(t ToolInfo, lang string) string {
	line := "`" + quoted(t.Name, 64) + "`"
	if title := quoted(cmp.Or(t.Title[lang], t.Title["en"]), 80); title != "" {
		line += " " + title
	}
	line += " — " + effectName(t.Effect, lang)
	if t.Asks {
		line += say(lang, ", 쓸 때마다 확인받아요", ", asks before every use")
	}
	return line
}

// effectName says in a few words what a call can do.
func effectName(e agent.Effect, lang string) string {
	switch e {
	case agent.EffectReads:
		return say(lang, "읽기만 해요", "only reads")
	case agent.EffectSends:
		return say(lang, "질문을 밖으로 보내요", "sends what is asked to another service")
	case agent.EffectWrites:
		return say(lang, "무언가를 바꿀 수 있어요", "can change something")
	case agent.EffectExecutes:
		return say(lang, "코드를 실행해요", "runs code")
	}
	return say(lang, "무엇을 하는지 알 수 없어요", "what it does is not known")
}

// serverLines are a server's state and the tools of it that changed.
func serverLines(srv ToolServer, lang string) string {
	state := say(lang, "연결 안 됨", "not connected")
	if srv.Up {
		state = fmt.Sprintf(say(lang, "연결됨, 도구 %d개", "connected, tools: %d"), srv.Tools)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "- `%s` — %s\n", quoted(srv.Name, 64), state)
	for _, ch := range srv.Changes[:min(len(srv.Changes), shownTools)] {
		what := say(lang, "입력 형식이 바뀌었어요", "its parameters changed")
		if ch.Before != ch.After {
			what = "“" + quoted(ch.Before, 100) + "” → “" + quoted(ch.After, 100) + "”"
		}
		fmt.Fprintf(&s, "  - ⚠️ `%s` `%s` %s\n", quoted(ch.Tool, 64), ch.Hash[:min(len(ch.Hash), shortHash)], what)
	}
	return s.String()
}

// quoted is a word of somebody else's on a card: one line, no Markdown, bounded.
func quoted(s string, most int) string {
	s = strings.NewReplacer("`", "'", "*", "·", "[", "(", "]", ")").Replace(visible(s))
	return clipText(strings.Join(strings.Fields(s), " "), most)
}

// acceptTool lets a changed tool be used, by an admin who saw what it is now.
func (b *Bot) acceptTool(ctx context.Context, c Invocation, name, hash, lang string) (*Card, error) {
	if !b.may(c.Thread, c.User, config.Admin) {
		b.audit(ctx, c.Thread, c.User, "command.refused", map[string]any{"command": "tools accept", "tool": name})
		return nil, &Error{Code: CodeMayNot, Detail: whom(config.Admin, lang)}
	}
	gone := &Error{Code: CodeNotFound, Detail: say(lang, "받아들일 변경이 없거나 그사이 또 바뀌었어요. `/maru tools`에서 확인해 주세요.",
		"No such change waits, or it changed again. `/maru tools` shows what there is.")}
	full, ok := b.changeNamed(name, hash)
	if !ok {
		return nil, gone
	}
	err := b.cfg.Toolbox.Accept(ctx, name, full)
	if errors.Is(err, ErrNotFound) {
		return nil, gone
	}
	if err != nil {
		return nil, fmt.Errorf("accept tool %s: %w", name, err)
	}
	b.audit(ctx, c.Thread, c.User, "tool.accept", map[string]any{"tool": name, "hash": full})
	return &Card{Kind: CardNotice, Language: lang, Final: true,
		Text: fmt.Sprintf(say(lang, "이제 `%s` 도구를 쓸 수 있어요.", "The tool `%s` is offered from now on."), quoted(name, 64))}, nil
}

// changeNamed finds the one change that a person means by the tool's name and
// its hash, or the beginning of the hash as it is shown.
func (b *Bot) changeNamed(name, hash string) (full string, ok bool) {
	if len(hash) < shortHash {
		return "", false
	}
	for _, srv := range b.cfg.Toolbox.Servers() {
		for _, ch := range srv.Changes {
			if ch.Tool == name && strings.HasPrefix(strings.ToLower(ch.Hash), hash) {
				return ch.Hash, true
			}
		}
	}
	return "", false
}
