package payload

import (
	"strings"

	"maru/bot"
)

// Thread returns a message's thread; a message outside one starts its own. Direct messages
// too: in Slack's agent experience each of them begins a conversation.
func Thread(team, channel string, m Object) bot.Thread {
	th := bot.Thread{Platform: Platform, Team: team, Channel: channel, ID: m.Str("thread_ts")}
	th.Direct = strings.HasPrefix(channel, "D") || m.Str("channel_type") == "im"
	if th.ID == "" {
		th.ID = m.Str("ts")
	}
	return th
}
