package slack

import (
	"context"
	"strings"

	"github.com/slack-go/slack"

	"maru/bot"
)

// maxHomeBlocks is how many blocks Slack takes in a Home.
const maxHomeBlocks = 100

// homeOpened shows a person their Home.
func (a *Adapter) homeOpened(in bot.Intake, team string, ev object) result {
	at := place{home: true, thread: bot.Thread{Platform: Platform, Team: team, Channel: ev.str("channel"), Direct: true}}
	return result{after: func(ctx context.Context) {
		a.publish(ctx, in, at, a.users.get(ctx, ev.str("user"), adminWait), nil)
	}}
}

// publish renews a person's Home, with a word on top if there is one.
func (a *Adapter) publish(ctx context.Context, in bot.Intake, at place, u bot.User, word *bot.Card) {
	homer, ok := in.(bot.Homer)
	if !ok || u.ID == "" {
		return
	}
	cards, err := homer.Home(ctx, at.thread, u)
	if err != nil {
		a.log.WarnContext(ctx, "slack home", "error", err.Error())
		return
	}
	if word != nil {
		cards = append([]bot.Card{*word}, cards...)
	}
	view := slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: homeBlocks(cards)}}
	err = a.gates.do(ctx, job{method: "views.publish", urgent: true}, func(ctx context.Context) error {
		_, err := a.api().PublishViewContext(ctx, slack.PublishViewContextRequest{UserID: u.ID, View: view})
		return err
	})
	if err != nil {
		a.log.WarnContext(ctx, "slack home was not published", "code", errorCode(err))
	}
}

// homeBlocks puts cards below each other. A Home has no Markdown blocks: its
// texts are plain.
func homeBlocks(cards []bot.Card) []slack.Block {
	var out []slack.Block
	for _, c := range cards {
		text := c.Text
		c.Text = ""
		var blocks []slack.Block
		for _, p := range render(c) {
			blocks = append(blocks, p.blocks...)
		}
		var plain []string
		for _, p := range splitAt(parseMarkdown(cut(text, maxPart), nil), maxPart, nil) {
			plain = append(plain, p.plain)
		}
		if words := strings.TrimSpace(strings.Join(plain, "\n")); words != "" {
			at := min(len(blocks), 1) // below the title
			if c.Title == "" {
				at = 0
			}
			blocks = append(blocks[:at:at], append([]slack.Block{section(clipSafe(plainSafe(words), maxSection), words).block}, blocks[at:]...)...)
		}
		if len(out)+len(blocks)+1 > maxHomeBlocks {
			break
		}
		out = append(append(out, blocks...), slack.NewDividerBlock())
	}
	return out
}
