package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"maru/bot"
)

// Event names of the stream of a run.
const (
	runStart  = "START"
	runStatus = "STATUS"
	runToken  = "TOKEN"
	runInput  = "HUMAN_INPUT_REQUIRED"
	runEnd    = "END"
)

// apiFollow streams a run: START, STATUS (activity and plan), TOKEN (the next piece of the
// answer; reset restarts the answer), then HUMAN_INPUT_REQUIRED for each open question, and
// END. An event's ID is the client's position; a client that sends the last one back gets
// every token exactly once.
func (d *door) apiFollow(w http.ResponseWriter, r *http.Request) {
	run := r.PathValue("run")
	if !idForm.MatchString(run) {
		d.fail(w, r, refusal{http.StatusNotFound, "not_found"})
		return
	}
	if !d.streams.enter() {
		d.refuse(w, r, refusal{http.StatusServiceUnavailable, "gone_offline"})
		return
	}
	defer d.streams.leave()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	s := &follower{stream: stream{d: d, w: w, r: r}, asked: map[string]bool{}}
	s.from(r)
	var beat sync.WaitGroup
	beat.Go(func() { s.beat(ctx, cancel) })
	defer beat.Wait()
	defer cancel()
	v := visitOf(r)
	err := d.desk.Follow(ctx, v.place(d), v.user(), run, s.show)
	if err != nil && !s.begun && !errors.Is(err, context.Canceled) {
		d.fail(w, r, err)
	}
}

// follower is one reader of a run.
type follower struct {
	stream

	mu     sync.Mutex // guards all writes
	begun  bool
	life   string // run attempt known to the reader
	reset  int
	sent   int // bytes of the text
	status string
	plan   string
	asked  map[string]bool
}

// from restores the reader's position: "life.reset.sent".
func (s *follower) from(r *http.Request) {
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		id = r.FormValue("after")
	}
	p := strings.Split(id, ".")
	if len(p) != 3 {
		return
	}
	reset, err1 := strconv.Atoi(p[1])
	sent, err2 := strconv.Atoi(p[2])
	if err1 == nil && err2 == nil && reset >= 0 && sent >= 0 {
		s.life, s.reset, s.sent = p[0], reset, sent
	}
}

// beat sends keep-alives, and ends the connection at shutdown.
func (s *follower) beat(ctx context.Context, cancel context.CancelFunc) {
	tick := time.NewTicker(s.d.cfg.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.d.streams.closing:
			cancel()
			return
		case <-tick.C:
			s.mu.Lock()
			if d := (entrance{s.d}); d.lost(ctx, s.r) || s.begun && s.write([]byte(": here\n\n")) != nil {
				cancel()
			}
			s.mu.Unlock()
		}
	}
}

// show sends the changes of a run.
func (s *follower) show(f bot.Feed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.begun = true
		s.open()
		if err := s.tell(runStart, map[string]any{"run": f.Run, "thread": f.Thread}); err != nil {
			return err
		}
	}
	if err := s.text(f); err != nil {
		return err
	}
	if err := s.doing(f); err != nil {
		return err
	}
	for _, a := range f.Asks {
		if s.asked[a.Approval] {
			continue
		}
		s.asked[a.Approval] = true
		if err := s.tell(runInput, a); err != nil {
			return err
		}
	}
	if f.Ended == "" {
		return nil
	}
	return s.tell(runEnd, map[string]any{"run": f.Run, "outcome": f.Ended, "card": f.Final})
}

// text sends the part of the answer that the reader lacks. Another attempt of the run, or a
// restarted answer, begins with a reset; END has the final text, so a finished run sends
// none.
func (s *follower) text(f bot.Feed) error {
	if f.Ended != "" || f.Life == recordLife {
		return nil
	}
	if s.life != f.Life || s.reset != f.Reset || s.sent > len(f.Text) {
		again := s.sent > 0
		s.life, s.reset, s.sent = f.Life, f.Reset, 0
		if again {
			if err := s.tell(runToken, map[string]any{"text": "", "reset": true}); err != nil {
				return err
			}
		}
	}
	if len(f.Text) <= s.sent {
		return nil
	}
	piece := f.Text[s.sent:]
	s.sent = len(f.Text)
	return s.tell(runToken, map[string]any{"text": piece})
}

// recordLife is the attempt of a run that is not active: its text is unknown.
const recordLife = "record"

// doing sends the run's activity if it changed.
func (s *follower) doing(f bot.Feed) error {
	plan, err := json.Marshal(f.Plan)
	if err != nil {
		return err
	}
	if f.Status == s.status && (len(f.Plan.Steps) == 0 || string(plan) == s.plan) {
		return nil
	}
	s.status, s.plan = f.Status, string(plan)
	data := map[string]any{"status": f.Status}
	if len(f.Plan.Steps) > 0 {
		data["plan"] = f.Plan
	}
	return s.tell(runStatus, data)
}

// tell sends one event.
func (s *follower) tell(event string, v any) error {
	data, err := json.Marshal(v) // a single line: JSON escapes line breaks
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\nid: %s.%d.%d\ndata: %s\n\n", event, s.life, s.reset, s.sent, data)
	return s.write(b.Bytes())
}
