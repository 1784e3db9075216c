package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// flags returns a flag set that reports faults as usage errors.
func flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}

// parse parses a subcommand's own flags, which may stand between its arguments.
func parse(f *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			return nil, misused(err)
		}
		args = f.Args()
		if len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	return rest, nil
}

// misused adds a remedy to an error of package flag, which is a text only.
func misused(err error) usageError {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
		return usageError{"there is no option -" + name}
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: "); ok {
		return usageError{"-" + name + " wants a value after it"}
	}
	if rest, ok := strings.CutPrefix(text, "invalid boolean value "); ok {
		value, rest, _ := strings.Cut(rest, " for ")
		name, _, _ := strings.Cut(rest, ": ")
		return usageError{fmt.Sprintf("-%s takes no value, got %s", name, value)}
	}
	if rest, ok := strings.CutPrefix(text, "invalid value "); ok {
		value, rest, _ := strings.Cut(rest, " for flag ")
		name, why, _ := strings.Cut(rest, ": ")
		if why == "parse error" {
			why = "it wants a whole number"
		}
		return usageError{fmt.Sprintf("-%s is %s: %s", name, value, why)}
	}
	return usageError{text}
}

// nothing refuses arguments of a command that takes none.
func nothing(inv invocation) error {
	if len(inv.args) > 0 {
		return usageError{fmt.Sprintf("it takes no arguments, got %q", inv.args)}
	}
	return nil
}
