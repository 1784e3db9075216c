package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"maru/agent/graph"
)

var _ graph.Hot = (*hot)(nil)

// hot is the live state of threads: one hash a thread, a field a channel, and
// "@seq" for the checkpoint that it belongs to.
type hot struct {
	s   *Store
	put *redis.Script
}

// Hot returns the live state of threads.
func (s *Store) Hot() graph.Hot { return s.hot }

// Get implements graph.Hot.
func (h *hot) Get(ctx context.Context, thread string) (map[string]json.RawMessage, int64, bool, error) {
	var fields map[string]string
	err := h.s.guard.do(ctx, func(ctx context.Context) (err error) {
		fields, err = h.s.client.HGetAll(ctx, h.s.keys.hot(thread)).Result()
		return err
	})
	if err != nil {
		return nil, 0, false, fmt.Errorf("redisstore: get state: %w", err)
	}
	seq, err := strconv.ParseInt(fields["@seq"], 10, 64)
	if err != nil { // nothing there, or not ours
		return nil, 0, false, nil
	}
	state := make(map[string]json.RawMessage, len(fields)-1)
	for name, value := range fields {
		if name != "@seq" {
			state[name] = json.RawMessage(value)
		}
	}
	return state, seq, true, nil
}

// Put implements graph.Hot.
func (h *hot) Put(ctx context.Context, thread string, from, seq int64, changed map[string]json.RawMessage, whole bool) error {
	args := make([]any, 0, 4+2*len(changed))
	mode := 0
	if whole {
		mode = 1
	}
	args = append(args, from, seq, mode, hotTTL.Milliseconds())
	for name, value := range changed {
		if value == nil {
			args = append(args, name, "-")
		} else {
			args = append(args, name, "="+string(value))
		}
	}
	var stored int
	err := h.s.guard.do(ctx, func(ctx context.Context) (err error) {
		stored, err = h.put.Run(ctx, h.s.client, []string{h.s.keys.hot(thread)}, args...).Int()
		return err
	})
	if err != nil {
		return fmt.Errorf("redisstore: put state: %w", err)
	}
	if stored == 0 {
		return fmt.Errorf("redisstore: put state: %w", graph.ErrConflict)
	}
	return nil
}

// Drop implements graph.Hot. A person who is to be forgotten waits for it, and what it leaves is theirs: it may take as
// long as any reply of Redis.
func (h *hot) Drop(ctx context.Context, thread string) error {
	err := h.s.guard.doWithin(ctx, replyTimeout, func(ctx context.Context) error { return h.s.client.Del(ctx, h.s.keys.hot(thread)).Err() })
	if err != nil {
		return fmt.Errorf("redisstore: drop state: %w", err)
	}
	return nil
}
