package config

import (
	"errors"
	"slices"
)

// WithAgents adds to [Load]'s error, which may be nil, a fault if MARU_AGENT names no existing agent: only the
// program knows the agents. An error other than [Faults] stays as it is.
func (c *Config) WithAgents(wrong error, ids []string) error {
	var faults Faults
	if wrong != nil && !errors.As(wrong, &faults) || c.Place.Agent == "" { // refused by itself, and reported
		return wrong
	}
	const variable = "MARU_AGENT"
	is, fix := oneOf(ids...)(c.Place.Agent)
	if is == "" {
		return wrong
	}
	source := c.origin[variable]
	return append(slices.Clip(faults), Fault{Variable: variable, Source: source, Wrong: is + ", and there is no such agent that can serve", Fix: fix + "; `maru workflow list` shows them"})
}
