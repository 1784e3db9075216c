package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Against loads the settings of another YAML file, to be compared with those that hold: without the command line's, and
// with the same environment. An error names --against, which named the file.
func Against(path string, environ []string, read func(path string) ([]byte, error)) (Config, error) {
	environ = slices.DeleteFunc(slices.Clone(environ), func(line string) bool { return strings.HasPrefix(line, configVar+"=") })
	cfg, _, err := Load(Source{Environ: append(environ, configVar+"="+path), Read: read})
	var faults Faults
	if !errors.As(err, &faults) {
		return cfg, err
	}
	for i, f := range faults {
		if f.Variable != configVar {
			continue
		}
		if f.Source == "environment" { // nothing of the file can be read, and no other fault counts
			return cfg, fmt.Errorf("--against %s %s: %s", path, f.Wrong, f.Fix)
		}
		faults[i].Variable = "--against"
	}
	return cfg, fmt.Errorf("--against %s: %w", path, faults)
}
