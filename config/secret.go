package config

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"maru/phrase/pattern"
)

// Secret is text that must never be shown. Every way of printing it gives
// "***"; [Secret.Reveal] is the one way to read it, easy to search for.
type Secret string

// mask replaces a secret in output.
const mask = "***"

// Reveal returns the secret itself, to be handed to the client that needs it.
func (s Secret) Reveal() string { return string(s) }

// String implements fmt.Stringer; it shows only whether there is a secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return mask
}

// Format implements fmt.Formatter for every verb: %x, %q and %#v would
// otherwise print the bytes.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText implements encoding.TextMarshaler, which JSON follows.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalYAML implements yaml.Marshaler.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// secretLike finds values that are secrets in the wrong place: tokens by their
// prefix, passwords in URLs, and long strings that no person would type.
var secretLike = pattern.New(`(?i)xox[a-z]|xapp-|\bsk-|tvly-|AIza|Bot |://[^/@\s]*@|[0-9a-z_.-]{24,}`)

// quote shows a value in a fault, cut and without anything that looks secret.
func quote(value string) string {
	if secretLike.MatchString(value) {
		return mask
	}
	runes := []rune(strings.ToValidUTF8(value, "?"))
	if len(runes) > 40 {
		runes = append(runes[:40], '…')
	}
	out := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, string(runes))
	return `"` + out + `"`
}
