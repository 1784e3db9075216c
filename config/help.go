package config

import (
	"fmt"
	"io"
	"strings"
)

// Help writes every setting as --help shows it: flag, variable, meaning and
// default. It returns the first error of w.
func Help(w io.Writer) error {
	p := &printer{w: w}
	p.printf("Settings. Flags win over the environment, the environment over the YAML file\n")
	p.printf("named by --config or %s. A secret NAME may be read from a file named by NAME_FILE.\n", configVar)
	for _, g := range Table() {
		p.printf("\n%s:\n", g.Title)
		for _, s := range g.Settings {
			p.printf("  --%s, %s\n        %s", s.Flag(), s.Var, strings.ReplaceAll(s.Help, "`", ""))
			if s.Default != "" {
				p.printf(" (default %s)", s.Default)
			}
			p.printf("\n")
		}
	}
	return p.err
}

// Markdown writes the settings as the tables of docs/configuration.md.
func Markdown(w io.Writer) error {
	p := &printer{w: w}
	for i, g := range Table() {
		if i > 0 {
			p.printf("\n")
		}
		p.printf("**%s**\n\n| variable | YAML | default | meaning |\n|---|---|---|---|\n", g.Title)
		for _, s := range g.Settings {
			def := ""
			if s.Default != "" {
				def = "`" + s.Default + "`"
			}
			p.printf("| `%s` | `%s` | %s | %s |\n", s.Var, s.Key, def, s.Help)
		}
	}
	return p.err
}

// Value is a setting as it is in force.
type Value struct {
	Setting
	Text string // masked if it is a secret, "" if unset
	From string // "default", "environment", "flag --x", "maru.yaml:12", "" if unset
}

// Values lists the effective values with their origins, for doctor.
func (c *Config) Values() []Value {
	var values []Value
	for _, s := range all() {
		values = append(values, Value{Setting: s, Text: text(s.into(c)), From: c.origin[s.Var]})
	}
	return values
}

// text renders a field that assign filled.
func text(field any) string {
	switch p := field.(type) {
	case *Secret:
		return p.String()
	case *[]string:
		return strings.Join(*p, ",")
	case *map[string]Price:
		return fmt.Sprintf("%d models", len(*p))
	case **float64:
		if *p == nil {
			return ""
		}
		return fmt.Sprint(**p)
	case apiType:
		if *p.azure {
			return "azure"
		}
		return "openai"
	case everyApproval:
		return fmt.Sprint(p.into.Clarification && p.into.Plan && p.into.Step)
	case *string:
		return *p
	case *bool:
		return fmt.Sprint(*p)
	case *int:
		return fmt.Sprint(*p)
	case *int64:
		return fmt.Sprint(*p)
	case *float64:
		return fmt.Sprint(*p)
	case fmt.Stringer: // durations, levels and networks
		return p.String()
	}
	return ""
}

// printer remembers the first error of its writer.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
