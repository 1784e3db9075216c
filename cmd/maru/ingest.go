package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"maru/bot"
	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/load"
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
		return usageError{"it wants files or folders"}
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
	if err := a.openSums(ctx); err != nil {
		return errors.Join(err, a.close())
	}
	if err := a.openLibrary(ctx); err != nil {
		err = whileServing(err, "give it the file in the chat or the console, or put it into MARU_DOCUMENTS_DIR, which it watches")
		return errors.Join(err, a.close())
	}
	if files, err = a.library.named(ctx, *scope, files); err != nil {
		return errors.Join(err, a.close())
	}
	err = a.ingestAll(ctx, inv, filing{scope: *scope, by: byOperator, tags: tags}, files)
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
			_, _ = fmt.Fprintf(out, "- %s\n", oneLine(name)) // a closed terminal is no reason to stop
		}
	}
	return errors.Join(errs...)
}

// byOperator is who adds what `maru ingest` adds.
const byOperator = "operator"

// ingestAll adds the files one by one and reports each.
func (a *app) ingestAll(ctx context.Context, inv invocation, as filing, files []source) error {
	bar := progressBar{out: inv.stdout, total: len(files), live: isTerminal(inv.stdout)}
	keep, language := map[string]bool{}, terminalLanguage(inv)
	for _, f := range files {
		keep[f.name] = true
	}
	added, unchanged, failed := 0, 0, 0
	for i, f := range files {
		bar.show(i, f.name)
		changed, doc, err := a.ingestFile(ctx, as, f)
		if err == nil && changed {
			err = a.library.dropShorter(ctx, doc, keep)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, syscall.ENOSPC):
			bar.line("✗ " + sentence(&fileFault{"folder.full", f.name, err}, language))
			bar.line(fmt.Sprintf("%d added, %d unchanged, %d failed, %d left", added, unchanged, failed, len(files)-i))
			return errSilent
		case err != nil:
			failed++
			why := sentence(err, language)
			if !strings.Contains(why, f.name) {
				why = f.name + ": " + why
			}
			bar.line("✗ " + why)
		case changed:
			added++
			bar.line(fmt.Sprintf("✓ %s (%s)", f.name, passages(doc.Chunks)))
		default:
			unchanged++
		}
		for _, unread := range load.Unread(doc) { // also of one that has not changed
			bar.line("  ✗ " + sentence(unread, language))
		}
	}
	bar.line(fmt.Sprintf("%d added, %d unchanged, %d failed", added, unchanged, failed))
	if failed > 0 {
		return errSilent
	}
	return nil
}

// passages is so many of them, in words.
func passages(n int) string {
	if n == 1 {
		return "1 passage"
	}
	return fmt.Sprintf("%d passages", n)
}

// filing is where documents go, who adds them, and what they are filed under:
// nil leaves the tags that they have.
type filing struct {
	scope, by string
	tags      []string
}

// ingestFile adds one file.
func (a *app) ingestFile(ctx context.Context, as filing, f source) (bool, rag.Document, error) {
	data, err := a.readFile(f)
	if err != nil {
		return false, rag.Document{}, err
	}
	doc, changed, err := a.library.ingest.Add(ctx, rag.File{Scope: as.scope, Name: f.name, By: as.by, Data: data, Tags: as.tags, Origin: origin(f.path)}, nil)
	return changed, doc, err
}

// readFile returns the bytes of a file, or why it is left out.
func (a *app) readFile(f source) ([]byte, error) {
	if f.fault != nil {
		return nil, f.fault
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return nil, &fileFault{"folder.unreadable", f.name, err}
	}
	if info.Size() > a.cfg.Documents.MaxFile {
		return nil, load.LargerThan(f.name, info.Size(), a.cfg.Documents.MaxFile)
	}
	data, err := os.ReadFile(f.path) //nolint:gosec // G304: the operator names the file
	if err != nil {
		return nil, &fileFault{"folder.unreadable", f.name, err}
	}
	if now, err := os.Stat(f.path); err != nil || edition(now) != edition(info) {
		return nil, &fileFault{"folder.changing", f.name, err}
	}
	return data, nil
}

// sentence is what a person reads of an error of a file.
func sentence(err error, language string) string {
	var t interface{ PeopleText(string) string }
	if errors.As(err, &t) {
		return t.PeopleText(language)
	}
	return err.Error()
}

// oneLine is a text with a file's name in it as a terminal may show it: a name can hold
// line breaks, escape sequences and marks that turn letters round.
func oneLine(text string) string { return fit.OneLine(fit.Clean(text)) }

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
	filled, name := barWidth*done/max(b.total, 1), oneLine(name)
	if r := []rune(name); len(r) > 40 {
		name = "…" + string(r[len(r)-39:])
	}
	_, _ = fmt.Fprintf(b.out, "\r\x1b[K[%s%s] %d/%d %s", strings.Repeat("█", filled), strings.Repeat("·", barWidth-filled), done, b.total, name) // a closed terminal is no reason to stop
}

func (b *progressBar) line(text string) {
	text = oneLine(text)
	if b.live {
		text = "\r\x1b[K" + text
	}
	_, _ = fmt.Fprintln(b.out, text) // a closed terminal is no reason to stop
}
