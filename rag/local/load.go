package local

import (
	"context"
	"errors"
	"fmt"
	"os"

	"maru/rag"
)

// load reads the folder: segments in the manifest's order, then the logs.
func (x *Index) load(ctx context.Context) (err error) {
	d, err := openDisk(x.cfg.Dir)
	if err != nil {
		return err
	}
	x.disk = d
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	for _, m := range d.man.Segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		seg, err := d.openSegment(m.File)
		if err != nil {
			return err
		}
		if err := x.adopt(seg, m.Dead); err != nil {
			return fmt.Errorf("%s: %w", m.File, err)
		}
	}
	if err := x.renew(ctx); err != nil {
		return err
	}
	for i, name := range d.man.Logs {
		log, err := openLog(d.path(name), func(kind byte, payload []byte) error { return x.replay(ctx, kind, payload) })
		if err != nil {
			return err
		}
		if log.cut > 0 {
			x.log.Warn("index: dropped an unfinished log record", "file", name, "bytes", log.cut)
		}
		if i < len(d.man.Logs)-1 {
			err = log.close()
		} else {
			d.log = log
		}
		if err != nil {
			return err
		}
	}
	if d.log == nil {
		if err := d.firstLog(); err != nil {
			return err
		}
	}
	return d.sweep(".seg", ".log", unfinished)
}

// adopt publishes a segment of the manifest.
func (x *Index) adopt(seg *segment, dead []int) error {
	v := &view{seg: seg}
	for _, doc := range dead {
		if doc < 0 || doc >= seg.docs {
			return errCorrupt
		}
	}
	if len(dead) > 0 {
		x.markStale()
		v = v.kill(dead...)
	}
	for doc := range seg.docs {
		if !v.deadDoc(doc) {
			x.live[seg.docID(doc)] = place{seg, doc}
		}
	}
	x.publish(append(x.snap.Load().views, v))
	return nil
}

// replay applies one record of a log; it is idempotent.
func (x *Index) replay(ctx context.Context, kind byte, payload []byte) error {
	switch kind {
	case recordPut:
		seg, err := openSegment(payload, nil)
		if err != nil {
			return err
		}
		if seg.analyser != rag.AnalyzerVersion {
			if seg, err = rebuilt(ctx, &view{seg: seg}); err != nil {
				return err
			}
		}
		x.install(seg)
		x.mergeSmall()
	case recordDelete:
		x.remove(string(payload))
	default:
		return fmt.Errorf("%w: record of kind %q", errCorrupt, kind)
	}
	return nil
}

func (d *disk) firstLog() error {
	name := d.nextName("log")
	log, err := openLog(d.path(name), nil)
	if err != nil {
		return err
	}
	d.log = log
	d.man.Logs = append(d.man.Logs, name)
	if err := d.writeManifest(); err != nil {
		return errors.Join(err, log.close(), os.Remove(d.path(name)))
	}
	return nil
}
