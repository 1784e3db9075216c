package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHelpSaysWhatFormsName: every option of a form has its meaning, every
// meaning its option, and every example begins with its command.
func TestHelpSaysWhatFormsName(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`--[a-z]+`)
	for _, c := range subcommands() {
		if c.hidden {
			continue
		}
		var named, told []string
		for _, f := range c.forms {
			named = append(named, name.FindAllString(f, -1)...)
		}
		for _, o := range c.options {
			if flag := name.FindString(o.flag); flag != "" {
				told = append(told, flag)
			}
			if o.meaning == "" {
				t.Errorf("%s %s: no meaning", c.name, o.flag)
			}
		}
		slices.Sort(named)
		slices.Sort(told)
		if !slices.Equal(slices.Compact(named), told) {
			t.Errorf("%s: the forms name %q, the options tell of %q", c.name, named, told)
		}
		for _, e := range c.examples {
			if !strings.HasPrefix(e, c.name+" ") {
				t.Errorf("%s: example %q", c.name, e)
			}
		}
		for _, line := range strings.Split(c.help(), "\n") {
			if line != strings.TrimRight(line, " ") {
				t.Errorf("%s: blanks at the end of %q", c.name, line)
			}
		}
	}
}

// TestOptionsAreTaken: what help tells of is a flag of the command, since without
// its value, or with a wrong one, it is refused by name and not as unknown.
func TestOptionsAreTaken(t *testing.T) {
	t.Parallel()
	for _, c := range subcommands() {
		for _, form := range c.forms {
			verb := ""
			if word, _, _ := strings.Cut(form, " "); len(c.forms) > 1 && word != "" && word[0] >= 'a' && word[0] <= 'z' {
				verb = word
			}
			for _, o := range c.options {
				flag, value, takes := strings.Cut(o.flag, " ")
				if flag == "-" || !strings.Contains(form, flag) {
					continue
				}
				args, want := []string{c.name, flag + "=perhaps"}, "takes no value"
				if takes && value != "" {
					args, want = []string{c.name, flag}, "wants a value"
				}
				if c.name == "workflow" && verb != "" {
					args = slices.Insert(args, 1, verb)
				}
				code, _, stderr := runHere(t, "", []string{"DATA_DIR=" + t.TempDir()}, args...)
				isSetting := strings.Contains(stderr, "has no value") // --agent, as in the table of settings
				if code != exitUsage || !strings.Contains(stderr, want) && !isSetting {
					t.Errorf("%q: exit %d, %s", args, code, tail(stderr, 300))
				}
			}
		}
	}
}
