package inbound

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"maru/adapters/slack/file"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// permalink matches the URLs of messages and files as Slack copies them.
var permalink = pattern.New(`https://[a-z0-9-]+(?:\.enterprise)?\.slack(?:-gov)?\.com/(?:archives/[A-Z0-9]+/p[0-9]{11,}|files/[A-Z0-9]+/F[A-Z0-9]+|files-pri/[A-Z0-9]+-F[A-Z0-9]+)[^\s<>()|"'` + "`" + `]*`)

// maxShares bounds the conversations of a file in which the asker's membership is looked up.
const maxShares = 20

// errUnseen reports content that the person may not see.
var errUnseen = &bot.DeliveryError{Op: "open link", Code: "not_visible", Err: bot.ErrForbidden}

// links open the URLs of messages and files that people paste.
type links struct {
	web     *web.Client
	users   persons
	members audience
	speech  *speech
}

// Linked opens a pasted URL.
func (l *links) Linked(ctx context.Context, m bot.Message, link string) (bot.Quote, error) {
	u, err := url.Parse(link)
	if err != nil {
		return bot.Quote{}, errUnseen
	}
	part := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch {
	case len(part) >= 3 && part[0] == "archives":
		return l.linkedMessage(ctx, m, part[1], part[2], u.Query().Get("thread_ts"))
	case len(part) >= 3 && part[0] == "files":
		return l.linkedFile(ctx, m, part[2])
	case len(part) >= 2 && part[0] == "files-pri":
		_, id, _ := strings.Cut(part[1], "-")
		return l.linkedFile(ctx, m, id)
	}
	return bot.Quote{}, errUnseen
}

// linkedFile loads a file and the conversations it was shared in: a member of one of them,
// and the file's author, may see it.
func (l *links) linkedFile(ctx context.Context, m bot.Message, id string) (bot.Quote, error) {
	var r struct {
		File payload.Object `json:"file"`
	}
	if err := l.web.Ask(ctx, "files.info", m.Thread.Team, url.Values{"file": {id}}, &r); err != nil {
		return bot.Quote{}, unseen(err)
	}
	files := file.ListOf(m.Thread.Team, payload.Object{"files": payload.ListOf(r.File)})
	if len(files) == 0 {
		return bot.Quote{}, errUnseen
	}
	if r.File.Str("user") != m.User.ID {
		if err := l.readsOne(ctx, m, sharedIn(r.File)); err != nil {
			return bot.Quote{}, err
		}
	}
	return bot.Quote{Author: l.author(ctx, r.File), Files: files, At: payload.Time(r.File.Str("created"))}, nil
}

// sharedIn lists the conversations in which a file was shared.
func sharedIn(f payload.Object) []string {
	var out []string
	for _, k := range []string{"channels", "groups", "ims"} {
		out = append(out, f.Strs(k)...)
	}
	for _, k := range []string{"public", "private"} {
		for id := range f.Obj("shares").Obj(k) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// readsOne returns nil if the author of m reads one of the channels.
func (l *links) readsOne(ctx context.Context, m bot.Message, channels []string) error {
	if slices.Contains(channels, m.Thread.Channel) {
		return nil
	}
	var unsure error
	for _, id := range channels[:min(len(channels), maxShares)] {
		ok, err := l.members.Reads(ctx, bot.Thread{Platform: payload.Platform, Team: m.Thread.Team, Channel: id}, m.User.ID)
		if ok {
			return nil
		}
		unsure = errors.Join(unsure, err)
	}
	if unsure != nil {
		return unsure
	}
	return errUnseen
}

// linkedMessage reads a message of a conversation that the author of m reads.
func (l *links) linkedMessage(ctx context.Context, m bot.Message, channel, p, thread string) (bot.Quote, error) {
	digits := strings.TrimPrefix(p, "p")
	if len(digits) <= 6 {
		return bot.Quote{}, errUnseen
	}
	ts := digits[:len(digits)-6] + "." + digits[len(digits)-6:]
	if err := l.readsOne(ctx, m, []string{channel}); err != nil {
		return bot.Quote{}, err
	}
	at := bot.Thread{Platform: payload.Platform, Team: m.Thread.Team, Channel: channel, ID: cmp.Or(thread, ts)}
	// Each page begins with the thread's first message, before the requested one.
	list, _, err := l.web.Page(ctx, at, channel, url.Values{"oldest": {ts}, "latest": {ts}, "inclusive": {"1"}, "limit": {"2"}})
	if err != nil {
		return bot.Quote{}, unseen(err)
	}
	i := slices.IndexFunc(list, func(o payload.Object) bool { return o.Str("ts") == ts })
	if i < 0 {
		return bot.Quote{}, errUnseen
	}
	said := list[i]
	words := l.speech.read(ctx, m.Thread.Team, said)
	q := bot.Quote{
		Author: l.author(ctx, said), At: payload.Time(ts), Files: append(file.ListOf(m.Thread.Team, said), words.files...),
		Text: fit.Clip(words.text, maxQuote),
	}
	if q.Text == "" && len(q.Files) == 0 {
		return bot.Quote{}, errUnseen
	}
	if said.Str("thread_ts") == ts && said.Num("reply_count") > 0 {
		q.Thread = &at
	}
	return q, nil
}

// author returns the name of the author of a message or file.
func (l *links) author(ctx context.Context, o payload.Object) string {
	if name := appName(o); name != "" || o.Str("user") == "" {
		return name
	}
	u, _ := l.users.Sure(ctx, o.Str("user")) // without a name if the look-up times out
	return u.Name
}

// unseen maps all of Slack's "not visible" errors to errUnseen.
func unseen(err error) error {
	switch web.Code(err) {
	case "file_not_found", "file_deleted", "not_visible", "access_denied", "channel_not_found", "not_in_channel", "thread_not_found", "message_not_found":
		return errUnseen
	}
	return web.Delivery("open link", err)
}
