package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"maru/bot"
)

// patience bounds one write to a stream. A slower reader is disconnected; it reconnects and
// catches up.
const patience = 10 * time.Second

// apiEvents streams a thread's changes: "line" with a message's newest state, "sync" with the whole thread if
// single changes are no longer available, "here" as a keep-alive. An event's ID is its revision; a client that
// sends the last one back misses nothing, also across a restart.
func (d *door) apiEvents(w http.ResponseWriter, r *http.Request) {
	t, err := d.threadOf(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if !d.streams.enter() {
		d.refuse(w, r, refusal{http.StatusServiceUnavailable, "gone_offline"})
		return
	}
	defer d.streams.leave()
	wake, leave := d.hub.watch(t)
	defer leave()
	s := &stream{d: d, w: w, r: r, thread: t, html: r.FormValue("view") == "html"}
	s.epoch, s.rev = revisionOf(r)
	s.open()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	far := d.shared(ctx, t)
	beat := time.NewTicker(d.cfg.Heartbeat)
	defer beat.Stop()
	for {
		if (entrance{d}).lost(ctx, r) || s.catchUp() != nil {
			return
		}
		select {
		case <-wake:
		case raw, ok := <-far:
			if !ok {
				far = nil // local changes are still sent
				continue
			}
			d.takeShared(t, raw)
		case <-beat.C:
			if s.here() != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-d.streams.closing:
			return
		}
	}
}

// stream is one reader of a thread.
type stream struct {
	d      *door
	w      http.ResponseWriter
	r      *http.Request
	thread bot.Thread
	html   bool
	epoch  string
	rev    uint64
}

func (s *stream) open() {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no") // keeps proxies from buffering events
	s.w.WriteHeader(http.StatusOK)
	_ = s.write([]byte("retry: 1000\n\n")) // a later write reports the error
}

// here sends a sign of life that, unlike a comment, reaches the script: its absence reveals a
// silently broken connection.
func (s *stream) here() error { return s.write([]byte("event: here\ndata: \n\n")) }

// catchUp sends the changes since the last revision.
func (s *stream) catchUp() error {
	changed, now, ok := s.d.hub.since(s.thread, s.epoch, s.rev)
	if !ok {
		return s.sync()
	}
	for _, it := range changed {
		if err := s.send("line", it.Rev, s.show(lineOfItem(it))); err != nil {
			return err
		}
		s.rev = it.Rev
	}
	s.rev = max(s.rev, now)
	return nil
}

// sync sends the whole thread.
func (s *stream) sync() error {
	lines, rev, err := s.d.lines(s.r.Context(), s.thread, lastOf(s.r))
	if err != nil {
		if s.r.Context().Err() == nil {
			s.d.cfg.Log.ErrorContext(s.r.Context(), "console stream lost its thread", "thread", s.thread.Key(), "err", err)
		}
		return err // the reader reconnects
	}
	for i := range lines {
		lines[i] = s.show(lines[i])
	}
	s.epoch, s.rev = s.d.hub.epoch, rev
	return s.send("sync", rev, map[string]any{"lines": lines})
}

// show renders a line in the reader's format.
func (s *stream) show(l line) line {
	if !s.html {
		return l.worded()
	}
	return line{ID: l.ID, Gone: l.Gone, HTML: allPages().line(visitOf(s.r).Lang, s.thread.ID, l)}
}

func (s *stream) send(event string, rev uint64, v any) error {
	data, err := json.Marshal(v) // a single line: JSON escapes line breaks
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\nid: %s\ndata: %s\n\n", event, revision(s.d.hub.epoch, rev), data)
	return s.write(b.Bytes())
}

func (s *stream) write(p []byte) error {
	c := http.NewResponseController(s.w)
	_ = c.SetWriteDeadline(time.Now().Add(patience)) // not supported by a recorder in tests
	if _, err := s.w.Write(p); err != nil {
		return err
	}
	return c.Flush()
}

func revision(epoch string, rev uint64) string { return epoch + "-" + strconv.FormatUint(rev, 10) }

// revisionOf returns the client's last revision, from the browser or the query.
func revisionOf(r *http.Request) (epoch string, rev uint64) {
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		id = r.FormValue("after")
	}
	epoch, n, _ := strings.Cut(id, "-")
	rev, err := strconv.ParseUint(n, 10, 64)
	if err != nil {
		return "", 0
	}
	return epoch, rev
}
