package config_test

import (
	"slices"
	"testing"

	"maru/config"
)

// TestGivenSettingsAreCompared: settings of the command line and the environment are named where another program has other values;
// secrets, the data folder and what was not given are not.
func TestGivenSettingsAreCompared(t *testing.T) {
	t.Parallel()
	load := func(args []string, environ ...string) config.Config {
		t.Helper()
		c, _, err := config.Load(config.Source{Args: args, Environ: environ})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	running := load(nil, "DATA_DIR=/srv/maru", "MARU_HANDBOOK=false")
	caller := load([]string{"--agent", "orchestrator"}, "DATA_DIR=/tmp/x", "LOG_LEVEL=debug", "MARU_HANDBOOK=false", "OPENAI_API_KEY=sk-secret", "OPENAI_MODEL=m")
	given := caller.Given()
	if got := running.Differing(given); !slices.Contains(got, "MARU_AGENT") || !slices.Contains(got, "OPENAI_MODEL") || slices.Contains(got, "MARU_HANDBOOK") || slices.Contains(got, "DATA_DIR") {
		t.Errorf("differing %q", got)
	}
	if got := caller.Differing(given); len(got) > 0 {
		t.Errorf("from itself %q", got)
	}
	if slices.ContainsFunc(given, func(line string) bool { return line == "OPENAI_API_KEY=***" || line == "OPENAI_API_KEY=sk-secret" }) {
		t.Errorf("a secret is given: %q", given)
	}
}
