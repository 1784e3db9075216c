package operate

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// Flags returns a flag set that reports faults as usage errors.
func Flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}

// Parse parses a subcommand's flags, which may be mixed with its arguments.
func Parse(f *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			return nil, Misused(err)
		}
		args = f.Args()
		if len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	return rest, nil
}

// Misuse reports incorrect use of the command line.
type Misuse struct{ Text string }

// Error implements error.
func (e Misuse) Error() string { return e.Text }

// Misused adds a remedy to an error of package flag, which is a text only.
func Misused(err error) Misuse {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
		return Misuse{"there is no option -" + name}
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: "); ok {
		return Misuse{"-" + name + " wants a value after it"}
	}
	if rest, ok := strings.CutPrefix(text, "invalid boolean value "); ok {
		value, rest, _ := strings.Cut(rest, " for ")
		name, _, _ := strings.Cut(rest, ": ")
		return Misuse{fmt.Sprintf("-%s takes no value, got %s", name, value)}
	}
	if rest, ok := strings.CutPrefix(text, "invalid value "); ok {
		value, rest, _ := strings.Cut(rest, " for flag ")
		name, why, _ := strings.Cut(rest, ": ")
		if why == "parse error" {
			why = "it wants a whole number"
		}
		return Misuse{fmt.Sprintf("-%s is %s: %s", name, value, why)}
	}
	return Misuse{text}
}
