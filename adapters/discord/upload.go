package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

const (
	maxFile        = 10 << 20 // bytes of a file, where nobody pays for more
	maxFiles       = 10       // of a message
	maxRequest     = 24 << 20 // bytes of files in one request; Discord takes 25 MiB with all around them
	maxFilename    = 80
	kindJSON       = "application/json"
	spoilerPrefix  = "SPOILER_" // makes Discord hide a file until it is clicked
	fallbackUpload = "file"
)

// payload is the body of a request as it is sent.
type payload struct {
	raw  []byte
	kind string
}

// attached names a file of a message.
type attached struct {
	ID       string `json:"id"` // the n of files[n]; a text, as the OpenAPI description wants
	Filename string `json:"filename"`
}

// Upload implements bot.Uploader. What will be posted is written down before it
// is sent, as a reply is, so that a message whose id was lost is found again by
// its text and the sizes of its files.
func (a *Adapter) Upload(ctx context.Context, p bot.Parcel) error {
	if p.Again {
		there, err := a.uploaded(ctx, p.Key)
		if err != nil || there {
			return delivery("upload", err)
		}
	}
	at := spot{channel: p.Ref.Channel}
	if at.channel == "" {
		var err error
		if at, err = a.target(ctx, p.To); err != nil {
			return delivery("upload", err)
		}
	}
	files, text := taken(p)
	o := newOutgoing(part{content: text})
	sizes := make([]int64, 0, len(files))
	for i, f := range files {
		o.Attachments = append(o.Attachments, attached{ID: strconv.Itoa(i), Filename: f.Name})
		sizes = append(sizes, f.Size)
	}
	a.writeIntent(ctx, at.channel, p.Key, []string{fingerprint(text + sizesOf(sizes))})
	o.Nonce, o.EnforceNonce = nonceOf(p.Key, 0), true
	try := func(ctx context.Context) error {
		return a.rest.do(ctx, call{
			method: http.MethodPost, path: "/channels/" + at.channel + "/messages",
			bucket: "post/" + at.channel, body: o, files: files, again: true, urgent: true,
		})
	}
	err := try(ctx)
	if codeOf(err) == codeArchived {
		if err = a.unarchive(ctx, at.channel); err == nil {
			err = try(ctx)
		}
	}
	return delivery("upload", err)
}

// handOver sends the files of a command's answer after it, to who gave the command
// alone.
func (a *Adapter) handOver(ctx context.Context, v visit, c bot.Card) error {
	files, text := taken(bot.Parcel{Files: c.Files, Text: c.Title})
	o := newOutgoing(part{content: text})
	for i, f := range files {
		o.Attachments = append(o.Attachments, attached{ID: strconv.Itoa(i), Filename: f.Name})
	}
	private, dead, err := o, v.late, error(nil)
	if private.Flags |= flagEphemeral; !dead {
		err = a.rest.do(ctx, call{
			method: http.MethodPost, path: "/webhooks/" + a.application() + "/" + v.i.Token,
			bucket: "followup/" + v.i.Token, body: private, files: files, urgent: true, public: true,
		})
		dead = statusOf(err) == http.StatusNotFound || statusOf(err) == http.StatusUnauthorized
	}
	if dead {
		err = a.fileDirectly(ctx, v.u, o, files)
	}
	if err == nil {
		return nil
	}
	a.log.WarnContext(ctx, "discord file of a command was not handed over", "err", err)
	return a.Whisper(ctx, bot.Target{Thread: v.at}, v.u, bot.Card{
		Kind: bot.CardNotice, Text: phrase.Say(c.Language, "bot.file_not_handed_over"), Language: c.Language, Final: true,
	})
}

// fileDirectly sends files as a direct message.
func (a *Adapter) fileDirectly(ctx context.Context, u bot.User, o outgoing, files []bot.Artifact) error {
	dm, err := a.direct(ctx, u)
	if err != nil {
		return err
	}
	return a.rest.do(ctx, call{
		method: http.MethodPost, path: "/channels/" + dm + "/messages",
		bucket: "post/" + dm, body: o, files: files, urgent: true,
	})
}

// taken are the files of a parcel that Discord takes, under names that hide
// nothing, and the text above them, which names the others.
func taken(p bot.Parcel) (files []bot.Artifact, text string) {
	text, left := escape(p.Text), int64(maxRequest)
	for _, f := range p.Files {
		if f.Size > maxFile || f.Size > left || len(files) == maxFiles {
			text += "\n-# " + escape(fit.Clip(oneLine(f.Name), maxFilename)) + fmt.Sprintf(" (%d MiB)", (f.Size+1<<20-1)>>20)
			continue
		}
		left -= f.Size
		f.Name = plainName(f.Name)
		files = append(files, f)
	}
	return files, fit.Clip(text, maxContent)
}

// plainName takes a file's name what would hide the file.
func plainName(name string) string {
	for len(name) >= len(spoilerPrefix) && strings.EqualFold(name[:len(spoilerPrefix)], spoilerPrefix) {
		name = name[len(spoilerPrefix):]
	}
	return first(strings.ReplaceAll(oneLine(name), " ", "_"), fallbackUpload)
}

// sizesOf makes the files of a message part of its fingerprint.
func sizesOf(sizes []int64) string {
	if len(sizes) == 0 {
		return ""
	}
	slices.Sort(sizes)
	return fmt.Sprint(sizes)
}

// uploaded reports whether a parcel stands where an earlier attempt meant to post
// it.
func (a *Adapter) uploaded(ctx context.Context, key string) (bool, error) {
	a.mu.Lock()
	blind := a.notes == nil
	a.mu.Unlock()
	if blind { // before Run nobody knows what was meant to be posted
		return false, &bot.DeliveryError{Op: "upload", Code: "not_running", Err: bot.ErrUnavailable}
	}
	list, err := a.intents(ctx, key)
	if err != nil {
		return false, err
	}
	for _, in := range list {
		if in.Key != hashOf(key) {
			continue
		}
		ids, err := a.look(ctx, in)
		return len(ids) > 0, err
	}
	return false, nil
}

// encode makes a call's body: JSON, or with files a form with the JSON in it.
func (c call) encode() (payload, error) {
	if c.body == nil {
		return payload{}, nil
	}
	raw, err := json.Marshal(c.body)
	if err != nil || len(c.files) == 0 {
		return payload{raw: raw, kind: kindJSON}, err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	head, err := w.CreateFormField("payload_json")
	if err == nil {
		_, err = head.Write(raw)
	}
	for i, f := range c.files {
		if err != nil {
			break
		}
		to, ferr := w.CreateFormFile(fmt.Sprintf("files[%d]", i), f.Name)
		if err = ferr; err == nil {
			_, err = to.Write(f.Data)
		}
	}
	if err == nil {
		err = w.Close()
	}
	return payload{raw: b.Bytes(), kind: w.FormDataContentType()}, err
}
