package graph

import (
	"context"
	"sync"
	"sync/atomic"
)

// fan runs several tasks side by side, at most Parallel at once. While some
// still run, the work of those that finished is committed, so that a crash
// does not lose it. After an error no further task starts, but those that run
// may finish: their work is kept too.
func (x *run) fan(ctx context.Context, todo []int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := min(len(todo), x.plan.options.Parallel)
	var (
		wg       sync.WaitGroup
		taken    atomic.Int64
		stop     atomic.Bool
		finished = make(chan int, len(todo)+workers)
	)
	for range workers {
		wg.Go(func() {
			defer func() { finished <- -1 }()
			for !stop.Load() {
				k := int(taken.Add(1)) - 1
				if k >= len(todo) {
					return
				}
				i := todo[k]
				x.outs[i] = x.exec(ctx, i)
				if x.outs[i].err != nil {
					stop.Store(true)
				}
				finished <- i
			}
		})
	}
	err := x.collect(ctx, cancel, finished, workers)
	wg.Wait()
	return err
}

// collect takes what the workers finished, in batches, until all are gone.
func (x *run) collect(ctx context.Context, cancel func(), finished <-chan int, workers int) error {
	var (
		batch []int
		err   error
	)
	take := func(i int) {
		if i < 0 {
			workers--
		} else {
			batch = append(batch, i)
		}
	}
	for workers > 0 {
		batch = batch[:0]
		take(<-finished)
		for more := true; more && workers > 0; {
			select {
			case i := <-finished:
				take(i)
			default:
				more = false
			}
		}
		if err == nil && workers > 0 && x.rt.log != nil && x.plan.options.Durability == Sync {
			if err = x.keep(ctx, batch); err != nil {
				cancel()
			}
		}
	}
	return err
}
