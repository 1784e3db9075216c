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

// noteKey returns the note under which a server's pins are kept.
func (s *server) noteKey() string { return "mcp/pins/" + s.cfg.Name }

// amend lets change edit the stored pins, by the tools' names at the server, stores them, and returns them. It calls
// change again if another process changed the pins in between, as [maru/bot/shared.Amend] does, which this ring must
// not import.
func (s *server) amend(ctx context.Context, change func(pins map[string]Pin) (changed bool)) (map[string]Pin, error) {
	for {
		text, err := s.pool.cfg.Notes.Note(ctx, s.noteKey())
		if err != nil {
			return nil, fmt.Errorf("read which tools were accepted: %w", err)
		}
		pins := map[string]Pin{}
		if text != "" {
			if err := json.Unmarshal([]byte(text), &pins); err != nil {
				return nil, fmt.Errorf("read which tools were accepted, note %s: %w", s.noteKey(), err)
			}
		}
		if !change(pins) {
			return pins, nil
		}
		raw, err := json.Marshal(pins)
		if err != nil {
			return nil, fmt.Errorf("encode which tools are accepted: %w", err)
		}
		if done, err := s.pool.cfg.Notes.SwapNote(ctx, s.noteKey(), text, string(raw)); err != nil {
			return nil, fmt.Errorf("write which tools are accepted: %w", err)
		} else if done {
			return pins, nil
		}
	}
}

// sift splits the offers of a server into good ones, which match their pins or are new and thereby accepted (without
// review), and changed ones. A pin outlives its tool: one that comes back different has changed.
func (s *server) sift(ctx context.Context, offers map[string]offer) (good, changed map[string]offer, was map[string]Pin, err error) {
	pins := s.cfg.Accept
	if !s.cfg.Review {
		pins, err = s.amend(ctx, func(pins map[string]Pin) (fresh bool) {
			for _, o := range offers {
				if _, known := pins[o.remote]; !known && len(pins) < maxPins {
					pins[o.remote], fresh = o.pin(), true
				}
			}
			return fresh
		})
		if err != nil {
			return nil, nil, nil, err
		}
	}
	good, changed = map[string]offer{}, map[string]offer{}
	for name, o := range offers {
		if p, known := pins[o.remote]; known && p.Hash == o.hash {
			good[name] = o
		} else {
			changed[name] = o
		}
	}
	return good, changed, pins, nil
}

// maxPins bounds the pins of one server; beyond it a new tool waits for acceptance like a changed one.
const maxPins = 2 * maxTools

func (o offer) pin() Pin {
	return Pin{Hash: o.hash, Description: tool.Bound(o.spec.Description, shown)}
}

// accept pins a changed tool as it was shown and offers it.
func (s *server) accept(ctx context.Context, name string, o offer) error {
	if _, err := s.amend(ctx, func(pins map[string]Pin) bool { pins[o.remote] = o.pin(); return true }); err != nil {
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
