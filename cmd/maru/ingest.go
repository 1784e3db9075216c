package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"maru/bot"
	"maru/bot/operate"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/load"
	"maru/rag/vec"
)

// ingestion holds the arguments of `maru ingest`.
type ingestion struct {
	scope        string
	mirror, wait bool
	tags, paths  []string
}

func readIngest(args []string) (in ingestion, err error) {
	f := operate.Flags("ingest")
	f.StringVar(&in.scope, "scope", bot.ScopePublic, "")
	f.BoolVar(&in.mirror, "sync", false, "")
	f.BoolVar(&in.wait, "wait", false, "")
	f.Func("tag", "", func(t string) error {
		in.tags = append(in.tags, strings.Split(t, ",")...)
		return nil
	})
	if in.paths, err = operate.Parse(f, args); err != nil {
		return in, err
	}
	if len(in.paths) == 0 {
		return in, usageError{Text: "it wants files or folders"}
	}
	if err := rag.CheckTags(in.tags); err != nil {
		return in, usageError{Text: err.Error()}
	}
	return in, nil
}

// args returns arguments that are independent of the working directory.
func (in ingestion) args() []string {
	out := []string{"--scope", in.scope, "--sync=" + strconv.FormatBool(in.mirror), "--wait=" + strconv.FormatBool(in.wait)}
	for _, t := range in.tags {
		out = append(out, "--tag", t)
	}
	for _, p := range in.paths {
		if whole, err := filepath.Abs(p); err == nil {
			p = whole
		}
		out = append(out, p)
	}
	return out
}

// ingest is `maru ingest`: it adds files and folders to the documents. It reports unreadable files, continues with
// the others and then fails. If a running program has the documents open, that program adds them.
func ingest(ctx context.Context, inv invocation) error {
	in, err := readIngest(inv.args)
	if err != nil {
		return err
	}
	if _, err := library.FindFiles(in.paths); err != nil {
		return err
	}
	return withLibrary(ctx, inv, operate.Order{Name: "ingest", Args: in.args()}, "give it the file in the chat or the console, or put it into MARU_DOCUMENTS_DIR, which it watches",
		func(lib *library.Library) error { return in.into(ctx, lib, inv) })
}

// into adds the files to a library.
func (in ingestion) into(ctx context.Context, lib *library.Library, inv invocation) error {
	files, err := library.FindFiles(in.paths)
	if err != nil {
		return err
	}
	if files, err = lib.Named(ctx, in.scope, files); err != nil {
		return err
	}
	err = ingestAll(ctx, lib, inv, library.Filing{Scope: in.scope, By: library.ByOperator, Tags: in.tags}, files)
	if in.mirror && (err == nil || errors.Is(err, errSilent)) {
		err = errors.Join(err, removeGone(ctx, lib, inv.stdout, in.scope, in.paths, files))
	}
	if x, ok := lib.Index.(vec.Covered); ok && inv.cfg.Model.Embeds() && (err == nil || errors.Is(err, errSilent)) {
		err = errors.Join(err, reportVectors(ctx, inv.stdout, x, in.wait))
	}
	return err
}

// reportVectors reports when the passages will have vectors, or waits for them.
func reportVectors(ctx context.Context, out io.Writer, x vec.Covered, wait bool) error {
	bar := operate.Bar{Out: out, Live: isTerminal(out)}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := x.Embedded(ctx)
		switch {
		case err != nil:
			return err
		case c.Complete():
			bar.Line(c.String())
			return nil
		case !wait:
			bar.Line(c.String() + "; `maru serve` makes the others, and `maru ingest --wait` waits for them. Until then words find them.")
			return nil
		case c.Failed != nil:
			bar.Line("✗ " + c.String() + ". Run the command again, or leave the others to `maru serve`.")
			return errSilent
		}
		bar.Total = c.All
		bar.Show(c.Have, "vectors")
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
			_, _ = fmt.Fprintf(out, "- %s\n", oneLine(name)) // a closed terminal does not end the work
		}
	}
	return errors.Join(errs...)
}

// ingestAll adds the files one by one and reports each.
func ingestAll(ctx context.Context, lib *library.Library, inv invocation, as library.Filing, files []library.File) error {
	bar := operate.Bar{Out: inv.stdout, Total: len(files), Live: isTerminal(inv.stdout)}
	keep, language := map[string]bool{}, terminalLanguage(inv)
	for _, f := range files {
		keep[f.Name] = true
	}
	as, done := lib.Batch(as, files...)
	defer done()
	added, unchanged, failed := 0, 0, 0
	for i, f := range files {
		bar.Show(i, f.Name)
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
			bar.Line("✗ " + library.Sentence(err, language))
			bar.Line(fmt.Sprintf("%d added, %d unchanged, %d failed, %d left", added, unchanged, failed, len(files)-i))
			return errSilent
		case err != nil:
			failed++
			why := library.Sentence(err, language)
			if !strings.Contains(why, f.Name) {
				why = f.Name + ": " + why
			}
			bar.Line("✗ " + why)
		case changed:
			added++
			bar.Line(fmt.Sprintf("✓ %s (%s)", f.Name, passages(doc.Chunks)))
		default:
			unchanged++
		}
		for _, unread := range load.Unread(doc) { // also for an unchanged file
			bar.Line("  ✗ " + library.Sentence(unread, language))
		}
	}
	bar.Line(fmt.Sprintf("%d added, %d unchanged, %d failed", added, unchanged, failed))
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

// oneLine sanitises a text for a terminal.
func oneLine(text string) string { return operate.OneLine(text) }
