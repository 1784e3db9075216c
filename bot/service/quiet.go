package service

import (
	"maru/bot"
	"maru/config"
)

// hush makes what was only overheard in quiet hours none of the bot's business.
func (b *Bot) hush(set config.Resolved, m bot.Message, h heard) heard {
	spoken := h == heardUs && m.Reach != bot.ReachAmbient
	if _, quiet := b.rules.QuietUntil(set, m.User, m.At); !quiet || spoken {
		return h
	}
	return heardOthers
}
