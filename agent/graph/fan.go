package graph

import (
	"context"
	"runtime"
	"sync"
)

// fan runs several tasks side by side, at most Parallel at once. While some
// still run, the work of those that finished is committed, so that a crash
// does not lose it. After an error no further task starts, but those that run
// may finish: their work is kept too.
func (x *run) fan(ctx context.Context, todo []int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := min(len(todo), x.plan.options.Parallel)
	f := &fanned{x: x, q: x.queue(todo), tasks: make([]task, len(x.head.next)), finished: make(chan int, len(todo)+workers)}
	f.wg.Add(workers)
	for range workers {
		go f.work(ctx)
	}
	err := x.collect(ctx, cancel, f.finished, workers)
	f.wg.Wait()
	return err
}

// fanned is the shared state of a super-step's workers.
type fanned struct {
	x        *run
	q        *queue
	tasks    []task // room for the first attempt of each task
	finished chan int
	wg       sync.WaitGroup
}

func (f *fanned) work(ctx context.Context) {
	defer f.wg.Done()
	defer func() { f.finished <- -1 }()
	for {
		i, l := f.q.take()
		if l == nil {
			return
		}
		f.x.outs[i] = f.x.exec(ctx, i, &f.tasks[i])
		f.q.done(l, f.x.outs[i].err != nil)
		f.finished <- i
	}
}

// queue hands out the tasks of a super-step in their order, as far as the caps
// of their nodes allow.
type queue struct {
	mu    sync.Mutex
	free  sync.Cond // a task ended: a lane may have room
	stop  bool
	lanes []lane
}

// lane has the tasks of nodes with the same cap: one node, or all without one.
type lane struct {
	node    int
	limit   int
	running int
	todo    []int
}

func (x *run) queue(todo []int) *queue {
	q := &queue{}
	q.free.L = &q.mu
	for k, i := range todo {
		n := x.plan.nodes[x.head.next[i].node]
		node, limit := n.index, n.policy.Parallel
		if limit == 0 {
			node, limit = 0, len(todo)
		}
		l := 0
		for l < len(q.lanes) && q.lanes[l].node != node {
			l++
		}
		if l == len(q.lanes) {
			q.lanes = append(q.lanes, lane{node: node, limit: limit, todo: make([]int, 0, len(todo)-k)})
		}
		q.lanes[l].todo = append(q.lanes[l].todo, i)
	}
	return q
}

// take waits for a task that may run. It returns no lane when there is none
// left, or after an error.
func (q *queue) take() (int, *lane) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stop {
		var best *lane
		left := false
		for k := range q.lanes {
			l := &q.lanes[k]
			left = left || len(l.todo) > 0
			if len(l.todo) > 0 && l.running < l.limit && (best == nil || l.todo[0] < best.todo[0]) {
				best = l
			}
		}
		if best != nil {
			i := best.todo[0]
			best.todo = best.todo[1:]
			best.running++
			return i, best
		}
		if !left {
			break
		}
		q.free.Wait()
	}
	return 0, nil
}

func (q *queue) done(l *lane, stop bool) {
	q.mu.Lock()
	l.running--
	q.stop = q.stop || stop
	q.mu.Unlock()
	q.free.Broadcast()
}

// collect receives finished tasks in batches until all workers exit.
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
		runtime.Gosched() // tasks that are about to end need no record of their own
		for more := true; more && workers > 0; {
			select {
			case i := <-finished:
				take(i)
			default:
				more = false
			}
		}
		if err == nil && workers > 0 && x.rt.log != nil && len(batch) > 0 && x.durability(batch) != AtExit {
			if err = x.keep(ctx, batch); err != nil {
				cancel()
			}
		}
	}
	return err
}
