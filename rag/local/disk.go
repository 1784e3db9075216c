package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

const manifestName = "MANIFEST.json"

// manifest lists the files of the index. It is replaced by rename, so that exactly one complete version exists at any
// time.
type manifest struct {
	Version  int               `json:"version"`
	Next     int               `json:"next"` // number of the next file
	Segments []manifestSegment `json:"segments"`
	Logs     []string          `json:"logs"` // in write order; the last is open
}

type manifestSegment struct {
	File string `json:"file"`
	Dead []int  `json:"dead,omitempty"` // documents deleted or replaced since
}

// disk is the folder of an index. Its fields are guarded by Index.mu.
type disk struct {
	dir     string
	lock    *flock.Flock
	man     manifest
	log     *opLog
	rotated []string // logs being flushed to a file
}

// ErrInUse reports that another process has the index open.
var ErrInUse = errors.New("another program uses this index")

// lockPatience is the wait for a previous owner's exit, as after a kill.
const lockPatience = time.Second

func openDisk(dir string) (*disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(context.Background(), lockPatience)
	defer stop()
	lock := flock.New(filepath.Join(dir, "LOCK"))
	if _, err := lock.TryLockContext(ctx, lockPatience/20); errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%w (stop it, or choose another DATA_DIR): %s", ErrInUse, dir)
	} else if err != nil {
		return nil, err
	}
	d := &disk{dir: dir, lock: lock, man: manifest{Version: 1}}
	b, err := os.ReadFile(filepath.Join(dir, manifestName))
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, errors.Join(err, lock.Unlock())
	default:
		fault := json.Unmarshal(b, &d.man)
		if fault == nil && d.man.Version != 1 {
			fault = fmt.Errorf("it is of version %d", d.man.Version)
		}
		if fault != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w: %w", manifestName, errCorrupt, fault), lock.Unlock())
		}
	}
	return d, nil
}

func (d *disk) path(name string) string { return filepath.Join(d.dir, name) }

func (d *disk) nextName(kind string) string {
	d.man.Next++
	return fmt.Sprintf("%08d.%s", d.man.Next, kind)
}

// rotate starts a new log before the old one's segments are flushed.
func (d *disk) rotate() error {
	name := d.nextName("log")
	log, err := openLog(d.path(name), nil)
	if err != nil {
		return err
	}
	before := d.man.Logs
	d.man.Logs = append(slices.Clone(before), name)
	if err := d.writeManifest(); err != nil {
		d.man.Logs = before
		return errors.Join(err, log.close(), os.Remove(d.path(name)))
	}
	d.rotated = before
	err = d.log.close()
	d.log = log
	return err
}

// dropRotated removes flushed logs.
func (d *disk) dropRotated() {
	d.man.Logs = slices.DeleteFunc(d.man.Logs, func(n string) bool { return slices.Contains(d.rotated, n) })
	d.rotated = nil
}

// commit writes the manifest for these views.
func (d *disk) commit(views []*view) error {
	d.man.Segments = nil
	for _, v := range views {
		if v.seg.fileName == "" {
			continue
		}
		m := manifestSegment{File: v.seg.fileName}
		for doc := range v.seg.docs {
			if v.deadDoc(doc) {
				m.Dead = append(m.Dead, doc)
			}
		}
		d.man.Segments = append(d.man.Segments, m)
	}
	return d.writeManifest()
}

func (d *disk) writeManifest() error {
	b, err := json.MarshalIndent(d.man, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(d.path(manifestName), b)
}

// writeSegment stores a segment and maps it. It uses nothing guarded by mu.
func (d *disk) writeSegment(name string, data []byte) (*segment, error) {
	if err := writeFile(d.path(name), data); err != nil {
		return nil, err
	}
	return d.openSegment(name)
}

func (d *disk) openSegment(name string) (*segment, error) {
	data, keep, err := mapFile(d.path(name))
	if err != nil {
		return nil, err
	}
	seg, err := openSegment(data, keep)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	seg.fileName = name
	return seg, nil
}

// unfinished is the suffix of a file being written; after a crash it is a leftover.
const unfinished = ".tmp"

// sweep removes files of these kinds missing from the manifest: leftovers of a merge or a crash.
func (d *disk) sweep(kinds ...string) error {
	keep := map[string]bool{manifestName: true, "LOCK": true}
	for _, s := range d.man.Segments {
		keep[s.File] = true
	}
	for _, l := range d.man.Logs {
		keep[l] = true
	}
	files, err := os.ReadDir(d.dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if slices.Contains(kinds, filepath.Ext(f.Name())) && !keep[f.Name()] {
			if err := os.Remove(d.path(f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *disk) close() error {
	if d == nil {
		return nil
	}
	var err error
	if d.log != nil {
		err = d.log.close()
	}
	return errors.Join(err, d.lock.Unlock())
}

// writeFile replaces a file as a whole: temporary file, fsync, rename, fsync of the folder.
func writeFile(path string, data []byte) (err error) {
	f, err := os.OpenFile(path+unfinished, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path+unfinished))
	}
	if err := os.Rename(path+unfinished, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
