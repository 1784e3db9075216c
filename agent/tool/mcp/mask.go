package mcp

import (
	"cmp"
	"slices"
	"strings"
)

// shortestSecret is the length of a value from which on it is taken for a secret, in
// bytes: "info" and "8080" occur in many texts.
const shortestSecret = 8

// secrets lists the values that the settings gave the server: the longest first, as
// one may hold another, and of "Bearer x" also x.
func secrets(cfg Server) []string {
	var out []string
	for _, line := range cfg.Env {
		_, value, _ := strings.Cut(line, "=")
		out = append(out, value)
	}
	for _, values := range cfg.Headers {
		for _, value := range values {
			out = append(out, append(strings.Fields(value), value)...)
		}
	}
	out = slices.DeleteFunc(out, func(s string) bool { return len(s) < shortestSecret })
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return out
}

// mask takes the server's secrets out of a text.
func (s *server) mask(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
}
