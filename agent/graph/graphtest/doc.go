// Package graphtest has the suites that implementations of agent/graph's
// interfaces must pass: [RunCheckpointer] for the log by itself, [RunEngine]
// for the engine on that log, [RunHot] for a shared copy, [Processes] for
// processes that are killed or race, and [BenchCheckpointer] to measure. It
// knows no store.
//
// A suite opens the store once and gives every case a thread of its own, so
// that cases may run side by side on one database.
package graphtest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"maru/agent/graph"
)

// Fencer is implemented by checkpointers with fencing tokens: after RaiseFence the thread rejects writers with an
// older token.
type Fencer interface {
	RaiseFence(ctx context.Context, thread string, fence int64) error
}

// threadName returns a name that no other case uses.
func threadName(tb testing.TB) string {
	tb.Helper()
	name := tb.Name()
	return name[strings.LastIndexByte(name, '/')+1:] + "-" + rand.Text()[:10]
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 123456000, time.UTC)

// rec makes a record for the checkpointer's cases.
func rec(thread, ns string, seq int64, kind graph.RecordKind) graph.Record {
	return graph.Record{
		Thread: thread, NS: ns, Seq: seq, Kind: kind, Step: int(seq), Turn: "turn-1", Plan: "0123456789abcdef",
		At: noon.Add(time.Duration(seq) * time.Second), Body: json.RawMessage(`{"n":["a"]}`),
	}
}

// steps makes records from..to; those in snaps are snapshots.
func steps(thread, ns string, from, to int64, snaps ...int64) []graph.Record {
	var out []graph.Record
	for seq := from; seq <= to; seq++ {
		kind := graph.RecordStep
		for _, s := range snaps {
			if s == seq {
				kind = graph.RecordSnapshot
			}
		}
		out = append(out, rec(thread, ns, seq, kind))
	}
	return out
}

func seqs(records []graph.Record) []int64 {
	out := []int64{}
	for _, r := range records {
		out = append(out, r.Seq)
	}
	return out
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
