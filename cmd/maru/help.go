package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"maru/config"
)

// help prints the commands and every setting, or one command's use.
func help(_ context.Context, inv invocation) error {
	if len(inv.args) > 1 {
		return usageError{Text: "one command at a time"}
	}
	if len(inv.args) == 1 {
		c, known := find(inv.args[0])
		if !known {
			return usageError{Text: fmt.Sprintf("there is no command %q; `maru help` lists those there are", inv.args[0])}
		}
		_, err := io.WriteString(inv.stdout, c.help())
		return err
	}
	var s strings.Builder
	s.WriteString("Maru is a chat bot for teams on Slack and Discord.\n\nusage: maru [COMMAND] [SETTINGS]\n\ncommands:\n")
	var rows [][2]string
	for _, c := range subcommands() {
		if !c.hidden {
			rows = append(rows, [2]string{c.name, c.summary})
		}
	}
	columns(&s, rows)
	s.WriteString("\n`maru COMMAND -h` shows how to use a command.\n\n")
	if _, err := io.WriteString(inv.stdout, s.String()); err != nil {
		return err
	}
	return config.Help(inv.stdout)
}

// use returns the command's forms, one per line.
func (c subcommand) use() string {
	forms := c.forms
	if len(forms) == 0 {
		forms = []string{""}
	}
	var s strings.Builder
	for i, f := range forms {
		lead := "usage: "
		if i > 0 {
			lead = "       "
		}
		s.WriteString(lead + strings.TrimSpace("maru "+c.name+" "+f) + "\n")
	}
	return s.String()
}

// help returns the complete help of the command.
func (c subcommand) help() string {
	var s strings.Builder
	s.WriteString(c.use() + "\n" + strings.ToUpper(c.summary[:1]) + c.summary[1:] + ".\n")
	if len(c.options) > 0 {
		s.WriteString("\noptions:\n")
		var rows [][2]string
		for _, o := range c.options {
			rows = append(rows, [2]string{o.flag, o.meaning})
		}
		columns(&s, rows)
	}
	if len(c.examples) > 0 {
		s.WriteString("\nexamples:\n")
		for _, e := range c.examples {
			s.WriteString("  maru " + e + "\n")
		}
	}
	s.WriteString("\nThe exit code is 0 if it worked, 1 if it did not, 2 if it was called wrongly.\n" +
		"`maru help` lists the settings, which every command takes.\n")
	return s.String()
}

// columns writes rows of two columns, the second ones in line.
func columns(s *strings.Builder, rows [][2]string) {
	wide := 0
	for _, r := range rows {
		wide = max(wide, utf8.RuneCountInString(r[0]))
	}
	for _, r := range rows {
		fmt.Fprintf(s, "  %-*s  %s\n", wide, r[0], r[1])
	}
}
