package turn

import (
	"context"
	"sync/atomic"

	"maru/agent"
	"maru/bot/reply"
	"maru/phrase"
	"maru/phrase/fit"
)

// bring adds to a request what comes with its message: files, pictures, and what was said before. note is the answer
// to a message that asks nothing of an agent.
func (ts *Turns) bring(ctx context.Context, t turn, p *reply.Presenter, x *extras, req *agent.Request) (note string, err error) {
	handed, m, err := ts.files.gather(ctx, t.m)
	if err != nil {
		return "", err
	}
	m, other := seen(m)
	if len(m.Files)+len(handed) == 0 && len(other) > 0 && asksToAdd(m) {
		return unseenText(other, t.lang), nil
	}
	pictures, unseen, said, err := ts.files.look(ctx, m.Thread, other, t.lang)
	if err != nil {
		return "", err
	}
	if said != "" {
		if len(m.Files)+len(handed)+len(pictures) == 0 && fit.Blank(m.Text) {
			return said, nil
		}
		x.missing += "\n\n" + said
	}
	if fit.Blank(m.Text) && len(pictures) > 0 && len(m.Files) == 0 { // it asks what everybody asks of a picture
		m.Text = phrase.Say(t.lang, "bot.picture.alone")
		req.Text = m.Text
	}
	files, offer, missing, err := ts.files.takeFiles(ctx, m, handed, t.lang, p)
	if err != nil {
		return "", err
	}
	x.buttons, req.Files, req.Unseen, req.Pictures = offer, files, named(unseen), pictures
	x.missing += missing
	if note, enough := withoutAgent(m, files, t.lang); enough && (len(pictures) == 0 || fit.Blank(m.Text)) {
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

// runSeeing runs the agent. A model that did not see the pictures of the question is told of below the answer.
func (ts *Turns) runSeeing(ctx context.Context, req agent.Request, lang string, see agent.Sink, x *extras) (agent.Result, agent.Trace, error) {
	var blind atomic.Bool // nodes that run side by side tell of themselves side by side
	res, trace, err := ts.runner.Run(ctx, req, func(e agent.Event) {
		if e.Kind == agent.EventCustom && e.Name == agent.CustomUnseen {
			blind.Store(true)
		}
		see(e)
	})
	if blind.Load() {
		x.missing += "\n\n" + blindText(req.Pictures, lang)
	}
	return res, trace, err
}
