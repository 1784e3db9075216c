package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"maru/agent/tool"
)

// Pin is an accepted tool: as it was first seen, or as an admin last saw it.
type Pin struct {
	Hash        string `json:"hash"`
	Description string `json:"description"` // its beginning, to show what changed

	Tool json.RawMessage `json:"tool,omitempty"` // of a personal server: the tool as the server described it
}

// shown is how much of a description is kept to show a change, in bytes.
const shown = 300

// noteKey is the note under which a server's pins are kept.
func (s *server) noteKey() string { return "mcp/pins/" + s.cfg.Name }

// pins reads what was accepted, by the tools' names at the server.
func (s *server) pins(ctx context.Context) (map[string]Pin, error) {
	if s.cfg.Review {
		return s.cfg.Accept, nil
	}
	text, err := s.pool.cfg.Notes.Note(ctx, s.noteKey())
	if err != nil {
		return nil, fmt.Errorf("read which tools were accepted: %w", err)
	}
	pins := map[string]Pin{}
	if text == "" {
		return pins, nil
	}
	if err := json.Unmarshal([]byte(text), &pins); err != nil {
		return nil, fmt.Errorf("read which tools were accepted, note %s: %w", s.noteKey(), err)
	}
	return pins, nil
}

// keep writes what is accepted.
func (s *server) keep(ctx context.Context, pins map[string]Pin) error {
	text, err := json.Marshal(pins)
	if err == nil {
		err = s.pool.cfg.Notes.SetNote(ctx, s.noteKey(), string(text))
	}
	if err != nil {
		return fmt.Errorf("write which tools are accepted: %w", err)
	}
	return nil
}

// sift parts what a server offers into tools that are as they were accepted, or
// are new and so accepted (of a server without review), and those that changed. A pin outlives its tool: one that
// goes and comes back different has changed.
func (s *server) sift(ctx context.Context, offers map[string]offer) (good, changed map[string]offer, was map[string]Pin, err error) {
	s.pool.pinning.Lock()
	defer s.pool.pinning.Unlock()
	pins, err := s.pins(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	good, changed = map[string]offer{}, map[string]offer{}
	fresh := false
	for name, o := range offers {
		p, known := pins[o.remote]
		switch {
		case !known && !s.cfg.Review && len(pins) < maxPins:
			pins[o.remote], fresh = o.pin(), true
			good[name] = o
		case known && p.Hash == o.hash:
			good[name] = o
		default:
			changed[name] = o
		}
	}
	if fresh {
		err = s.keep(ctx, pins)
	}
	return good, changed, pins, err
}

// maxPins bounds what one server can make us remember; then a new tool waits like
// a changed one.
const maxPins = 2 * maxTools

func (o offer) pin() Pin {
	return Pin{Hash: o.hash, Description: tool.Bound(o.spec.Description, shown)}
}

// accept pins a changed tool as it was shown and offers it.
func (s *server) accept(ctx context.Context, name string, o offer) error {
	if err := s.repin(ctx, o); err != nil {
		return err
	}
	s.applying.Lock()
	defer s.applying.Unlock()
	if now, still := s.waiting(name); !still || now.hash != o.hash {
		return nil // it changed again, or went: the pin is for what was shown
	}
	if err := s.pool.cfg.Registry.Add(newRemote(s, o)); err != nil {
		return err
	}
	if s.pool.cfg.Finder != nil {
		s.pool.cfg.Finder.Add(o.spec) // its vector comes with the next look
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.changed, name)
	s.offered[name] = o
	return nil
}

func (s *server) repin(ctx context.Context, o offer) error {
	s.pool.pinning.Lock()
	defer s.pool.pinning.Unlock()
	pins, err := s.pins(ctx)
	if err != nil {
		return err
	}
	pins[o.remote] = o.pin()
	return s.keep(ctx, pins)
}
