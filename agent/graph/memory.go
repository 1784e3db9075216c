package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Memory is a [Checkpointer] that lives and dies with the process.
type Memory struct {
	mu      sync.Mutex
	threads map[string]map[string][]Record
	fences  map[string]int64
}

var (
	_ Checkpointer     = (*Memory)(nil)
	_ NamespaceDropper = (*Memory)(nil)
)

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	return &Memory{threads: map[string]map[string][]Record{}, fences: map[string]int64{}}
}

// Append implements [Checkpointer]. It takes a fence it sees for the newest.
func (m *Memory) Append(ctx context.Context, fence int64, records ...Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(records) == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	thread, ns := records[0].Thread, records[0].NS
	if fence != 0 && fence < m.fences[thread] {
		return ErrFenced
	}
	log := m.threads[thread][ns]
	head := int64(0)
	if len(log) > 0 {
		head = log[len(log)-1].Seq
	}
	for i, r := range records {
		switch {
		case r.Thread != thread || r.NS != ns || r.Seq != records[0].Seq+int64(i):
			return fmt.Errorf("graph: records of one append must follow each other in one log: %q %q %d", r.Thread, r.NS, r.Seq)
		case r.Seq <= head:
			return ErrConflict
		case i == 0 && r.Seq != head+1:
			return fmt.Errorf("graph: append %d to thread %q would leave a gap after %d", r.Seq, thread, head)
		}
	}
	if m.threads[thread] == nil {
		m.threads[thread] = map[string][]Record{}
	}
	for _, r := range records {
		r.Body = bytes.Clone(r.Body)
		log = append(log, r)
	}
	m.threads[thread][ns] = log
	if fence > m.fences[thread] {
		m.fences[thread] = fence
	}
	return nil
}

// RaiseFence makes the thread refuse writers with an older fencing token.
func (m *Memory) RaiseFence(_ context.Context, thread string, fence int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fences[thread] = max(m.fences[thread], fence)
	return nil
}

func newestSnapshot(log []Record) int {
	for i := len(log) - 1; i > 0; i-- {
		if log[i].Kind == RecordSnapshot {
			return i
		}
	}
	return 0
}

// Load implements [Checkpointer].
func (m *Memory) Load(ctx context.Context, thread, ns string) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.threads[thread][ns]
	return slices.Clone(log[newestSnapshot(log):]), ctx.Err()
}

// Head implements [Checkpointer].
func (m *Memory) Head(ctx context.Context, thread, ns string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.threads[thread][ns]
	if len(log) == 0 {
		return 0, ctx.Err()
	}
	return log[len(log)-1].Seq, ctx.Err()
}

// History implements [Checkpointer].
//
//nolint:revive // argument-limit: the interface asks for six
func (m *Memory) History(ctx context.Context, thread, ns string, from, to int64, limit int) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Record
	for _, r := range m.threads[thread][ns] {
		if r.Seq >= from && r.Seq <= to && (limit <= 0 || len(out) < limit) {
			out = append(out, r)
		}
	}
	return out, ctx.Err()
}

// Prune implements [Checkpointer].
func (m *Memory) Prune(ctx context.Context, thread, ns string, keep int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.threads[thread][ns]
	if cut := newestSnapshot(log) - max(keep, 0); cut > 0 {
		m.threads[thread][ns] = slices.Clone(log[cut:])
	}
	return ctx.Err()
}

// DropNamespace implements [NamespaceDropper].
func (m *Memory) DropNamespace(ctx context.Context, thread, ns string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.threads[thread] {
		if name == ns || strings.HasPrefix(name, ns+"/") {
			delete(m.threads[thread], name)
		}
	}
	return ctx.Err()
}

// Delete implements [Checkpointer].
func (m *Memory) Delete(ctx context.Context, thread string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.threads, thread)
	delete(m.fences, thread)
	return ctx.Err()
}

// MemoryHot is a [Hot] that lives in the process, for tests and for runtimes
// that share one.
type MemoryHot struct {
	mu      sync.Mutex
	threads map[string]hotThread
}

type hotThread struct {
	seq   int64
	state map[string]json.RawMessage
}

var _ Hot = (*MemoryHot)(nil)

// NewMemoryHot returns an empty MemoryHot.
func NewMemoryHot() *MemoryHot { return &MemoryHot{threads: map[string]hotThread{}} }

// Get implements [Hot].
func (m *MemoryHot) Get(ctx context.Context, thread string) (map[string]json.RawMessage, int64, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.threads[thread]
	return maps.Clone(t.state), t.seq, ok, ctx.Err()
}

// Put implements [Hot].
//
//nolint:revive // argument-limit: the interface asks for six
func (m *MemoryHot) Put(
	ctx context.Context, thread string, from, seq int64, changed map[string]json.RawMessage, whole bool,
) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.threads[thread]
	if (ok && t.seq > seq) || (!whole && (!ok || t.seq != from)) {
		return ErrConflict
	}
	state := map[string]json.RawMessage{}
	if !whole {
		maps.Copy(state, t.state)
	}
	for k, v := range changed {
		if v == nil {
			delete(state, k)
		} else {
			state[k] = bytes.Clone(v)
		}
	}
	m.threads[thread] = hotThread{seq, state}
	return ctx.Err()
}

// Drop implements [Hot].
func (m *MemoryHot) Drop(ctx context.Context, thread string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.threads, thread)
	return ctx.Err()
}
