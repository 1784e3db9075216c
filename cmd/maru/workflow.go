package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"maru/agent/chat"
	"maru/agent/workflow"
)

// workflows is `maru workflow`: it lists, shows, checks and draws definitions.
func workflows(_ context.Context, inv invocation) error {
	if len(inv.args) == 0 {
		return usageError{"say what to do"}
	}
	verb, args := inv.args[0], inv.args[1:]
	switch verb {
	case "list":
		for _, d := range builtinDefinitions() {
			if _, err := fmt.Fprintf(inv.stdout, "%-14s %-14s v%s  %s\n", d.ID, d.Name, d.Version, d.Description); err != nil {
				return err
			}
		}
		return nil
	case "show", "graph":
		if len(args) != 1 {
			return usageError{verb + " wants one id or file"}
		}
		d, err := definitionOf(args[0])
		if err != nil {
			return err
		}
		return writeDefinition(inv.stdout, verb, d)
	case "validate":
		return validateFiles(inv, args)
	}
	return usageError{fmt.Sprintf("unknown action %q", verb)}
}

func writeDefinition(w io.Writer, verb string, d workflow.Definition) error {
	if verb == "graph" {
		_, err := io.WriteString(w, workflow.Mermaid(d))
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

func builtinDefinitions() []workflow.Definition {
	d, err := chat.Definition()
	if err != nil {
		panic(err) // a built-in definition that does not parse is a broken build
	}
	return []workflow.Definition{d}
}

// definitionOf returns a built-in definition by its id, or reads a file.
func definitionOf(name string) (workflow.Definition, error) {
	for _, d := range builtinDefinitions() {
		if d.ID == name {
			return d, nil
		}
	}
	text, err := os.ReadFile(name) //nolint:gosec // G304: the operator names the file
	if errors.Is(err, os.ErrNotExist) {
		return workflow.Definition{}, fmt.Errorf("%q is neither a built-in agent nor a file; `maru workflow list` shows the agents", name)
	}
	if err != nil {
		return workflow.Definition{}, err
	}
	return workflow.Parse(text)
}

// validateFiles checks every file and prints every problem.
func validateFiles(inv invocation, files []string) error {
	if len(files) == 0 {
		return usageError{"validate wants files"}
	}
	failed := false
	for _, file := range files {
		d, err := definitionOf(file)
		var problems workflow.Problems
		if err == nil {
			problems = workflow.Validate(d, chat.Types())
		} else if !errors.As(err, &problems) {
			return err
		}
		for _, p := range problems {
			failed = failed || !p.Warning
			if _, err := fmt.Fprintf(inv.stdout, "%s%s\n", file, p); err != nil {
				return err
			}
		}
		if len(problems) == 0 {
			if _, err := fmt.Fprintf(inv.stdout, "%s: ok\n", file); err != nil {
				return err
			}
		}
	}
	if failed {
		return errSilent
	}
	return nil
}
