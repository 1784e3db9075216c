package config_test

import (
	"math"
	"testing"

	"maru/config"
)

func TestCost(t *testing.T) {
	t.Parallel()
	m := config.Model{Prices: map[string]config.Price{
		"gpt-4.1": {Input: 2, Output: 8, Cached: 0.5}, "gpt-4.1-mini": {Input: 0.4, Output: 1.6, Cached: 0.1},
	}}
	for name, c := range map[string]struct {
		model                 string
		input, output, cached int
		want                  float64
	}{
		"by_its_name":                {"gpt-4.1", 1_000_000, 500_000, 0, 6},
		"some_was_cached":            {"gpt-4.1", 1_000_000, 0, 400_000, 1.4},
		"a_version":                  {"gpt-4.1-2025-04-14", 1_000_000, 0, 0, 2},
		"of_the_longer_name":         {"gpt-4.1-mini-2025-04-14", 1_000_000, 1_000_000, 0, 2},
		"unknown":                    {"local", 1_000_000, 0, 0, 0},
		"another_family":             {"gpt-4.10", 1_000_000, 0, 0, 0},
		"more_cached_than_there_was": {"gpt-4.1", 1_000_000, 0, 2_000_000, 0.5},
	} {
		if got := m.Cost(c.model, c.input, c.output, c.cached); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s costs %v, want %v", name, got, c.want)
		}
	}
}
