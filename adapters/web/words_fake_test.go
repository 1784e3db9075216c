package web_test

import (
	"maru/adapters/web"
	"maru/agent"
	"maru/bot"
	"maru/bot/service"
)

// The words of agent reach the console only as aliases in bot; the fake writes
// them as agent does.
func kindOf(s string) agent.EventKind { return agent.EventKind(s) }

func source(n int, title, heading string, page int, score float64, quote string) agent.Source {
	return agent.Source{N: n, Document: "d1", Chunk: "h#12", Title: title, Heading: heading, Page: page, Score: score, Quote: quote}
}

var _ bot.RunEvent = agent.Event{}

// The bot itself sits at the desk.
var _ web.Desk = (*service.Bot)(nil)
