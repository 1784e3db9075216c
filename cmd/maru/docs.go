package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"maru/bot"
	"maru/bot/operate"
	"maru/handbook"
	"maru/rag/library"
)

// docs is `maru docs`: it lists and removes documents, and switches the sample handbook. A running program that holds the documents
// does it itself.
func docs(ctx context.Context, inv invocation) error {
	act, err := readDocs(ctx, inv)
	if err != nil {
		return err
	}
	return withLibrary(ctx, inv, operate.Order{Name: "docs", Args: inv.args}, "use /maru docs in the chat or the console's Documents page", act)
}

// withLibrary runs a command on the documents. If a running program holds them, that program executes the command;
// instead names the operator's alternative.
func withLibrary(ctx context.Context, inv invocation, order operate.Order, instead string, act func(*library.Library) error) (err error) {
	_, log := terminal(inv)
	b := newBase(inv.cfg, log)
	defer func() { err = errors.Join(err, b.opened.Close()) }()
	meter, err := openMeter(ctx, b)
	if err != nil {
		return err
	}
	lib, err := openLibrary(ctx, b, newEmbedders(b, meter))
	if err != nil {
		return inv.give(ctx, order, whileServing(err, instead))
	}
	return act(lib)
}

// readDocs returns what `maru docs` is asked for.
func readDocs(ctx context.Context, inv invocation) (act func(*library.Library) error, err error) {
	f := operate.Flags("docs")
	scope := f.String("scope", bot.ScopePublic, "")
	args, err := operate.Parse(f, inv.args)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = []string{"list"}
	}
	what, args := args[0], args[1:]
	switch {
	case what == "list" && len(args) == 0:
		act = func(lib *library.Library) error { return listDocs(ctx, lib, inv, *scope) }
	case what == "remove" && len(args) > 0:
		act = func(lib *library.Library) error { return removeDocs(ctx, lib, inv, *scope, args) }
	case what == "sample" && len(args) == 1 && (args[0] == "on" || args[0] == "off"):
		act = func(lib *library.Library) error { return switchSample(ctx, lib, inv, args[0] == "on") }
	default:
		return nil, usageError{Text: "it takes list, remove NAME… or sample on|off"}
	}
	return act, nil
}

func listDocs(ctx context.Context, lib *library.Library, inv invocation, scope string) error {
	docs, err := lib.Documents(ctx, []string{scope})
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(inv.stdout, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "NAME\tTITLE\tPASSAGES\tADDED\tBY\tSCOPE") // the error is kept for Flush
	for _, d := range docs {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", oneLine(d.Source), oneLine(d.Title), d.Chunks, d.At.Format("2006-01-02"), d.By, d.Scope)
	}
	return w.Flush()
}

// removeDocs removes documents by their names, all of them or none.
func removeDocs(ctx context.Context, lib *library.Library, inv invocation, scope string, names []string) error {
	docs, err := lib.Documents(ctx, []string{scope})
	if err != nil {
		return err
	}
	ids := map[string]string{}
	for _, d := range docs {
		if d.Scope == scope {
			ids[d.Source] = d.ID
		}
	}
	for _, n := range names {
		if ids[n] == "" {
			return fmt.Errorf("no document of the scope %s is named %q; `maru docs` lists the names", scope, n)
		}
	}
	for _, n := range names {
		if _, err := lib.Remove(ctx, []string{scope}, ids[n]); err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
		_, _ = fmt.Fprintf(inv.stdout, "removed %s\n", n)
	}
	return nil
}

func switchSample(ctx context.Context, lib *library.Library, inv invocation, on bool) error {
	if err := lib.SetSample(ctx, on); err != nil {
		return err
	}
	say := "the sample handbook is removed and stays away; `maru docs sample on` brings it back"
	switch {
	case on && !inv.cfg.Documents.Handbook:
		say = "the sample handbook may be indexed again, once MARU_HANDBOOK is true"
	case on:
		if err := lib.AddSample(ctx, handbook.Files()); err != nil {
			return err
		}
		say = "the sample handbook is indexed; it is searched where no document of your own can be read"
	}
	_, err := fmt.Fprintln(inv.stdout, say)
	return err
}
