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
	"time"

	"maru/bot"
	"maru/bot/operate"
	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/load"
	"maru/rag/vec"
)

// ingest is `maru ingest`: it adds files and folders to the documents. A file
// that cannot be read is reported and the others go on; then the command fails.
func ingest(ctx context.Context, inv invocation) (err error) {
	f := operate.Flags("ingest")
	scope := f.String("scope", bot.ScopePublic, "")
	mirror := f.Bool("sync", false, "")
	wait := f.Bool("wait", false, "")
	var tags []string
	f.Func("tag", "", func(t string) error {
		tags = append(tags, strings.Split(t, ",")...)
		return nil
	})
	paths, err := operate.Parse(f, inv.args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return usageError{Text: "it wants files or folders"}
	}
	if err := rag.CheckTags(tags); err != nil {
		return usageError{Text: err.Error()}
	}
	files, err := library.FindFiles(paths)
	if err != nil {
		return err
	}
	_, log := terminal(inv)
	b := newBase(inv.cfg, log)
	defer func() { err = errors.Join(err, b.opened.Close()) }()
	meter, err := openMeter(ctx, b)
	if err != nil {
		return err
	}
	lib, err := openLibrary(ctx, b, newEmbedders(b, meter))
	if err != nil {
		return whileServing(err, "give it the file in the chat or the console, or put it into MARU_DOCUMENTS_DIR, which it watches")
	}
	if files, err = lib.Named(ctx, *scope, files); err != nil {
		return err
	}
	err = ingestAll(ctx, lib, inv, library.Filing{Scope: *scope, By: library.ByOperator, Tags: tags}, files)
	if *mirror && (err == nil || errors.Is(err, errSilent)) {
		err = errors.Join(err, removeGone(ctx, lib, inv.stdout, *scope, paths, files))
	}
	if x, ok := lib.Index.(vec.Covered); ok && inv.cfg.Model.Embeds() && (err == nil || errors.Is(err, errSilent)) {
		err = errors.Join(err, reportVectors(ctx, inv.stdout, x, *wait))
	}
	return err
}

// reportVectors says when the passages have their vectors, or waits for them.
func reportVectors(ctx context.Context, out io.Writer, x vec.Covered, wait bool) error {
	bar := progressBar{out: out, live: isTerminal(out)}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := x.Embedded(ctx)
		switch {
		case err != nil:
			return err
		case c.Complete():
			bar.line(c.String())
			return nil
		case !wait:
			bar.line(c.String() + "; `maru serve` makes the others, and `maru ingest --wait` waits for them. Until then words find them.")
			return nil
		case c.Failed != nil:
			bar.line("✗ " + c.String() + ". Run the command again, or leave the others to `maru serve`.")
			return errSilent
		}
		bar.total = c.All
		bar.show(c.Have, "vectors")
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// removeGone removes documents added by earlier runs whose files are gone from these folders.
func removeGone(ctx context.Context, lib *library.Library, out io.Writer, scope string, paths []string, files []library.File) error {
	var errs []error
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil || !info.IsDir() {
			errs = append(errs, err)
			continue
		}
		gone, err := lib.RemoveMissing(ctx, scope, filepath.Base(filepath.Clean(p))+"/", library.ByOperator, files)
		errs = append(errs, err)
		for _, name := range gone {
			_, _ = fmt.Fprintf(out, "- %s\n", oneLine(name)) // a closed terminal is no reason to stop
		}
	}
	return errors.Join(errs...)
}

// ingestAll adds the files one by one and reports each.
func ingestAll(ctx context.Context, lib *library.Library, inv invocation, as library.Filing, files []library.File) error {
	bar := progressBar{out: inv.stdout, total: len(files), live: isTerminal(inv.stdout)}
	keep, language := map[string]bool{}, terminalLanguage(inv)
	for _, f := range files {
		keep[f.Name] = true
	}
	as, done := lib.Batch(as, files...)
	defer done()
	added, unchanged, failed := 0, 0, 0
	for i, f := range files {
		bar.show(i, f.Name)
		changed, doc, err := lib.AddFile(ctx, as, f)
		if err == nil && changed {
			err = lib.DropShorter(ctx, doc, keep)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, rag.ErrUnavailable): // so it would be for the next one
			if errors.Is(err, syscall.ENOSPC) {
				err = &library.Fault{Key: "folder.full", Name: f.Name, Err: err}
			}
			bar.line("✗ " + library.Sentence(err, language))
			bar.line(fmt.Sprintf("%d added, %d unchanged, %d failed, %d left", added, unchanged, failed, len(files)-i))
			return errSilent
		case err != nil:
			failed++
			why := library.Sentence(err, language)
			if !strings.Contains(why, f.Name) {
				why = f.Name + ": " + why
			}
			bar.line("✗ " + why)
		case changed:
			added++
			bar.line(fmt.Sprintf("✓ %s (%s)", f.Name, passages(doc.Chunks)))
		default:
			unchanged++
		}
		for _, unread := range load.Unread(doc) { // also of one that has not changed
			bar.line("  ✗ " + library.Sentence(unread, language))
		}
	}
	bar.line(fmt.Sprintf("%d added, %d unchanged, %d failed", added, unchanged, failed))
	if failed > 0 {
		return errSilent
	}
	return nil
}

// passages formats their number.
func passages(n int) string {
	if n == 1 {
		return "1 passage"
	}
	return fmt.Sprintf("%d passages", n)
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
