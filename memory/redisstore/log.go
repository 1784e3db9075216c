package redisstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"maru/agent/graph"
)

var (
	_ graph.Checkpointer     = (*Log)(nil)
	_ graph.NamespaceDropper = (*Log)(nil)
)

// Log keeps the logs of graphs in Redis: one hash a thread and namespace, a
// field a record. Records live as long as Redis keeps them: run it with its
// append-only file and without eviction, or use a record for them.
type Log struct{ s *Store }

// Log returns the logs of graphs.
func (s *Store) Log() *Log { return &Log{s} }

// header is a record but for its body, which follows it byte for byte.
type header struct {
	Kind graph.RecordKind `json:"kind"`
	Step int              `json:"step,omitempty"`
	Turn string           `json:"turn,omitempty"`
	Plan string           `json:"plan,omitempty"`
	At   int64            `json:"at,omitempty"` // nanoseconds
	None bool             `json:"none,omitempty"`
}

// encode writes a record as one line of JSON and the body.
func encode(r graph.Record) ([]byte, error) {
	h := header{Kind: r.Kind, Step: r.Step, Turn: r.Turn, Plan: r.Plan, None: r.Body == nil}
	if !r.At.IsZero() {
		h.At = r.At.UnixNano()
	}
	b, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return append(append(b, '\n'), r.Body...), nil
}

// decode reverses encode.
func decode(thread, ns, seq, data string) (graph.Record, error) {
	line, body, ok := bytes.Cut([]byte(data), []byte{'\n'})
	n, err := strconv.ParseInt(seq, 10, 64)
	if !ok || err != nil {
		return graph.Record{}, fmt.Errorf("record %q of %s is damaged", seq, thread)
	}
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return graph.Record{}, fmt.Errorf("record %d of %s is damaged: %w", n, thread, err)
	}
	r := graph.Record{Thread: thread, NS: ns, Seq: n, Kind: h.Kind, Step: h.Step, Turn: h.Turn, Plan: h.Plan}
	if h.At != 0 {
		r.At = time.Unix(0, h.At).UTC()
	}
	if !h.None {
		r.Body = body
	}
	return r, nil
}

// Append appends records to one log. It retries once after a lost reply; the script recognises the retry by its op.
func (l *Log) Append(ctx context.Context, fence int64, records ...graph.Record) error {
	if len(records) == 0 {
		return nil
	}
	first := records[0]
	args := []any{first.NS, fence, rand.Text(), first.Seq, int64(0)}
	for i, r := range records {
		if r.Thread != first.Thread || r.NS != first.NS || r.Seq != first.Seq+int64(i) {
			return fmt.Errorf("redisstore: append to %s: records are not consecutive in one log", first.Thread)
		}
		data, err := encode(r)
		if err != nil {
			return fmt.Errorf("redisstore: append to %s: %w", first.Thread, err)
		}
		if r.Kind == graph.RecordSnapshot {
			args[4] = r.Seq
		}
		args = append(args, data)
	}
	names := []string{l.s.keys.logs(first.Thread), l.s.keys.log(first.Thread, first.NS)}
	verdict, head, err := l.append(ctx, names, args)
	if err != nil && ctx.Err() == nil && unwell(err) {
		verdict, head, err = l.append(ctx, names, args)
	}
	switch {
	case err != nil:
	case verdict == "conflict":
		err = graph.ErrConflict
	case verdict == "fenced":
		err = graph.ErrFenced
	case verdict == "gap":
		err = fmt.Errorf("record %d would leave a gap after %d", first.Seq, head)
	}
	if err != nil {
		return fmt.Errorf("redisstore: append to %s: %w", first.Thread, err)
	}
	return nil
}

func (l *Log) append(ctx context.Context, names []string, args []any) (verdict string, head int64, err error) {
	out, err := l.s.logAppend.Run(ctx, l.s.client, names, args...).Slice()
	if err != nil {
		return "", 0, err
	}
	verdict, ok1 := out[0].(string)
	head, ok2 := out[1].(int64)
	if !ok1 || !ok2 {
		return "", 0, errors.New("the script answered something else")
	}
	return verdict, head, nil
}

