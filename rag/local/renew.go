package local

import (
	"context"
	"errors"
	"fmt"
	"os"

	"maru/rag"
)

// renew rebuilds the segments of other analyser versions from their stored texts, because terms of another version
// lose recall. The manifest names the new files before the old ones go, so that a crash at any moment leaves one
// complete set.
func (x *Index) renew(ctx context.Context) error {
	var views []*view
	renewed := 0
	for _, v := range x.snap.Load().views {
		if v.seg.analyser == rag.AnalyzerVersion {
			views = append(views, v)
			continue
		}
		n, err := x.renewOne(ctx, v)
		if err != nil {
			return fmt.Errorf("rebuild %s for analyser %d: %w", v.seg.fileName, rag.AnalyzerVersion, err)
		}
		if renewed += v.seg.chunks; n != nil {
			views = append(views, n)
		}
	}
	if renewed == 0 {
		return nil
	}
	if err := x.disk.commit(views); err != nil {
		return err
	}
	for _, v := range views {
		for d := range v.seg.docs {
			if !v.deadDoc(d) {
				x.live[v.seg.docID(d)] = place{v.seg, d}
			}
		}
	}
	x.publish(views)
	x.log.InfoContext(ctx, "index: terms rebuilt for a new analyser", "passages", renewed, "analyser", rag.AnalyzerVersion)
	return nil
}

// renewOne writes the live documents of a view to a new file; nil if there are none.
func (x *Index) renewOne(ctx context.Context, v *view) (*view, error) {
	data, err := analysedAgain(ctx, v)
	if err != nil || data == nil {
		return nil, err
	}
	name := x.disk.nextName("seg")
	seg, err := x.disk.writeSegment(name, data)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(x.disk.path(name)))
	}
	return &view{seg: seg}, nil
}

// rebuilt returns an in-memory segment of the live documents of a view.
func rebuilt(ctx context.Context, v *view) (*segment, error) {
	data, err := analysedAgain(ctx, v)
	if err != nil {
		return nil, err
	}
	return openSegment(data, nil)
}

// analysedAgain builds a segment of the live documents of a view from their texts; nil if there are none.
func analysedAgain(ctx context.Context, v *view) ([]byte, error) {
	unique := map[string]entry{}
	for d := range v.seg.docs {
		if v.deadDoc(d) {
			continue
		}
		doc, err := v.seg.document(d)
		if err != nil {
			return nil, err
		}
		e := entry{doc: doc}
		for c := v.seg.chunkStart(d); c < v.seg.chunkStart(d+1); c++ {
			chunk, err := v.seg.chunk(c, doc.ID)
			if err != nil {
				return nil, fmt.Errorf("passage of %s: %w", doc.ID, err)
			}
			e.chunks = append(e.chunks, chunk)
		}
		unique[doc.ID] = e
	}
	if len(unique) == 0 {
		return nil, nil
	}
	return buildAll(ctx, unique)
}
