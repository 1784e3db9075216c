package sqlitestore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"maru/agent/graph"
)

// TestHeadsAreThoseOfTheFile: the kept ends of logs follow appends, refusals and deletions in any order, also of several writers whose
// operations share commits.
func TestHeadsAreThoseOfTheFile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := Open(ctx, Config{Path: filepath.Join(t.TempDir(), "maru.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	threads, spaces := []string{"slack/T1/C1/1", "slack/T1/C1/2", "slack/T1/C1/12"}, []string{"", "a", "a/b"}
	write := func(r *rand.Rand) error {
		thread, ns := threads[r.IntN(len(threads))], spaces[r.IntN(len(spaces))]
		log := thread + "#chat"
		head, err := s.Head(ctx, log, ns)
		if err != nil {
			return err
		}
		switch n := r.IntN(12); n {
		case 0:
			return s.Delete(ctx, log)
		case 1:
			return s.DropNamespace(ctx, log, "a")
		case 2:
			return s.Prune(ctx, log, ns, 1)
		case 3:
			return s.Forget(ctx, thread)
		default:
			list := make([]graph.Record, 1+r.IntN(11))
			for i := range list {
				list[i] = graph.Record{Thread: log, NS: ns, Seq: head + int64(i+r.IntN(9)/8) + 1, Kind: []graph.RecordKind{graph.RecordStep, "snapshot"}[r.IntN(2)]}
			}
			_ = s.Append(ctx, int64(r.IntN(3)), list...) // others may have been first, and some have gaps or old tokens
			return nil
		}
	}
	for round := range 40 {
		var all sync.WaitGroup
		failed := make([]error, 4)
		for i := range failed {
			all.Go(func() {
				r := rand.New(rand.NewPCG(uint64(round), uint64(i)))
				for range 5 {
					failed[i] = errors.Join(failed[i], write(r))
				}
			})
		}
		all.Wait()
		if err := errors.Join(failed...); err != nil {
			t.Fatal(err)
		}
		for _, thread := range threads {
			for _, ns := range spaces {
				head, err := s.Head(ctx, thread+"#chat", ns)
				if err != nil {
					t.Fatal(err)
				}
				records, err := s.History(ctx, thread+"#chat", ns, 0, 1<<40, 0)
				if err != nil {
					t.Fatal(err)
				}
				var want int64
				if len(records) > 0 {
					want = records[len(records)-1].Seq
				}
				if head != want {
					t.Fatalf("round %d: the head of %s %q is %d, the file's %d", round, thread, ns, head, want)
				}
			}
		}
	}
	// Of what this process has written the file is not asked.
	for i := range mostHeads + 10 {
		log := fmt.Sprint("log", i)
		if err := s.Append(ctx, 0, graph.Record{Thread: log, Seq: 1, Kind: graph.RecordStep}); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.write.heads.get(logName{thread: log}); !ok {
			t.Fatalf("the end of %s is not kept", log)
		}
	}
	if n := len(s.write.heads.of); n > mostHeads {
		t.Errorf("%d ends are kept", n)
	}
}
