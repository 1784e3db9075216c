package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"maru/bot"
)

// folderEvery is how often the watched folder is looked through. A look reads
// and hashes every file; only what changed is parsed.
const folderEvery = 30 * time.Second

// byFolder is who added a document of the watched folder.
const byFolder = "folder"

// watchDocuments keeps the documents in step with the watched folder until ctx ends.
func (a *app) watchDocuments(ctx context.Context) error {
	dir := a.cfg.Documents.Folder
	if dir == "" {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(folderEvery)
	defer tick.Stop()
	said := map[string]string{}
	for {
		a.syncFolder(ctx, dir, said)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// syncFolder adds what is new or changed and removes what is gone. said holds
// what was logged of each file, so that a broken file is told once an edition.
func (a *app) syncFolder(ctx context.Context, dir string, said map[string]string) {
	files, err := findFiles([]string{dir})
	if err != nil || len(files) == 0 {
		// A folder that is not mounted looks like one without files: nothing is deleted.
		if s := fmt.Sprint(err); said[dir] != s {
			said[dir] = s
			a.log.WarnContext(ctx, "documents_folder_empty_or_away", "folder", dir, "err", err)
		}
		return
	}
	delete(said, dir)
	for _, f := range files {
		changed, doc, err := a.ingestFile(ctx, filing{scope: bot.ScopePublic, by: byFolder}, f)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && said[f.name] != err.Error():
			said[f.name] = err.Error()
			a.log.WarnContext(ctx, "document_not_read", "file", f.name, "err", err)
		case err == nil:
			delete(said, f.name)
		}
		if changed {
			a.log.InfoContext(ctx, "document_indexed", "file", f.name, "passages", doc.Chunks)
		}
	}
	gone, err := a.library.removeMissing(ctx, bot.ScopePublic, filepath.Base(filepath.Clean(dir))+"/", byFolder, files)
	if err != nil {
		a.log.WarnContext(ctx, "documents_not_removed", "err", err)
	}
	for _, name := range gone {
		a.log.InfoContext(ctx, "document_removed", "file", name)
	}
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
