// Package file moves files between people and the bot.
//
// [Files] is for one workspace, [Transfer] for all that are served. Fetch sends the token
// to Slack's file host and nowhere else; Upload shares all files of a parcel with one
// call, and notes before it which files they are, so that a repeated parcel is found.
// The package does not know what files are for.
package file

import (
	"context"
	"io"

	"maru/adapters/slack/web"
	"maru/adapters/slack/workspace"
	"maru/bot"
)

// Files moves files in and out of one workspace.
type Files struct {
	web   *web.Client
	notes func() bot.Notes // nil before the adapter runs
}

// New keeps in notes which files were sent.
func New(w *web.Client, notes func() bot.Notes) *Files { return &Files{web: w, notes: notes} }

// Transfer moves files in and out of every workspace that is served: it implements
// bot.Fetcher and bot.Uploader.
type Transfer struct{ in workspace.In[*Files] }

var (
	_ bot.Fetcher  = Transfer{}
	_ bot.Uploader = Transfer{}
)

// NewTransfer moves the files of the workspaces that in finds.
func NewTransfer(in workspace.In[*Files]) Transfer { return Transfer{in: in} }

// Fetch implements bot.Fetcher: a file is opened with the token of the workspace
// where it was posted.
func (t Transfer) Fetch(ctx context.Context, f bot.File, limit int64) (io.ReadCloser, error) {
	fs, err := t.in(ctx, "fetch", f.Team)
	if err != nil {
		return nil, err
	}
	return fs.fetch(ctx, f, limit)
}

// Upload implements bot.Uploader.
func (t Transfer) Upload(ctx context.Context, p bot.Parcel) error {
	fs, err := t.in(ctx, "upload", p.To.Thread.Team)
	if err != nil {
		return err
	}
	return fs.Upload(ctx, p)
}
