package turn

import (
	"context"

	"maru/bot"
	"maru/bot/reply"
)

// handOut adds to the answer's transaction its files and the job that uploads them to the thread.
func (ts *Turns) handOut(ctx context.Context, c conclusion, card bot.Card, out *bot.Outcome) {
	if len(card.Files) == 0 {
		return
	}
	out.Files = reply.FilesOf(c.p.Run, c.res.Artifacts, true)
	if left := len(c.res.Artifacts) - len(out.Files); left > 0 {
		ts.cfg.Log.WarnContext(ctx, "files of a run left out", "run", c.p.Run, "files", left)
	}
	if _, ok := c.p.Adapter.(bot.Uploader); !ok {
		return // the platform links to them
	}
	j, err := bot.NewJob(bot.JobFiles, c.p.Run, reply.Parcel{To: c.p.To, Run: c.p.Run, Lang: c.lang})
	if err != nil {
		ts.cfg.Log.WarnContext(ctx, "encode parcel", "run", c.p.Run, "err", err)
		return
	}
	out.Jobs = append(out.Jobs, j)
}
