package turn

import (
	"context"
	"strings"
	"sync/atomic"

	"maru/agent"
	"maru/bot"
	"maru/bot/reply"
	"maru/bot/unread"
	"maru/config"
	"maru/phrase/fit"
)

// bring adds files, pictures and earlier messages to a request. A non-empty note is the complete answer: the message
// needs no agent.
func (ts *Turns) bring(ctx context.Context, t turn, p *reply.Presenter, x *extras, req *agent.Request) (note string, err error) {
	if asksTalk(ts, t.m, req.Scopes) {
		note := bringTalk(ctx, ts, t, p, x, req)
		return note, ctx.Err()
	}
	handed, m, err := ts.cfg.Files.gather(ctx, t.m)
	if err != nil {
		return "", err
	}
	m, empty := unread.Empty(m, t.lang)
	if empty != "" && len(m.Files)+len(handed) == 0 {
		return strings.TrimSpace(empty), nil
	}
	web, m, err := ts.cfg.Files.readLinks(ctx, m, req.Scopes, t.lang, p)
	if err != nil {
		return "", err
	}
	handed, x.missing = append(handed, web.Files...), x.missing+empty+web.Left
	a, err := ts.cfg.Files.attend(ctx, m, t.lang, p)
	if err != nil {
		return "", err
	}
	var left string
	if a.pictures, left, err = ts.cfg.Files.fromLinks(ctx, a.pictures, web.Pictures, t.lang); err != nil {
		return "", err
	}
	x.missing += left
	m, handed = a.message, append(handed, a.transcripts...)
	if len(m.Files)+len(handed)+len(a.pictures) == 0 && a.said != "" && (fit.Blank(m.Text) || asksToAdd(m)) {
		return a.said, nil
	}
	if a.said != "" {
		x.missing += "\n\n" + a.said
	}
	req.Text, req.Outsiders = m.Text, a.spoken || len(web.Pictures) > 0
	files, offer, missing, err := ts.cfg.Files.takeFiles(ctx, m, handed, t.lang, p)
	if err != nil {
		return "", err
	}
	x.buttons, req.Files, req.Unseen, req.Pictures = offer, files, append(unread.Described(a.unseen), web.Unread...), a.pictures
	x.missing += missing
	if note, enough := withoutAgent(m, files, t.lang); enough && (len(a.pictures) == 0 || fit.Blank(m.Text)) {
		return note, nil
	}
	x.unread(files)
	if t.log == "" {
		req.Context = ts.before(ctx, m, p)
	} else if req.Context, err = ts.recent(ctx, m); err != nil {
		return "", err
	}
	return "", nil
}

// runWithPictures runs the agent, and adds a notice to the answer if the model did not see the question's pictures.
func (ts *Turns) runWithPictures(ctx context.Context, req agent.Request, p *reply.Presenter, lang string, see agent.Sink, x *extras) (agent.Result, agent.Trace, error) {
	var blind atomic.Bool // parallel nodes report concurrently
	res, trace, err := ts.cfg.Runner.Run(ctx, req, func(e agent.Event) {
		if e.Kind == agent.EventCustom && e.Name == agent.CustomUnseen {
			blind.Store(true)
		}
		if len(e.Files) > 0 {
			p.KeepFiles(ctx, e.Files)
			e.Files = nil
		}
		see(e)
	})
	if blind.Load() {
		x.missing += "\n\n" + blindText(req.Pictures, lang)
	}
	return res, trace, err
}

// asksTalk reports whether a message asks what was said in a channel.
func asksTalk(ts *Turns, m bot.Message, scopes []string) bool {
	return ts.cfg.Searches != nil && ts.cfg.Searches.Asks(m, ts.cfg.Adapters[m.Thread.Platform], scopes)
}

// bringTalk adds the messages of a channel to a request, which the chat agent answers. A non-empty note is the complete answer.
func bringTalk(ctx context.Context, ts *Turns, t turn, p *reply.Presenter, x *extras, req *agent.Request) string {
	talk, note := ts.cfg.Searches.Talk(ctx, t.m, ts.cfg.Adapters[t.m.Thread.Platform], t.lang, ts.cfg.Rules.ZoneOf(t.m.User), func(text string) {
		p.Event(agent.Event{Kind: agent.EventStatus, Text: text})
	})
	if talk == nil {
		return note
	}
	req.Talk, req.Agent, req.Outsiders, x.missing = talk, config.AgentChat, talk.Outsiders, note
	return ""
}
