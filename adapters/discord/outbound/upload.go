package outbound

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase/fit"
)

const (
	maxFile        = 10 << 20 // bytes of a file, without a paid plan
	maxFiles       = 10       // per message
	maxRequest     = 24 << 20 // bytes of files per request; Discord's limit is 25 MiB including overhead
	maxFilename    = 80
	spoilerPrefix  = "SPOILER_" // makes Discord hide a file until it is clicked
	fallbackUpload = "file"
)

// Upload implements bot.Uploader. Like a reply, the intent is stored before the send, so that
// a message whose ID was lost is found by its text and file sizes.
func (s *Sender) Upload(ctx context.Context, p bot.Parcel) error {
	if p.Again {
		channel, id, err := s.uploaded(ctx, p.Key)
		if err == nil && id != "" {
			err = s.noteFile(ctx, p, channel, id)
		}
		if err != nil || id != "" {
			return rest.Delivery("upload", err)
		}
	}
	at := spot{channel: p.Ref.Channel}
	if at.channel == "" {
		var err error
		if at, err = s.target(ctx, p.To); err != nil {
			return rest.Delivery("upload", err)
		}
	}
	files, text := FitFiles(p)
	o := render.NewOutgoing(render.Plain(text))
	sizes := make([]int64, 0, len(files))
	for i, f := range files {
		o.Attachments = append(o.Attachments, render.Attached{ID: strconv.Itoa(i), Filename: f.Name})
		sizes = append(sizes, f.Size)
	}
	s.writeIntent(ctx, at.channel, p.Key, []string{fingerprint(text + sizesOf(sizes))})
	o.Nonce, o.EnforceNonce = nonceOf(p.Key, 0), true
	var posted wire.Message
	try := func(ctx context.Context) error {
		return s.api.Do(ctx, rest.Call{
			Method: http.MethodPost, Path: "/channels/" + at.channel + "/messages",
			Bucket: "post/" + at.channel, Body: o, Files: files, Out: &posted, Again: true, Urgent: true,
		})
	}
	err := try(ctx)
	if rest.CodeOf(err) == rest.CodeArchived {
		if err = s.unarchive(ctx, at.channel); err == nil {
			err = try(ctx)
		}
	}
	if err == nil {
		err = s.noteFile(ctx, p, at.channel, posted.ID)
	}
	return rest.Delivery("upload", err)
}

// fileNote returns the name of a note with the channel and the message of a parcel that may be removed: an intent does not last.
func fileNote(key string) string { return "file/" + wire.Digest(key) }

// noteFile notes where a parcel that may be removed was posted.
func (s *Sender) noteFile(ctx context.Context, p bot.Parcel, channel, id string) error {
	if !p.Removable {
		return nil
	}
	return s.notes.SetNote(ctx, fileNote(p.Key), channel+" "+id)
}

// Withdraw deletes the message with the files of a parcel.
func (s *Sender) Withdraw(ctx context.Context, p bot.Parcel) error {
	channel, id, err := s.uploaded(ctx, p.Key)
	if err == nil && id != "" {
		err = s.remove(ctx, channel, id)
	}
	if err == nil {
		err = s.notes.SetNote(ctx, fileNote(p.Key), "")
	}
	return rest.Delivery("withdraw", err)
}

// SendFilesDirect sends files as a direct message.
func (s *Sender) SendFilesDirect(ctx context.Context, u bot.User, o render.Outgoing, files []bot.Artifact) error {
	dm, err := s.open(ctx, u)
	if err != nil {
		return err
	}
	return s.api.Do(ctx, rest.Call{
		Method: http.MethodPost, Path: "/channels/" + dm + "/messages",
		Bucket: "post/" + dm, Body: o, Files: files, Urgent: true,
	})
}

// FitFiles returns the files of a parcel that Discord accepts, with safe names, and the text
// above them, which names the others.
func FitFiles(p bot.Parcel) (files []bot.Artifact, text string) {
	text, left := render.Escape(p.Text), int64(maxRequest)
	for _, f := range p.Files {
		if f.Size > maxFile || f.Size > left || len(files) == maxFiles {
			text += "\n-# " + render.Escape(fit.Clip(render.OneLine(f.Name), maxFilename)) + fmt.Sprintf(" (%d MiB)", (f.Size+1<<20-1)>>20)
			continue
		}
		left -= f.Size
		f.Name = plainName(f.Name)
		files = append(files, f)
	}
	return files, fit.Clip(text, render.MaxContent)
}

// plainName removes a spoiler prefix from a file's name.
func plainName(name string) string {
	for len(name) >= len(spoilerPrefix) && strings.EqualFold(name[:len(spoilerPrefix)], spoilerPrefix) {
		name = name[len(spoilerPrefix):]
	}
	return cmp.Or(strings.ReplaceAll(render.OneLine(name), " ", "_"), fallbackUpload)
}

// sizesOf adds a message's files to its fingerprint.
func sizesOf(sizes []int64) string {
	if len(sizes) == 0 {
		return ""
	}
	slices.Sort(sizes)
	return fmt.Sprint(sizes)
}

// uploaded returns where an earlier attempt has posted a parcel, by its note or else by its intent; id is "" if none has.
func (s *Sender) uploaded(ctx context.Context, key string) (channel, id string, err error) {
	if !s.notes.IsOpen() { // before Run the notes are unavailable
		return "", "", &bot.DeliveryError{Op: "find upload", Code: "not_running", Err: bot.ErrUnavailable}
	}
	note, err := s.notes.Note(ctx, fileNote(key))
	if channel, id, noted := strings.Cut(note, " "); err != nil || noted {
		return channel, id, err
	}
	list, err := s.intents(ctx, key)
	if err != nil {
		return "", "", err
	}
	for _, in := range list {
		if in.Key != wire.Digest(key) {
			continue
		}
		ids, err := s.look(ctx, in)
		if err != nil || len(ids) == 0 {
			return "", "", err
		}
		return in.Channel, ids[0], nil
	}
	return "", "", nil
}
