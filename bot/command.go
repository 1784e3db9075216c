package bot

import (
	"context"
	"slices"
	"strings"
)

// Command is one row of the table that defines every platform's commands, their help and their argument checks.
type Command struct {
	Name    string            // "ask"
	Also    map[string]string // aliases by language, separated by spaces, for typed commands
	Summary map[string]string // one line by language
	Args    []Arg
	Admin   bool // only admins of the workspace
}

// Is reports whether a word, in small letters, names the command in any language.
func (c Command) Is(word string) bool {
	for _, names := range c.Also {
		if slices.Contains(strings.Fields(names), word) {
			return true
		}
	}
	return word == c.Name
}

// Commands is the table of all commands.
type Commands []Command

// Has reports whether a word, in small letters, names one of them in any language.
func (cs Commands) Has(word string) bool {
	return slices.ContainsFunc(cs, func(c Command) bool { return c.Is(word) })
}

// Arg is an argument of a command.
type Arg struct {
	Name     string // [a-z_]{1,32}
	Summary  map[string]string
	Required bool
	Rest     bool     // takes the rest of the line
	Choices  []string // allowed values, if not free
	Kind     ArgKind
	Min, Max int  // of a number; both 0: unbounded
	Complete bool // the bot is a [Completer] for it
}

// mostShown limits the choices of an argument that help lists.
const mostShown = 8

// Usage returns the syntax of the command's arguments as help shows it: short lists of choices, and
// optional arguments in brackets. "" means no arguments.
func (c Command) Usage() string {
	var words []string
	for _, a := range c.Args {
		word := strings.ToUpper(a.Name)
		if n := len(a.Choices); n > 0 && n <= mostShown {
			word = strings.Join(a.Choices, "|")
		}
		if !a.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// ArgKind is the type of an argument. Platforms without typed arguments accept words.
type ArgKind string

// The kinds of arguments. In Invocation.Options a user or channel is its id.
const (
	ArgText    ArgKind = ""
	ArgInteger ArgKind = "integer"
	ArgNumber  ArgKind = "number"
	ArgBool    ArgKind = "bool" // "true" or "false"
	ArgUser    ArgKind = "user"
	ArgChannel ArgKind = "channel"
	ArgPeople  ArgKind = "people" // words that name people, roles and groups: mentions stay as the platform writes them
)

// Completer is an Intake that completes an argument while a person types it. c.Options[arg] is the
// text so far; at most 25 options are shown. It answers within a second and returns no options
// rather than an error.
type Completer interface {
	Complete(ctx context.Context, c Invocation, arg string) []Option
}
