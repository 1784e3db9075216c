package graph_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent/graph"
)

func TestRetryWaitsLongerEachTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		start := time.Now()
		plan, _ := one(t, graph.Policy{Retry: graph.Retry{Attempts: 5, Wait: time.Second, MaxWait: 3 * time.Second}},
			func(graph.List[string]) graph.Node {
				return func(context.Context, graph.State) ([]graph.Write, error) {
					at = append(at, time.Since(start))
					return nil, errors.New("no")
				}
			})
		_, err := graph.NewRuntime(graph.Config{}).Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"})
		var ne *graph.NodeError
		if !errors.As(err, &ne) || ne.Attempt != 5 {
			t.Fatalf("error %v, want the fifth attempt's", err)
		}
		for i, want := range []time.Duration{0, 1, 3, 6, 9} {
			if at[i] != want*time.Second {
				t.Errorf("attempt %d after %v, want %v", i+1, at[i], want*time.Second)
			}
		}
	})
}

func TestRetryStopsWithTheContextAndWhenItIsUseless(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		node := func(graph.List[string]) graph.Node {
			return func(context.Context, graph.State) ([]graph.Write, error) {
				runs++
				return nil, errors.New("no")
			}
		}
		plan, _ := one(t, graph.Policy{Retry: graph.Retry{Attempts: 9, Wait: time.Hour, MaxWait: time.Hour}}, node)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		rt := graph.NewRuntime(graph.Config{})
		if _, err := rt.Run(ctx, plan, graph.Call{Thread: "t", Turn: "1"}); err == nil || runs != 1 {
			t.Errorf("cancelled retry: %d runs, %v", runs, err)
		}
		runs = 0
		never := graph.Retry{Attempts: 9, If: func(error) bool { return false }}
		plan, _ = one(t, graph.Policy{Retry: never}, node)
		if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"}); err == nil || runs != 1 {
			t.Errorf("useless retry: %d runs, %v", runs, err)
		}
	})
}

func TestTimeoutOfANodeIsItsErrorNotTheRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		plan, log := one(t, graph.Policy{Timeout: time.Second, Retry: graph.Retry{Attempts: 2}},
			func(log graph.List[string]) graph.Node {
				first := true
				return func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
					if first {
						first = false
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return []graph.Write{log.Add("second attempt")}, nil
				}
			})
		res, err := graph.NewRuntime(graph.Config{}).Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"})
		if err != nil || len(log.Get(res.State)) != 1 {
			t.Fatalf("log %v, %v", log.Get(res.State), err)
		}
	})
}
