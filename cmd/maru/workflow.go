package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"maru/agent/autonomous"
	"maru/agent/catalog"
	"maru/agent/tool/builtin"
	"maru/agent/workflow"
	"maru/bot/operate"
	"maru/config"
)

// workflows is `maru workflow`: it lists, shows, checks, draws and runs
// definitions.
func workflows(ctx context.Context, inv invocation) error {
	if len(inv.args) == 0 {
		return usageError{Text: "say what to do: list, show, validate, graph, schema or run"}
	}
	verb, args := inv.args[0], inv.args[1:]
	switch verb {
	case "list":
		if len(args) > 0 {
			return usageError{Text: fmt.Sprintf("list takes no arguments, got %q", args)}
		}
		return listWorkflows(inv)
	case "show":
		return showWorkflow(inv, args)
	case "graph":
		return graphWorkflow(inv, args)
	case "validate":
		return validateFiles(ctx, inv, args)
	case "schema":
		return writeSchema(inv, args)
	case "run":
		return runWorkflow(ctx, inv, args)
	}
	return usageError{Text: fmt.Sprintf("unknown action %q; there are list, show, validate, graph, schema and run", verb)}
}

// listWorkflows lists the built-in agents and those of the team's folder; invalid files are marked.
func listWorkflows(inv invocation) error {
	var list []workflow.Definition
	for _, b := range catalog.Builtin() {
		list = append(list, b.Definition)
	}
	var broken []catalog.File
	for _, f := range inv.catalog().Files() {
		if f.Err != nil {
			broken = append(broken, f)
			continue
		}
		list = append(list, f.Definition)
	}
	for _, d := range list {
		if _, err := fmt.Fprintf(inv.stdout, "%-14s %-14s v%s  %s\n", d.ID, d.Name, d.Version, d.Description); err != nil {
			return err
		}
	}
	for _, f := range broken {
		if _, err := fmt.Fprintf(inv.stdout, "✗ %s cannot serve; `maru workflow validate %s` says why\n", f.Path, f.Path); err != nil {
			return err
		}
	}
	return nil
}

func showWorkflow(inv invocation, args []string) error {
	if len(args) != 1 {
		return usageError{Text: "show wants one id or file"}
	}
	d, err := inv.catalog().Find(args[0])
	if err != nil {
		return err
	}
	enc := json.NewEncoder(inv.stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(d.Definition)
}

func graphWorkflow(inv invocation, args []string) error {
	f := operate.Flags("workflow graph")
	svg := f.Bool("svg", false, "")
	rest, err := operate.Parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return usageError{Text: "graph wants one id or file, and --svg for a picture instead of Mermaid"}
	}
	d, err := inv.catalog().Find(rest[0])
	if err != nil {
		return err
	}
	draw := workflow.Mermaid
	if *svg {
		draw = workflow.SVG
	}
	_, err = io.WriteString(inv.stdout, draw(d.Definition))
	return err
}

func writeSchema(inv invocation, args []string) error {
	name := autonomous.Name // its node types are those for teams
	if len(args) > 0 {
		name = args[0]
	}
	all := catalog.Builtin()
	i := slices.IndexFunc(all, func(b catalog.Entry) bool { return b.ID == name })
	if len(args) > 1 || i < 0 {
		return usageError{Text: "schema wants nothing, or the id of a built-in agent whose types are meant"}
	}
	types, _, err := all[i].Types()
	if err != nil {
		return err
	}
	text, err := workflow.JSONSchema(types)
	if err != nil {
		return err
	}
	_, err = inv.stdout.Write(text)
	return err
}

// validateFiles checks every file and prints every problem.
func validateFiles(ctx context.Context, inv invocation, files []string) error {
	if len(files) == 0 {
		return usageError{Text: "validate wants files"}
	}
	failed := false
	for _, file := range files {
		d, err := inv.catalog().Find(file)
		if err != nil && !errors.As(err, new(workflow.Problems)) {
			return err
		}
		problems := d.Check()
		if d.Own && d.Text != nil {
			problems = append(problems, append(inv.catalog().Taken(d.Path, d.ID), inv.unknownTools(ctx, d.Definition)...).Place(d.Text)...)
		}
		failed = failed || problems.Err() != nil
		if err := reportProblems(inv.stdout, terminalLanguage(inv), file, problems); err != nil {
			return err
		}
	}
	if failed {
		return errSilent
	}
	return nil
}

func reportProblems(w io.Writer, language, file string, problems workflow.Problems) error {
	var b strings.Builder
	for _, p := range problems {
		place := file
		if p.Line > 0 { // the format of editors and terminals
			place = fmt.Sprintf("%s:%d:%d", file, p.Line, p.Column)
			p.Line = 0
		}
		fmt.Fprintf(&b, "%s: %s [%s]\n", place, p.In(language), p.Stage)
	}
	if problems.Err() == nil {
		fmt.Fprintf(&b, "%s: ok\n", file)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// catalog returns the definitions of the built-in agents and the team's folder.
func (inv invocation) catalog() catalog.Catalog { return catalog.New(workflowDir(inv.cfg.Store)) }

// unknownTools warns of tools that neither the program nor a configured MCP server
// offers, and of arguments that they do not take.
func (inv invocation) unknownTools(ctx context.Context, d workflow.Definition) workflow.Problems {
	return catalog.UnknownTools(d, builtin.Parameters(ctx), func(tool string) bool {
		return slices.ContainsFunc(inv.cfg.Tools.MCP, func(s config.MCPServer) bool { return strings.HasPrefix(tool, s.Name+"_") })
	})
}
