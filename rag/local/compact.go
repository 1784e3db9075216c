package local

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"
)

const (
	fanIn       = 8       // segments of one size that are merged into one
	inlineMax   = 1024    // passages that a Put merges synchronously, a few milliseconds
	flushAt     = 4096    // passages in the log at which it is flushed
	flushBytes  = 8 << 20 // bytes of log at which it is flushed
	rewriteDead = 4       // a segment with this share of deleted passages is rewritten
)

func workers(n int) int { return max(1, min(n, runtime.GOMAXPROCS(0))) }

// tier returns the size class of a segment.
func tier(chunks int) int {
	t := 0
	for n := chunks; n >= fanIn; n /= fanIn {
		t++
	}
	return t
}

// mergeSmall merges runs of small, newest segments in memory, so that a thousand Puts of one passage do not leave a
// thousand segments. Its cost per passage is a few merges of [inlineMax]. The caller holds mu.
func (x *Index) mergeSmall() {
	for {
		views := x.snap.Load().views
		at, total := len(views), 0
		for at > 0 && len(views)-at < fanIn {
			v := views[at-1]
			if v.seg.fileName != "" || x.isBusy(v) || total+v.seg.chunks > inlineMax || tier(v.seg.chunks) > tier(views[len(views)-1].seg.chunks) {
				break
			}
			total += v.seg.chunks
			at--
		}
		if len(views)-at < fanIn {
			return
		}
		seg, err := openSegment(mergeSegments(views[at:]), nil)
		if err != nil {
			x.log.Error("index: not merged", "err", err)
			return
		}
		x.attach(seg)
		x.swap(views[at:], seg, nil)
	}
}

func (x *Index) isBusy(v *view) bool {
	return slices.ContainsFunc(x.busy, func(b *view) bool { return b.seg == v.seg })
}

// swap publishes seg in place of its source group. Deletions during the merge are found by comparing with before, the
// merged views (nil: none possible). The caller holds mu.
func (x *Index) swap(group []*view, seg *segment, before []*view) {
	old := x.snap.Load().views
	nv := &view{seg: seg}
	var dead []int
	for i, b := range before {
		for d := range b.seg.docs {
			if group[i].deadDoc(d) && !b.deadDoc(d) {
				r, _ := seg.scope(b.scopeOf(d))
				if at, ok := seg.find(r, b.seg.docID(d)); ok {
					dead = append(dead, at)
				}
			}
		}
	}
	if len(dead) > 0 {
		nv = nv.kill(dead...)
	}
	for d := range seg.docs {
		if !nv.deadDoc(d) {
			x.live[seg.docID(d)] = place{seg, d}
		}
	}
	var views []*view
	placed := seg.docs == 0
	for _, v := range old {
		if !slices.Contains(group, v) {
			views = append(views, v)
			continue
		}
		if !placed {
			views, placed = append(views, nv), true
		}
	}
	x.publish(views)
}

// compactLoop runs flushes and large merges in the background until ctx ends.
func (x *Index) compactLoop(ctx context.Context) {
	var purge <-chan time.Time // nil: no removal to purge
	for {
		if purge == nil && x.purgeDue() {
			purge = time.After(purgeAfter)
		}
		select {
		case <-ctx.Done():
			return
		case <-purge:
			purge = nil
			if err := x.purge(ctx); err != nil {
				x.log.Error("index: purge of removed text failed, will retry", "err", err)
			}
		case <-x.wake:
		}
		for ctx.Err() == nil {
			again, err := x.compactOnce()
			if err != nil {
				// The old segments and the log are intact; the next change retries.
				x.log.Error("index: not compacted", "err", err)
				break
			}
			if !again {
				break
			}
		}
	}
}

// compactOnce flushes the log or merges one group, if either is due.
func (x *Index) compactOnce() (bool, error) {
	return x.compact(func(views []*view) ([]*view, bool) {
		if x.disk != nil {
			if group, flush := x.dueFlush(views); flush {
				return group, true
			}
		}
		return dueMerge(views, x.disk != nil), false
	})
}

// compact merges the group returned by choose, called under mu: with flush all live segments of the log, which is
// then rotated. It reports whether there was one.
func (x *Index) compact(choose func(views []*view) (group []*view, flush bool)) (bool, error) {
	x.merging.Lock()
	defer x.merging.Unlock()
	x.mu.Lock()
	group, flush := choose(x.snap.Load().views)
	if len(group) == 0 && !flush {
		x.mu.Unlock()
		return false, nil
	}
	if flush {
		if err := x.disk.rotate(); err != nil {
			x.mu.Unlock()
			return false, err
		}
	}
	x.busy = group
	name := ""
	if x.disk != nil {
		name = x.disk.nextName("seg")
	}
	x.mu.Unlock()
	return true, x.replace(group, name, flush)
}

// replace merges group and publishes the result, in a file if the index has a folder.
func (x *Index) replace(group []*view, name string, flush bool) error {
	seg, err := x.openMerged(name, mergeSegments(group))
	if err == nil {
		x.attach(seg)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.busy = nil
	if err != nil {
		return fmt.Errorf("merge %d segments: %w", len(group), err)
	}
	now := make([]*view, 0, len(group))
	for _, g := range group {
		for _, v := range x.snap.Load().views {
			if v.seg == g.seg {
				now = append(now, v)
			}
		}
	}
	x.swap(now, seg, group)
	x.nudge() // vectors embedded since attach are missing from the new segment
	if x.disk == nil {
		return nil
	}
	if flush {
		x.disk.dropRotated()
	}
	if err := x.disk.commit(x.snap.Load().views); err != nil {
		return err
	}
	return x.disk.sweep(".seg", ".log")
}

// openMerged opens a merged segment: from a mapped file, or in memory.
func (x *Index) openMerged(name string, data []byte) (*segment, error) {
	if x.disk == nil {
		return openSegment(data, nil)
	}
	return x.disk.writeSegment(name, data)
}

// dueFlush returns the log's segments if they are due for a file.
func (x *Index) dueFlush(views []*view) (group []*view, due bool) {
	group, _ = inLog(views)
	chunks := 0
	for _, v := range group {
		chunks += v.seg.chunks
	}
	return group, len(group) > 0 && (chunks >= flushAt || x.disk.log.size >= flushBytes)
}

// dueMerge returns a group worth merging: enough segments of one size, or one with many deletions.
func dueMerge(views []*view, files bool) []*view {
	byTier := map[int][]*view{}
	for _, v := range views {
		if files && v.seg.fileName == "" {
			continue
		}
		if v.deadCount*rewriteDead > v.seg.chunks || v.nDead == v.seg.docs {
			return []*view{v}
		}
		t := tier(v.seg.chunks)
		if byTier[t] = append(byTier[t], v); len(byTier[t]) >= fanIn {
			return byTier[t]
		}
	}
	return nil
}
