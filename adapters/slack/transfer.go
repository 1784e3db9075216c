package slack

import (
	"context"
	"io"

	"maru/adapters/slack/web"
	"maru/adapters/slack/workspace"
	"maru/bot"
)

// files moves files in and out of one workspace.
type files struct {
	web   *web.Client
	notes func() bot.Notes // nil before the adapter runs
}

// newFiles keeps in notes which files were sent.
func newFiles(w *web.Client, notes func() bot.Notes) *files { return &files{web: w, notes: notes} }

// transfer moves files in and out of every workspace that is served: it implements
// bot.Fetcher and bot.Uploader.
type transfer struct{ in workspace.In[*files] }

var (
	_ bot.Fetcher  = transfer{}
	_ bot.Uploader = transfer{}
)

// newTransfer moves the files of the workspaces that in finds.
func newTransfer(in workspace.In[*files]) transfer { return transfer{in: in} }

// Fetch implements bot.Fetcher: a file is opened with the token of the workspace
// where it was posted.
func (t transfer) Fetch(ctx context.Context, f bot.File, limit int64) (io.ReadCloser, error) {
	fs, err := t.in(ctx, "fetch", f.Team)
	if err != nil {
		return nil, err
	}
	return fs.fetch(ctx, f, limit)
}

// Upload implements bot.Uploader.
func (t transfer) Upload(ctx context.Context, p bot.Parcel) error {
	fs, err := t.in(ctx, "upload", p.To.Thread.Team)
	if err != nil {
		return err
	}
	return fs.Upload(ctx, p)
}
