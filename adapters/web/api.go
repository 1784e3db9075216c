package web

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"maru/bot"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

// maxText bounds a message, in characters.
const maxText = 32_000

// maxThreads bounds the list of threads.
const maxThreads = 100

var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// threadOf returns the thread named in a request's path or query.
func (d *door) threadOf(r *http.Request) (bot.Thread, error) {
	id := r.PathValue("thread")
	if id == "" {
		id = r.URL.Query().Get("thread")
	}
	if !idForm.MatchString(id) {
		return bot.Thread{}, refusal{http.StatusNotFound, "not_found"}
	}
	return d.at(r, id), nil
}

// placeOf is threadOf for requests about the place: the thread is optional.
func (d *door) placeOf(r *http.Request) (bot.Thread, error) {
	if r.URL.Query().Get("thread") == "" {
		return d.at(r, ""), nil
	}
	return d.threadOf(r)
}

// apiSession returns the token of a page's session, after a restart has invalidated the old
// one.
func (a *Adapter) apiSession(w http.ResponseWriter, r *http.Request) {
	v := visitOf(r)
	reply(w, http.StatusOK, map[string]any{"token": v.Token, "language": v.Lang})
}

// threadJSON is a thread in a list.
type threadJSON struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}

func (d *door) apiThreads(w http.ResponseWriter, r *http.Request) {
	at := d.at(r, "")
	infos, err := d.desk.Threads(r.Context(), platform, at.Team, at.Channel, maxThreads)
	if err != nil {
		d.fail(w, r, fmt.Errorf("list threads: %w", err))
		return
	}
	out := make([]threadJSON, len(infos))
	for i, t := range infos {
		out[i] = threadJSON{ID: t.Thread.ID, Title: fit.Clean(t.Title), Created: t.Created, Updated: t.Updated}
	}
	reply(w, http.StatusOK, map[string]any{"threads": out})
}

func (d *door) apiThread(w http.ResponseWriter, r *http.Request) {
	t, err := d.threadOf(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	lines, rev, err := d.lines(r.Context(), t, lastOf(r))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	for i := range lines {
		lines[i] = lines[i].worded()
	}
	reply(w, http.StatusOK, map[string]any{"id": t.ID, "lines": lines, "revision": revision(d.hub.epoch, rev)})
}

func (d *door) apiForget(w http.ResponseWriter, r *http.Request) {
	t, err := d.threadOf(r)
	if err == nil {
		err = d.desk.Forget(r.Context(), t, visitOf(r).user())
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.hub.forget(t)
	d.held.forget(t)
	w.WriteHeader(http.StatusNoContent)
}

// messageJSON is a message sent by a client.
type messageJSON struct {
	ID       string `json:"id"` // made by the client; the idempotency key
	Text     string `json:"text"`
	TimeZone string `json:"time_zone"`
	// Files are the IDs of documents added with this message.
	Files []string `json:"files"`
}

func (d *door) apiMessage(w http.ResponseWriter, r *http.Request) {
	var m messageJSON
	t, err := d.threadOf(r)
	if err == nil {
		err = decode(r, &m)
	}
	if err == nil {
		m.ID, err = d.say(r, t, m)
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	reply(w, http.StatusAccepted, map[string]string{"thread": t.ID, "message": m.ID})
}

// check normalises a message, or returns why it is invalid.
func (m *messageJSON) check(d *door) error {
	m.Text = trim(fit.Clean(m.Text))
	switch {
	case fit.Blank(m.Text):
		return refusal{http.StatusBadRequest, "empty"}
	case utf8.RuneCountInString(m.Text) > maxText:
		return refusal{http.StatusRequestEntityTooLarge, "too_long"}
	case m.ID == "":
		m.ID = "u" + d.newID()
	case !idForm.MatchString(m.ID):
		return refusal{http.StatusBadRequest, "bad_request"}
	case len(m.Files) > maxHanded || slices.ContainsFunc(m.Files, func(id string) bool { return id == "" || len(id) > maxDocument }):
		return refusal{http.StatusBadRequest, "bad_request"}
	}
	return nil
}

// Bounds of the documents attached to a message.
const (
	maxHanded   = 20
	maxDocument = 200 // bytes of an id
)

// handed returns the message's files. The bot passes on those that are documents of the channel.
func (d *door) handed(t bot.Thread, m messageJSON) []bot.File {
	var out []bot.File
	for _, id := range m.Files {
		if f, ok := d.held.get(id); ok {
			if f.thread.Key() == t.Key() {
				out = append(out, f.File)
			}
			continue
		}
		out = append(out, bot.File{ID: id, Document: id})
	}
	return out
}

// say passes a person's text to the bot: a command at once, a message to the thread's inbox.
// The text is shown before it is accepted, so that no answer precedes its question, and
// removed if it is rejected.
func (d *door) say(r *http.Request, t bot.Thread, m messageJSON) (string, error) {
	if err := m.check(d); err != nil {
		return "", err
	}
	now, u := d.cfg.Now(), visitOf(r).user()
	u.TimeZone = cmp.Or(zoneNamed(m.TimeZone), u.TimeZone)
	if d.hub.has(t, m.ID) {
		return m.ID, nil
	}
	d.show(r.Context(), t, item{ID: m.ID, Text: m.Text, At: now})
	var err error
	if name, args, ok := intent.Slash(m.Text, bot.Commands(d.in.Commands()).Has); ok {
		order := d.nextOrder(now)
		err = d.command(r, bot.Invocation{Name: name, Args: args, Thread: t, User: u, ID: m.ID, Order: order, At: now, Before: bot.Bound{Order: order, At: now}})
	} else {
		err = d.in.Message(r.Context(), bot.Message{
			ID: m.ID, Order: d.nextOrder(now), Thread: t, User: u, Reach: bot.ReachDirect, Text: m.Text, Files: d.handed(t, m), At: now,
		})
	}
	if err != nil {
		d.show(r.Context(), t, item{ID: m.ID, Gone: true})
	}
	return m.ID, err
}

func (d *door) apiWithdraw(w http.ResponseWriter, r *http.Request) {
	t, err := d.threadOf(r)
	id := r.PathValue("message")
	if err == nil {
		err = d.in.Change(r.Context(), bot.Change{
			Thread: t, Message: id, Deleted: true, User: visitOf(r).user(), At: d.cfg.Now(),
		})
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(r.Context(), t, item{ID: id, Gone: true})
	w.WriteHeader(http.StatusNoContent)
}

func (d *door) apiStop(w http.ResponseWriter, r *http.Request) {
	t, err := d.threadOf(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	now := d.cfg.Now()
	stopped, err := d.desk.Stop(r.Context(), t.Key(), bot.Bound{Order: d.nextOrder(now), At: now})
	if err != nil {
		d.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, map[string]bool{"stopped": stopped})
}
