package plain

import (
	"strings"

	"maru/phrase/pattern"
)

// private is added to an escaped character while markup is removed: it is none itself.
const private rune = 0x10FF00

var (
	escape = pattern.New("`[^`]*`|" + `\\[!-/:-@\[-` + "`" + `{-~]`)
	hidden = pattern.New(`[\x{10FF21}-\x{10FF7E}]`)
)

// Unescaped returns a line of Markdown whose markup strip has removed, but for characters after a backslash outside of code:
// these stay, without it.
func Unescaped(line string, strip func(string) string) string {
	if !strings.Contains(line, `\`) {
		return strip(line)
	}
	line = strip(escape.ReplaceAllStringFunc(line, func(m string) string {
		if m[0] == '`' {
			return m
		}
		return string(rune(m[1]) + private)
	}))
	return hidden.ReplaceAllStringFunc(line, func(c string) string { return string([]rune(c)[0] - private) })
}
