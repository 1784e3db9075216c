package intent

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Slash reads "/docs list" or "/maru docs list", on surfaces where no platform reads
// what follows a slash. Anything else is a message. A word that names none of the
// commands (isCommand tells) is read as one all the same, so that the bot can say which was meant;
// but not the beginning of a path, of a comment or of several lines, which people
// paste and ask about.
func Slash(text string, isCommand func(name string) bool) (name, args string, ok bool) {
	text = strings.TrimSpace(text)
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		if rest, ok = strings.CutPrefix(text, "／"); !ok { // as an input method writes it
			return "", "", false
		}
	}
	name, args = firstWord(rest)
	if name == "maru" {
		name, args = firstWord(args)
		if name == "" {
			name = "help"
		}
		return name, args, true // the bot says what is wrong with it
	}
	known := isCommand(name)
	return name, args, known || name != "" && !strings.Contains(text, "\n") && isWord(name) && (args == "" || !slices.Contains(topFolders, name))
}

// topFolders are where paths begin: "/tmp is full" is no command.
var topFolders = []string{
	"bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "private", "proc", "root", "run", "sbin", "srv",
	"sys", "tmp", "usr", "var", "applications", "library", "users", "volumes",
}

// isWord reports whether a name is made as those of commands are: of letters, and of
// digits and hyphens after them.
func isWord(name string) bool {
	for i, r := range name {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '-' && r != '_') {
			return false
		}
	}
	return true
}

// firstWord splits off the first word, in small letters and without the marks that
// end a sentence.
func firstWord(s string) (word, rest string) {
	if !strings.HasPrefix(s, " ") { // "/ 3" is a sum
		s = strings.TrimSpace(s)
	}
	i := strings.IndexFunc(s, unicode.IsSpace)
	if i < 0 {
		i = len(s)
	}
	return strings.TrimRight(strings.ToLower(norm.NFC.String(s[:i])), "?!.,"), strings.TrimSpace(s[i:])
}
