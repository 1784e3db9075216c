package config

import (
	"slices"
	"strings"
)

// Given lists the settings of the command line and the environment as "NAME=value", for a running program that answers instead of this
// one. Secrets, the data folder and the log's level are left out.
func (c *Config) Given() []string {
	var lines []string
	for _, v := range c.Values() {
		if !v.Secret && v.Var != "DATA_DIR" && v.Var != "LOG_LEVEL" && (v.From == "environment" || strings.HasPrefix(v.From, "flag ")) {
			lines = append(lines, v.Var+"="+v.Text)
		}
	}
	return lines
}

// Differing names the settings among those that [Config.Given] listed for which c has another value.
func (c *Config) Differing(given []string) []string {
	var names []string
	for _, v := range c.Values() {
		i := slices.IndexFunc(given, func(line string) bool { return strings.HasPrefix(line, v.Var+"=") })
		if i >= 0 && given[i] != v.Var+"="+v.Text {
			names = append(names, v.Var)
		}
	}
	return names
}
