package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"maru/bot"
	"maru/phrase"
	"maru/rag"
)

// ingest is `maru ingest`: it adds files and folders to the documents. A file
// that cannot be read is reported and the others go on; then the command fails.
func ingest(ctx context.Context, inv invocation) error {
	f := flags("ingest")
	scope := f.String("scope", bot.ScopePublic, "")
	mirror := f.Bool("sync", false, "")
	var tags []string
	f.Func("tag", "", func(t string) error {
		tags = append(tags, strings.Split(t, ",")...)
		return nil
	})
	paths, err := parse(f, inv.args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return usageError{"ingest wants files or folders"}
	}
	if err := rag.CheckTags(tags); err != nil {
		return usageError{err.Error()}
	}
	files, err := findFiles(paths)
	if err != nil {
		return err
	}
	_, log := terminal(inv)
	a := &app{cfg: inv.cfg, log: log}
	if err := a.openLibrary(ctx); err != nil {
		err = whileServing(err, "give it the file in the chat or the console, or put it into MARU_DOCUMENTS_DIR, which it watches")
		return errors.Join(err, a.close())
	}
	err = a.ingestAll(ctx, inv.stdout, filing{scope: *scope, by: byOperator, tags: tags}, files)
	if *mirror && (err == nil || errors.Is(err, errSilent)) {
		err = errors.Join(err, a.removeGone(ctx, inv.stdout, *scope, paths, files))
	}
	return errors.Join(err, a.close())
}

// removeGone takes out what earlier runs added from these folders and is there no more.
func (a *app) removeGone(ctx context.Context, out io.Writer, scope string, paths []string, files []source) error {
	var errs []error
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil || !info.IsDir() {
			errs = append(errs, err)
			continue
		}
		gone, err := a.library.removeMissing(ctx, scope, filepath.Base(filepath.Clean(p))+"/", byOperator, files)
		errs = append(errs, err)
		for _, name := range gone {
			_, _ = fmt.Fprintf(out, "- %s\n", name) // a closed terminal is no reason to stop
		}
	}
	return errors.Join(errs...)
}

// byOperator is who adds what `maru ingest` adds.
const byOperator = "operator"

// source is a file to ingest and the name it gets.
type source struct{ path, name string }

// findFiles lists the files behind the paths; what a folder hides stays hidden.
func findFiles(paths []string) ([]source, error) {
	var found []source
	for _, p := range paths {
		info, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such file or folder; nothing was added", p)
		}
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			found = append(found, source{p, filepath.Base(p)})
			continue
		}
		root := filepath.Clean(p)
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if path != root && strings.HasPrefix(d.Name(), ".") {
				if d.IsDir() {
					return filepath.SkipDir
				}
				return nil
			}
			if d.Type().IsRegular() {
				rel, err := filepath.Rel(filepath.Dir(root), path)
				if err != nil {
					return err
				}
				found = append(found, source{path, filepath.ToSlash(rel)})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// ingestAll adds the files one by one and reports each.
func (a *app) ingestAll(ctx context.Context, out io.Writer, as filing, files []source) error {
	bar := progressBar{out: out, total: len(files), live: isTerminal(out)}
	added, unchanged, failed := 0, 0, 0
	for i, f := range files {
		bar.show(i, f.name)
		changed, doc, err := a.ingestFile(ctx, as, f)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			failed++
			bar.line(fmt.Sprintf("✗ %s: %s", f.name, sentence(err)))
		case changed:
			added++
			bar.line(fmt.Sprintf("✓ %s (%d passages)", f.name, doc.Chunks))
		default:
			unchanged++
		}
	}
	bar.line(fmt.Sprintf("%d added, %d unchanged, %d failed", added, unchanged, failed))
	if failed > 0 {
		return errSilent
	}
	return nil
}

// filing is where documents go, who adds them, and what they are filed under:
// nil leaves the tags that they have.
type filing struct {
	scope, by string
	tags      []string
}

// ingestFile adds one file.
func (a *app) ingestFile(ctx context.Context, as filing, f source) (bool, rag.Document, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return false, rag.Document{}, err
	}
	if info.Size() > a.cfg.Documents.MaxFile {
		return false, rag.Document{}, fmt.Errorf("is %d MB large; the limit is %d MB", info.Size()>>20, a.cfg.Documents.MaxFile>>20)
	}
	data, err := os.ReadFile(f.path) //nolint:gosec // G304: the operator names the file
	if err != nil {
		return false, rag.Document{}, err
	}
	doc, changed, err := a.library.ingest.Add(ctx, rag.File{Scope: as.scope, Name: f.name, By: as.by, Data: data, Tags: as.tags}, nil)
	return changed, doc, err
}

// sentence is what a person reads of an error of a file.
func sentence(err error) string {
	var t interface{ PeopleText(string) string }
	if errors.As(err, &t) {
		return t.PeopleText(phrase.Fallback)
	}
	return err.Error()
}

// progressBar is one line at the bottom of a terminal; elsewhere only finished
// lines are written.
type progressBar struct {
	out   io.Writer
	total int
	live  bool
}

const barWidth = 30

func (b *progressBar) show(done int, name string) {
	if !b.live {
		return
	}
	filled := barWidth * done / max(b.total, 1)
	if r := []rune(name); len(r) > 40 {
		name = "…" + string(r[len(r)-39:])
	}
	_, _ = fmt.Fprintf(b.out, "\r\x1b[K[%s%s] %d/%d %s", strings.Repeat("█", filled), strings.Repeat("·", barWidth-filled), done, b.total, name) // a closed terminal is no reason to stop
}

func (b *progressBar) line(text string) {
	if b.live {
		text = "\r\x1b[K" + text
	}
	_, _ = fmt.Fprintln(b.out, text) // a closed terminal is no reason to stop
}
