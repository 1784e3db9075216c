package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/content"
)

// Limits of uploaded pictures and recordings before their message's run.
const (
	maxHeld  = 128 << 20 // bytes of all
	heldTime = 24 * time.Hour
)

// held stores the pictures and recordings of messages in memory: the model sees them, but they are not documents.
// The oldest are evicted; a run that needs one later reports it missing.
type held struct {
	mu    sync.Mutex
	files []heldFile // the oldest first
	bytes int
}

type heldFile struct {
	bot.File
	thread bot.Thread
	at     time.Time
	data   []byte
}

func (h *held) put(f heldFile) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files = append(h.files, f)
	h.bytes += len(f.data)
	for len(h.files) > 1 && (h.bytes > maxHeld || f.at.Sub(h.files[0].at) > heldTime) {
		h.drop(0)
	}
}

func (h *held) drop(i int) {
	h.bytes -= len(h.files[i].data)
	h.files = slices.Delete(h.files, i, i+1)
}

func (h *held) get(id string) (heldFile, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.files, func(f heldFile) bool { return f.ID == id })
	if i < 0 {
		return heldFile{}, false
	}
	return h.files[i], true
}

// forget drops the files of a deleted thread.
func (h *held) forget(t bot.Thread) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := len(h.files) - 1; i >= 0; i-- {
		if h.files[i].thread.Key() == t.Key() {
			h.drop(i)
		}
	}
}

// shows reports whether an upload goes with a message to the model instead of to the documents.
func (d *door) shows(t bot.Thread, up bot.Upload) bool {
	switch content.KindOf(up.Name, up.MIME) {
	case content.Image:
		return d.cfg.Sees && t.ID != ""
	case content.Recording:
		return d.cfg.Hears && t.ID != ""
	}
	return false
}

// hold stores an upload for its message.
func (d *door) hold(w http.ResponseWriter, r *http.Request, t bot.Thread, up bot.Upload) {
	data, err := io.ReadAll(io.LimitReader(up.Body, d.cfg.MaxUpload+1))
	if err == nil && int64(len(data)) > d.cfg.MaxUpload {
		err = bot.ErrTooLarge
	}
	if err != nil {
		d.failUpload(w, r, up.Name, fmt.Errorf("read upload: %w", err))
		return
	}
	f := heldFile{
		File:   bot.File{ID: "held-" + d.newID() + d.newID(), Name: up.Name, MIME: up.MIME, Size: int64(len(data))},
		thread: t, at: d.cfg.Now(), data: data,
	}
	d.held.put(f)
	reply(w, http.StatusCreated, bot.DocumentInfo{ID: f.ID, Title: f.Name, Name: f.Name, MIME: f.MIME, Size: f.Size, Added: f.at})
}

// Fetch implements [bot.Fetcher] for the files that are held.
func (a *Adapter) Fetch(_ context.Context, f bot.File, limit int64) (io.ReadCloser, error) {
	h, ok := a.held.get(f.ID)
	switch {
	case !ok:
		return nil, &bot.DeliveryError{Op: "fetch", Code: "not_held", Err: bot.ErrGone}
	case limit > 0 && h.Size > limit:
		return nil, bot.ErrTooLarge
	}
	return io.NopCloser(bytes.NewReader(h.data)), nil
}
