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

// The watched folder is looked through every folderEvery, and after settling again when
// files were left out because somebody may still be writing them. A look reads and hashes
// every file; only what changed is parsed.
const (
	folderEvery = 30 * time.Second
	settling    = 3 * time.Second
)

// Folder keeps the public documents in step with a folder of this machine.
type Folder struct {
	lib *Library
	dir string
	log *slog.Logger
}

// NewFolder returns the folder dir, whose documents go into lib.
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

// Sync adds what is new or changed and removes what is gone. It reports whether files
// wait because they changed less than settling before now.
func (d *Folder) Sync(ctx context.Context, now time.Time) (waiting bool) {
	files, err := FindFiles([]string{d.dir})
	if err != nil || len(files) == 0 {
		// A folder that is not mounted looks like one without files: nothing is deleted.
		if d.lib.refused.note(d.dir, "", &Fault{"folder.away", filepath.Base(d.dir), err}) {
			d.log.WarnContext(ctx, "folder of documents is empty or away", "folder", d.dir, "err", err)
		}
		return false
	}
	there := map[string]bool{}
	for _, f := range files {
		there[f.Name] = true
	}
	for i, f := range files {
		waits, err := d.follow(ctx, f, now)
		if ctx.Err() != nil {
			return false
		}
		if err != nil { // what comes after it would say the same; the next look begins again
			there[d.dir] = true
			if d.lib.refused.note(d.dir, "", &Fault{"folder.no_room", filepath.Base(d.dir), nil}) {
				d.log.WarnContext(ctx, "the disk is full: documents wait for room", "folder", d.dir, "first", f.Name, "left", len(files)-i, "err", err)
			}
			break
		}
		waiting = waiting || waits
	}
	if d.lib.refused.has(d.dir) && !there[d.dir] {
		d.log.InfoContext(ctx, "folder of documents goes on", "folder", d.dir)
	}
	d.lib.refused.keep(there)
	gone, err := d.lib.RemoveMissing(ctx, bot.ScopePublic, filepath.Base(filepath.Clean(d.dir))+"/", ByFolder, files)
	if err != nil && !errors.Is(err, syscall.ENOSPC) {
		d.log.WarnContext(ctx, "documents not removed", "err", err)
	}
	for _, name := range gone {
		d.log.InfoContext(ctx, "document removed", "file", name)
	}
	return waiting
}

// follow brings the document of one file up to date. It reports whether the file waits, and
// fails only if the disk is full.
func (d *Folder) follow(ctx context.Context, f File, now time.Time) (waiting bool, full error) {
	state := ""
	if f.Fault == nil {
		info, err := os.Stat(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil // renamed or deleted since it was listed
		}
		if err == nil {
			// A time in the future is that of another machine's clock and says nothing.
			if age := now.Sub(info.ModTime()); age >= 0 && age < settling {
				return true, nil
			}
			state = edition(info)
		}
	}
	if d.lib.refused.stands(f.Name, state, d.lib.cfg.Permanent) {
		return false, nil
	}
	changed, doc, err := d.lib.AddFile(ctx, Filing{Scope: bot.ScopePublic, By: ByFolder}, f)
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
			d.log.WarnContext(ctx, "document not read", "file", f.Name, "err", err)
		}
	default:
		d.lib.refused.clear(f.Name)
	}
	if changed {
		d.log.InfoContext(ctx, "document indexed", "file", f.Name, "passages", doc.Chunks, "unread_within", len(doc.Unread))
	}
	return false, nil
}
