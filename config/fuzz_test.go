package config_test

import (
	"errors"
	"testing"

	"maru/config"
)

// FuzzFile feeds anything as the YAML file: Load must end with settings or
// faults, never with a panic.
func FuzzFile(f *testing.F) {
	for _, tc := range bad {
		f.Add(tc.file)
	}
	f.Add("model: {prices: {a: &a {input: 1, output: 2}, b: *a}}")
	f.Add("&a a: *a")
	f.Fuzz(func(t *testing.T, file string) {
		_, _, err := from(nil, file)
		var faults config.Faults
		if err != nil && !errors.As(err, &faults) {
			t.Error(err)
		}
	})
}
