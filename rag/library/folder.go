package library

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"maru/bot"
)

// The watched folder is scanned every folderEvery, and again after settling if recently modified files were skipped.
// A scan reads and hashes every file; only changed ones are parsed.
const (
	folderEvery = 30 * time.Second
	settling    = 3 * time.Second
)

// Folder syncs the public documents with a folder of this machine.
type Folder struct {
	lib *Library
	dir string
	log *slog.Logger
}

// NewFolder returns the watched folder dir for lib.
func NewFolder(lib *Library, dir string, log *slog.Logger) *Folder {
	return &Folder{lib: lib, dir: dir, log: log}
}

// Watch syncs the folder until ctx ends.
func (d *Folder) Watch(ctx context.Context) error {
	look := time.NewTimer(0)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
		next := folderEvery
		if d.Sync(ctx, time.Now()) {
			next = settling
		}
		look.Reset(next)
	}
}

// Sync adds new and changed files and removes missing ones. It reports whether files modified less than settling ago
// are pending.
func (d *Folder) Sync(ctx context.Context, now time.Time) (waiting bool) {
	files, err := FindFiles([]string{d.dir})
	if err != nil || len(files) == 0 {
		// An unmounted folder looks empty: nothing is deleted.
		if d.lib.refused.note(d.dir, "", &Fault{"folder.away", filepath.Base(d.dir), err}) {
			d.log.WarnContext(ctx, "documents folder is empty or missing", "folder", d.dir, "err", err)
		}
		return false
	}
	there := map[string]bool{}
	for _, f := range files {
		there[f.Name] = true
	}
	as, done := d.lib.Batch(Filing{Scope: bot.ScopePublic, By: ByFolder})
	defer done()
	for i, f := range files {
		waits, err := d.follow(ctx, as, f, now)
		if ctx.Err() != nil {
			return false
		}
		if err != nil { // the remaining files would fail as well; the next scan retries
			there[d.dir] = true
			if d.lib.refused.note(d.dir, "", &Fault{"folder.no_room", filepath.Base(d.dir), nil}) {
				d.log.WarnContext(ctx, "disk full, documents not indexed", "folder", d.dir, "first", f.Name, "left", len(files)-i, "err", err)
			}
			break
		}
		waiting = waiting || waits
	}
	if d.lib.refused.has(d.dir) && !there[d.dir] {
		d.log.InfoContext(ctx, "documents folder is available again", "folder", d.dir)
	}
	d.lib.refused.keep(there)
	gone, err := d.lib.RemoveMissing(ctx, bot.ScopePublic, filepath.Base(filepath.Clean(d.dir))+"/", ByFolder, files)
	if err != nil && !errors.Is(err, syscall.ENOSPC) {
		d.log.WarnContext(ctx, "remove documents", "err", err)
	}
	for _, name := range gone {
		d.log.InfoContext(ctx, "document removed", "file", name)
	}
	return waiting
}

// follow updates the document of one file. It reports whether the file is pending, and fails only if the disk is
// full.
func (d *Folder) follow(ctx context.Context, as Filing, f File, now time.Time) (waiting bool, full error) {
	state := ""
	if f.Fault == nil {
		info, err := os.Stat(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil // renamed or deleted since it was listed
		}
		if err == nil {
			// A time in the future comes from another machine's clock and is ignored.
			if age := now.Sub(info.ModTime()); age >= 0 && age < settling {
				return true, nil
			}
			state = stateOf(info)
		}
	}
	if d.lib.refused.stillRefused(f.Name, state, d.lib.cfg.Permanent) {
		return false, nil
	}
	changed, doc, err := d.lib.AddFile(ctx, as, f)
	if err == nil && changed {
		err = d.lib.DropShorter(ctx, doc, nil)
	}
	var fault *Fault
	switch {
	case ctx.Err() != nil:
	case errors.As(err, &fault) && fault.Key == "folder.changing":
		return true, nil
	case errors.Is(err, syscall.ENOSPC):
		return false, err
	case err != nil:
		if d.lib.refused.note(f.Name, state, err) {
			d.log.WarnContext(ctx, "read document", "file", f.Name, "err", err)
		}
	default:
		d.lib.refused.clear(f.Name)
	}
	if changed {
		d.log.InfoContext(ctx, "document indexed", "file", f.Name, "passages", doc.Chunks, "unread_within", len(doc.Unread))
	}
	return false, nil
}
