package config

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with the settings.
type Fault struct {
	Variable string // the setting as the operator wrote it: variable, flag or YAML key
	Source   string // "environment", "flag", "maru.yaml:12" or "" for a combination
	Wrong    string // the fault
	Fix      string // the remedy
}

// String formats it in one line.
func (f Fault) String() string { return fmt.Sprintf("%s %s: %s", f.Where(), f.Wrong, f.Fix) }

// Where names the setting and the place it was written at: "place.agent (maru.yaml:3)".
func (f Fault) Where() string {
	if f.Source == "" {
		return f.Variable
	}
	return f.Variable + " (" + f.Source + ")"
}

// Faults is every fault of one start; it is the error that [Load] returns.
type Faults []Fault

// Error lists the faults, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = "  - " + fault.String()
	}
	noun := "settings are"
	if len(f) == 1 {
		noun = "setting is"
	}
	return fmt.Sprintf("%d %s wrong:\n%s", len(f), noun, strings.Join(lines, "\n"))
}

// orNil returns f as an error, or nil when there is no fault.
func (f Faults) orNil() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
