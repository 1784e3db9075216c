package turn

import (
	"context"

	"maru/agent"
	"maru/bot"
	"maru/bot/linked"
	"maru/bot/reply"
	"maru/phrase"
)

// readLinks adds the web pages that a message links to, to the channel's documents if the text asks for that. A message
// that consists only of links asks for their content. Pages within scopes may be documents already.
func (fs *Files) readLinks(ctx context.Context, m bot.Message, scopes []string, lang string, p *reply.Presenter) (got linked.Answer, with bot.Message, err error) {
	if fs.web == nil {
		return linked.Answer{}, m, nil
	}
	links, alone := linked.Asked(m.Text)
	if len(links) == 0 {
		return linked.Answer{}, m, nil
	}
	got, err = fs.web.Read(ctx, linked.Ask{Message: m, Links: links, Alone: alone, Scopes: scopes, Tags: tagsIn(m), Lang: lang, Begin: func(text string) {
		p.Event(agent.Event{Kind: agent.EventStatus, Text: text})
	}})
	if err != nil {
		return linked.Answer{}, m, err
	}
	switch {
	case alone && len(got.Files) == 0 && len(got.Pictures) > 0:
		m.Text += "\n" + phrase.Say(lang, "bot.picture.alone")
	case alone:
		m.Text += "\n" + phrase.Say(lang, "linked.alone")
	}
	if got.Left != "" {
		got.Left = "\n\n" + got.Left
	}
	return got, m, nil
}
