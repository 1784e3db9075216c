package render

import (
	"github.com/slack-go/slack"

	"maru/bot"
	"maru/phrase"
)

// maxHomeBlocks is Slack's limit of blocks in a Home.
const maxHomeBlocks = 100

// Home stacks as many cards as fit into a Home. No text limit is documented for Homes, so a
// message's applies.
func Home(cards []bot.Card) []slack.Block {
	var out []slack.Block
	size := 0
	for i, c := range cards {
		els := cardElements(c, richElements(c))
		for _, e := range els {
			size += e.size
		}
		if room := maxHomeBlocks - len(out) - 1; len(els) > room || len(els) == room && i < len(cards)-1 || size > maxTotal {
			return append(out, contextElement(phrase.Say(c.Language, "slack.cut.rest")).block)
		}
		for _, e := range els {
			out = append(out, e.block)
		}
		if i < len(cards)-1 {
			out = append(out, slack.NewDividerBlock())
		}
	}
	return out
}
