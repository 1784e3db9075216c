package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// byFolder is who added a document of the watched folder.
const byFolder = "folder"

// watchDocuments keeps the documents in step with the watched folder until ctx ends.
func (a *app) watchDocuments(ctx context.Context) error {
	dir := a.cfg.Documents.Folder
	if dir == "" {
		<-ctx.Done()
		return nil
	}
	look := time.NewTimer(0)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
		next := folderEvery
		if a.syncFolder(ctx, dir, time.Now()) {
			next = settling
		}
		look.Reset(next)
	}
}

// syncFolder adds what is new or changed and removes what is gone. It reports whether files
// wait because they changed less than settling before now.
func (a *app) syncFolder(ctx context.Context, dir string, now time.Time) (waiting bool) {
	files, err := findFiles([]string{dir})
	if err != nil || len(files) == 0 {
		// A folder that is not mounted looks like one without files: nothing is deleted.
		if a.library.refused.note(dir, "", &fileFault{"folder.away", filepath.Base(dir), err}) {
			a.log.WarnContext(ctx, "folder of documents is empty or away", "folder", dir, "err", err)
		}
		return false
	}
	there := map[string]bool{}
	for _, f := range files {
		there[f.name] = true
	}
	for i, f := range files {
		waits, err := a.follow(ctx, f, now)
		if ctx.Err() != nil {
			return false
		}
		if err != nil { // what comes after it would say the same; the next look begins again
			there[dir] = true
			if a.library.refused.note(dir, "", &fileFault{"folder.no_room", filepath.Base(dir), nil}) {
				a.log.WarnContext(ctx, "the disk is full: documents wait for room", "folder", dir, "first", f.name, "left", len(files)-i, "err", err)
			}
			break
		}
		waiting = waiting || waits
	}
	if a.library.refused.has(dir) && !there[dir] {
		a.log.InfoContext(ctx, "folder of documents goes on", "folder", dir)
	}
	a.library.refused.keep(there)
	gone, err := a.library.removeMissing(ctx, bot.ScopePublic, filepath.Base(filepath.Clean(dir))+"/", byFolder, files)
	if err != nil && !errors.Is(err, syscall.ENOSPC) {
		a.log.WarnContext(ctx, "documents not removed", "err", err)
	}
	for _, name := range gone {
		a.log.InfoContext(ctx, "document removed", "file", name)
	}
	return waiting
}

// follow brings the document of one file up to date. It reports whether the file waits, and
// fails only if the disk is full.
func (a *app) follow(ctx context.Context, f source, now time.Time) (waiting bool, full error) {
	state := ""
	if f.fault == nil {
		info, err := os.Stat(f.path)
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
	if a.library.refused.stands(f.name, state) {
		return false, nil
	}
	changed, doc, err := a.ingestFile(ctx, filing{scope: bot.ScopePublic, by: byFolder}, f)
	if err == nil && changed {
		err = a.library.dropShorter(ctx, doc, nil)
	}
	var fault *fileFault
	switch {
	case ctx.Err() != nil:
	case errors.As(err, &fault) && fault.key == "folder.changing":
		return true, nil
	case errors.Is(err, syscall.ENOSPC):
		return false, err
	case err != nil:
		if a.library.refused.note(f.name, state, err) {
			a.log.WarnContext(ctx, "document not read", "file", f.name, "err", err)
		}
	default:
		a.library.refused.clear(f.name)
	}
	if changed {
		a.log.InfoContext(ctx, "document indexed", "file", f.name, "passages", doc.Chunks, "unread_within", len(doc.Unread))
	}
	return false, nil
}

// removeMissing deletes the documents of a scope that this adder has added under
// a prefix and that are not among the files, and returns their names.
func (l *library) removeMissing(ctx context.Context, scope, prefix, by string, files []source) ([]string, error) {
	docs, err := l.Documents(ctx, []string{scope})
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	there, away := map[string]bool{}, []string{}
	for _, f := range files {
		there[f.name] = true
		if strings.HasSuffix(f.name, "/") {
			away = append(away, f.name) // what is in it cannot be seen, and is not gone
		}
	}
	var gone []string
	var errs []error
	for _, d := range docs {
		if d.By != by || !strings.HasPrefix(d.Source, prefix) || there[d.Source] || slices.ContainsFunc(away, func(dir string) bool { return strings.HasPrefix(d.Source, dir) }) {
			continue
		}
		if _, err := l.Delete(ctx, scope, d.ID); err != nil {
			errs = append(errs, fmt.Errorf("remove %s: %w", d.Source, err))
			continue
		}
		gone = append(gone, d.Source)
	}
	return gone, errors.Join(errs...)
}
