package local

import (
	"context"
	"slices"
	"time"
)

// purgeAfter bounds the time that a removed document's text stays on disk, rewriting excluded: later removals join
// the same rewrite.
const purgeAfter = time.Minute

// markStale records that text of a removed document may be on disk. An index in memory needs no purge. The caller holds
// mu, or is opening the index.
func (x *Index) markStale() {
	if x.disk != nil {
		x.removed = true
	}
}

// purgeDue reports whether text of a removed document may be on disk.
func (x *Index) purgeDue() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.removed
}

// purge rewrites the log and every file with text of removed documents, once each; later removals wait for the next
// purge.
func (x *Index) purge(ctx context.Context) (err error) {
	x.mu.Lock()
	due := x.removed
	x.removed = false
	x.mu.Unlock()
	if !due {
		return nil
	}
	defer func() {
		if err != nil { // also after an abort: everything has to be done again
			x.mu.Lock()
			x.markStale()
			x.mu.Unlock()
		}
	}()
	if _, err := x.compact(inLog); err != nil {
		return err
	}
	var files []*segment
	for _, v := range x.snap.Load().views {
		if v.seg.fileName != "" && v.nDead > 0 {
			files = append(files, v.seg)
		}
	}
	for _, seg := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := x.compact(func(views []*view) ([]*view, bool) {
			at := slices.IndexFunc(views, func(v *view) bool { return v.seg == seg })
			if at < 0 {
				return nil, false
			}
			return views[at : at+1], false
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inLog selects all segments in the log; the log is rotated even if there are none.
func inLog(views []*view) (group []*view, flush bool) {
	for _, v := range views {
		if v.seg.fileName == "" {
			group = append(group, v)
		}
	}
	return group, true
}