// Load returns the newest snapshot and the records after it.
func (l *Log) Load(ctx context.Context, thread, ns string) ([]graph.Record, error) {
	list, err := l.between(ctx, thread, ns, span{})
	if err != nil {
		return nil, fmt.Errorf("redisstore: load %s: %w", thread, err)
	}
	return list, nil
}

// History returns a range of a log.
func (l *Log) History(ctx context.Context, thread, ns string, from, to int64, limit int) ([]graph.Record, error) {
	if to < 1 || from > to {
		return nil, nil
	}
	list, err := l.between(ctx, thread, ns, span{max(from, 1), to, max(limit, 0)})
	if err != nil {
		return nil, fmt.Errorf("redisstore: history of %s: %w", thread, err)
	}
	return list, nil
}

// span is a range of a log; 0 is the newest snapshot, the end, or no limit.
type span struct {
	from, to int64
	limit    int
}

// between reads a range.
func (l *Log) between(ctx context.Context, thread, ns string, s span) ([]graph.Record, error) {
	out, err := l.s.logRange.Run(ctx, l.s.client, []string{l.s.keys.log(thread, ns)}, s.from, s.to, s.limit).StringSlice()
	if err != nil {
		return nil, err
	}
	list := make([]graph.Record, 0, len(out)/2)
	for i := 0; i+1 < len(out); i += 2 {
		r, err := decode(thread, ns, out[i], out[i+1])
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// Head returns the Seq of the newest record.
func (l *Log) Head(ctx context.Context, thread, ns string) (int64, error) {
	n, err := l.s.client.HGet(ctx, l.s.keys.log(thread, ns), "@head").Int64()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("redisstore: head of %s: %w", thread, err)
	}
	return n, nil
}

// Prune removes the records below the newest snapshot, except the last keep records.
func (l *Log) Prune(ctx context.Context, thread, ns string, keep int) error {
	if err := l.s.logPrune.Run(ctx, l.s.client, []string{l.s.keys.log(thread, ns)}, max(keep, 0)).Err(); err != nil {
		return fmt.Errorf("redisstore: prune %s: %w", thread, err)
	}
	return nil
}

// Delete removes the logs of a thread. The index goes last, so that a Delete
// that was cut off is finished by the next one.
func (l *Log) Delete(ctx context.Context, thread string) error {
	index := l.s.keys.logs(thread)
	fields, err := l.s.client.HKeys(ctx, index).Result()
	if err != nil {
		return fmt.Errorf("redisstore: delete the logs of %s: %w", thread, err)
	}
	names := make([]string, 0, len(fields)+1)
	for _, f := range fields {
		if len(f) >= 3 && f[:3] == "ns:" {
			names = append(names, l.s.keys.log(thread, f[3:]))
		}
	}
	if err := l.s.client.Del(ctx, append(names, index)...).Err(); err != nil {
		return fmt.Errorf("redisstore: delete the logs of %s: %w", thread, err)
	}
	return nil
}

// DropNamespace removes the log of a namespace and of those below it. The index
// goes last, as in Delete.
func (l *Log) DropNamespace(ctx context.Context, thread, ns string) error {
	index := l.s.keys.logs(thread)
	fields, err := l.s.client.HKeys(ctx, index).Result()
	if err != nil {
		return fmt.Errorf("redisstore: drop a namespace of %s: %w", thread, err)
	}
	var names, listed []string
	for _, f := range fields {
		name, ok := strings.CutPrefix(f, "ns:")
		if ok && (name == ns || strings.HasPrefix(name, ns+"/")) {
			names, listed = append(names, l.s.keys.log(thread, name)), append(listed, f)
		}
	}
	if len(names) == 0 {
		return nil
	}
	if err := l.s.client.Del(ctx, names...).Err(); err != nil {
		return fmt.Errorf("redisstore: drop a namespace of %s: %w", thread, err)
	}
	if err := l.s.client.HDel(ctx, index, listed...).Err(); err != nil {
		return fmt.Errorf("redisstore: drop a namespace of %s: %w", thread, err)
	}
	return nil
}
