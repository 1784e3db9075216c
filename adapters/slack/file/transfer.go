// Package file transfers files between people and the bot.
//
// [Files] serves one workspace, [Transfer] all of them. Fetch sends the token only to Slack's
// file host. Upload shares all files of a parcel with one call and records their IDs first,
// so that a retried parcel is recognised. The package does not know the purpose of a file.
package file

import (
	"context"
	"io"

	"maru/adapters/slack/web"
	"maru/adapters/slack/workspace"
	"maru/bot"
)

// Files downloads and uploads files in one workspace.
type Files struct {
	web   *web.Client
	notes func() bot.Notes // nil before the adapter runs
}

// New returns the files of w's workspace; notes stores the IDs of uploaded files.
func New(w *web.Client, notes func() bot.Notes) *Files { return &Files{web: w, notes: notes} }

// Transfer downloads and uploads files in every served workspace: it implements bot.Fetcher
// and bot.Uploader.
type Transfer struct{ in workspace.In[*Files] }

var (
	_ bot.Fetcher  = Transfer{}
	_ bot.Uploader = Transfer{}
)

// NewTransfer returns a Transfer for the workspaces that in resolves.
func NewTransfer(in workspace.In[*Files]) Transfer { return Transfer{in: in} }

// Fetch implements bot.Fetcher with the token of the workspace where the file was posted.
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

// Withdraw deletes the files that a parcel shared.
func (t Transfer) Withdraw(ctx context.Context, p bot.Parcel) error {
	fs, err := t.in(ctx, "withdraw", p.To.Thread.Team)
	if err != nil {
		return err
	}
	return fs.withdraw(ctx, p)
}
