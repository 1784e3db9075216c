package local

import (
	"context"
	"slices"
	"time"
)

// purgeAfter is how long the text of a removed document stays on disk at most, but
// for the time that rewriting takes: what is removed meanwhile goes with it.
const purgeAfter = time.Minute

// stale notes that a document was removed whose text may be on disk. Memory is
// not purged: nobody reads there what is not found. The caller holds mu, or is
// opening the index.
func (x *Index) stale() {
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

// purge writes the log and every file anew that hold text of removed documents,
// once each: what is removed meanwhile is left to the next time.
func (x *Index) purge(ctx context.Context) (err error) {
	x.mu.Lock()
	due := x.removed
	x.removed = false
	x.mu.Unlock()
	if !due {
		return nil
	}
	defer func() {
		if err != nil { // also where it was ended: there is all of it to do again
			x.mu.Lock()
			x.stale()
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

// inLog chooses all that is not in files; the log is written off even if that is nothing.
func inLog(views []*view) (group []*view, flush bool) {
	for _, v := range views {
		if v.seg.fileName == "" {
			group = append(group, v)
		}
	}
	return group, true
}
