package turn

import (
	"context"

	"maru/agent"
	"maru/bot"
	"maru/bot/linked"
	"maru/bot/reply"
	"maru/phrase"
)

// readLinks adds what a message's links lead to on the web to the documents of its place, if its words ask for that. A
// message that is nothing but links asks what they say. left is what people are told of links that were not read.
func (fs *Files) readLinks(ctx context.Context, m bot.Message, lang string, p *reply.Presenter) (files []agent.File, with bot.Message, left string, err error) {
	if fs.web == nil {
		return nil, m, "", nil
	}
	links, alone := linked.Asked(m.Text)
	if len(links) == 0 {
		return nil, m, "", nil
	}
	files, left, err = fs.web.Read(ctx, m, links, tagsIn(m), lang, func(text string) {
		p.Event(agent.Event{Kind: agent.EventStatus, Text: text})
	})
	if err != nil {
		return nil, m, "", err
	}
	if alone {
		m.Text += "\n" + phrase.Say(lang, "linked.alone")
	}
	if left != "" {
		left = "\n\n" + left
	}
	return files, m, left, nil
}
