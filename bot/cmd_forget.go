package bot

import (
	"context"
	"fmt"
	"strings"
)

// forgetActions are what "/maru forget" can forget; the first is the default.
func forgetActions() []string { return []string{"all", "me", "thread"} }

// counted bounds how many rows of a thread a receipt counts.
const counted = 1000

// cmdForget removes what is known of the caller, and this thread, and says what
// is gone.
func (b *Bot) cmdForget(ctx context.Context, c Invocation, lang string) (*Card, error) {
	what := strings.ToLower(strings.TrimSpace(c.Args))
	if v := c.Options["what"]; v != "" {
		what = v
	}
	var receipt []string
	switch what {
	case "", "all", "me", "thread":
	default:
		return nil, &Error{Code: CodeBadCommand, Detail: "`/maru forget " + strings.Join(forgetActions(), "|") + "`"}
	}
	if what != "thread" && b.cfg.Memory == nil {
		receipt = append(receipt, say(lang, "여기에서는 사람에 대해 아무것도 기억하지 않아요.", "I remember nothing about people here."))
	} else if what != "thread" {
		card, err := b.forgetMemory(ctx, c, nil, lang)
		if err != nil {
			return nil, err
		}
		receipt = append(receipt, card.Text)
	}
	if what != "me" {
		line, err := b.forgetThread(ctx, c, lang)
		if err != nil {
			return nil, err
		}
		receipt = append(receipt, line)
	}
	return &Card{
		Kind: CardNotice, Title: say(lang, "지운 것", "What is forgotten"), Text: strings.Join(receipt, "\n\n"), Language: lang, Final: true,
		Footer: say(lang, "문서와 감사 기록은 남아 있어요.", "Documents and the audit log stay."),
	}, nil
}

// forgetThread forgets the thread that the command was given in; in a direct
// message without threads, the one that was last spoken in. A channel is no
// thread: what others said there is not forgotten by the way.
func (b *Bot) forgetThread(ctx context.Context, c Invocation, lang string) (string, error) {
	t := c.Thread
	if t.ID == "" {
		if !t.Direct {
			return say(lang, "스레드 밖에서 부르셔서 대화는 지우지 않았어요.", "This is no thread, so no conversation was forgotten."), nil
		}
		list, err := b.cfg.Record.Threads(ctx, t.Platform, t.Team, t.Channel, 1)
		if err != nil {
			return "", fmt.Errorf("find the thread: %w", err)
		}
		if len(list) > 0 {
			t.ID = list[0].Thread.ID
		}
	}
	if err := b.membersOnly(ctx, t, c.User, lang); err != nil {
		return "", err
	}
	b.active.awaitTrace(ctx, "", t.Key())
	entries, err := b.cfg.Record.Transcript(ctx, t.Key(), counted)
	if err != nil {
		return "", fmt.Errorf("count what is forgotten: %w", err)
	}
	runs, err := b.cfg.Record.RunsOf(ctx, t.Key(), counted)
	if err != nil {
		return "", fmt.Errorf("count what is forgotten: %w", err)
	}
	if err := b.Forget(ctx, t, c.User); err != nil {
		return "", err
	}
	return fmt.Sprintf(say(lang, "이 대화를 지웠어요: 메시지 %d개, 실행 기록 %d개", "This thread is forgotten: %d messages, %d traces"), len(entries), len(runs)), nil
}
