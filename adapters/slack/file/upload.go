package file

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/lanes/conn"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/render"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/phrase/markdown"
)

const (
	maxUpload    = 1 << 30 // bytes of a file
	uploadTime   = time.Minute
	maxFileTitle = 255
)

// Upload puts files into a thread as one message: each is sent to where Slack
// says, and one call shares them all. Until that call nobody sees anything, so
// what was broken off before it is simply done again. Which files it will share is
// noted before it is made: whether it was is then seen in the thread, by their ids.
// See docs/decisions/0004.
func (fs *Files) Upload(ctx context.Context, p bot.Parcel) error {
	if len(p.Files) == 0 {
		return nil
	}
	channel, thread := cmp.Or(p.Ref.Channel, p.To.Thread.Channel), p.To.Thread.ID
	if thread == "" && !p.Ref.IsZero() {
		thread = p.Ref.Messages[0] // an answer outside threads: its files go below it
	}
	for try := range web.Tries {
		if try > 0 || p.Again {
			there, err := fs.isShared(ctx, channel, thread, p)
			if err != nil || there {
				return web.Delivery("upload", err)
			}
		}
		err := fs.uploadAndShare(ctx, channel, thread, p)
		var busy *bot.DeliveryError
		lostOnTheWay := web.Code(err) == "file_not_found" // its bytes must be uploaded again
		if !web.Ambiguous(err) && !lostOnTheWay || errors.As(err, &busy) || ctx.Err() != nil || try == web.Tries-1 {
			return web.Delivery("upload", err)
		}
		fs.web.Log.WarnContext(ctx, "slack upload has no clear result, checking for duplicates", "channel", channel, "code", cmp.Or(web.Code(err), "network"))
		if fs.web.Wait(ctx, 2*time.Second<<try) != nil {
			return web.Delivery("upload", err)
		}
	}
	return nil
}

// uploadAndShare uploads the files and shares them.
func (fs *Files) uploadAndShare(ctx context.Context, channel, thread string, p bot.Parcel) error {
	var sent []slack.FileSummary
	var ids []string
	comment := markdown.Mrkdwn(p.Text)
	for _, f := range p.Files {
		if f.Size > maxUpload {
			comment += "\n" + markdown.Mrkdwn(f.Name) + " (> 1 GB)"
			continue
		}
		id, err := fs.send(ctx, f)
		if err != nil {
			return err
		}
		ids = append(ids, id)
		sent = append(sent, slack.FileSummary{ID: id, Title: render.Clip(markdown.Literal(f.Name), maxFileTitle)})
	}
	if err := fs.noteSent(ctx, p, ids); err != nil {
		return err
	}
	return fs.web.Do(ctx, web.Job{Method: web.MethodComplete, Channel: channel, Urgent: true}, func(ctx context.Context) error {
		_, err := fs.web.API().CompleteUploadExternalContext(ctx, slack.CompleteUploadExternalParameters{
			Files: sent, Channel: channel, ThreadTimestamp: thread, InitialComment: render.Clip(comment, render.MaxFallback),
		})
		return err
	})
}

// sentNote returns the key under which a parcel's file IDs are recorded.
func sentNote(p bot.Parcel) string {
	return payload.Platform + "/upload/" + p.To.Thread.Team + "/" + p.Key
}

// errNoMemory reports that the notes are unavailable: earlier uploads cannot be looked up,
// nor new ones recorded.
var errNoMemory = &bot.DeliveryError{Op: "upload", Code: "not_running", Err: bot.ErrUnavailable}

// noteSent records the IDs of the files that a parcel is about to share.
func (fs *Files) noteSent(ctx context.Context, p bot.Parcel, ids []string) error {
	notes := fs.notes()
	if notes == nil {
		return errNoMemory
	}
	if err := notes.SetNote(ctx, sentNote(p), strings.Join(ids, " ")); err != nil {
		return &bot.DeliveryError{Op: "upload", Code: "record", Err: errors.Join(bot.ErrUnavailable, err)}
	}
	return nil
}

// send uploads a file's bytes to Slack.
func (fs *Files) send(ctx context.Context, f bot.Artifact) (id string, err error) {
	var at *slack.GetUploadURLExternalResponse
	err = fs.web.Again(ctx, web.Job{Method: web.MethodUpload, Urgent: true}, func(ctx context.Context) (err error) {
		at, err = fs.web.API().GetUploadURLExternalContext(ctx, slack.GetUploadURLExternalParameters{FileName: f.Name, FileSize: len(f.Data)})
		return err
	})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, uploadTime)
	defer cancel()
	if err := fs.web.API().UploadToURL(ctx, slack.UploadToURLParameters{UploadURL: at.UploadURL, Filename: f.Name, Reader: bytes.NewReader(f.Data)}); err != nil {
		return "", conn.WithoutURL(err)
	}
	return at.FileID, nil
}

// withdraw deletes the files that a parcel shared, by its note. What the note does not have was never shared.
func (fs *Files) withdraw(ctx context.Context, p bot.Parcel) error {
	notes := fs.notes()
	if notes == nil {
		return errNoMemory
	}
	note, err := notes.Note(ctx, sentNote(p))
	if err != nil {
		return &bot.DeliveryError{Op: "withdraw", Code: "record", Err: errors.Join(bot.ErrUnavailable, err)}
	}
	for _, id := range strings.Fields(note) {
		err := fs.web.Again(ctx, web.Job{Method: web.MethodUnshare, Urgent: true}, func(ctx context.Context) error {
			return fs.web.API().DeleteFileContext(ctx, id)
		})
		if code := web.Code(err); err != nil && code != "file_not_found" && code != "file_deleted" {
			return web.Delivery("withdraw", err)
		}
	}
	if err := notes.SetNote(ctx, sentNote(p), ""); err != nil {
		return &bot.DeliveryError{Op: "withdraw", Code: "record", Err: errors.Join(bot.ErrUnavailable, err)}
	}
	return nil
}

// isShared reports whether a parcel's files are in its thread, below its answer. A parcel
// without a note has shared nothing.
func (fs *Files) isShared(ctx context.Context, channel, thread string, p bot.Parcel) (bool, error) {
	notes := fs.notes()
	if notes == nil {
		return false, errNoMemory
	}
	note, err := notes.Note(ctx, sentNote(p))
	if err != nil {
		return false, &bot.DeliveryError{Op: "upload", Code: "record", Err: errors.Join(bot.ErrUnavailable, err)}
	}
	ids, there := strings.Fields(note), false
	if len(ids) == 0 {
		return false, nil
	}
	since := p.To.ReplyTo
	if !p.Ref.IsZero() {
		since = p.Ref.Messages[0]
	}
	at := bot.Thread{Channel: channel, ID: thread}
	err = fs.web.Pages(ctx, at, channel, map[string][]string{"oldest": {since}, "inclusive": {"1"}}, func(m payload.Object) {
		for _, f := range m.List("files") {
			there = there || slices.Contains(ids, f.Str("id"))
		}
	})
	return there, err
}
