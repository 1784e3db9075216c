package config

import "maru/phrase/slip"

// nearest returns the option that is at most limit slips of the keyboard away
// from word: a letter too much, too few, another one, or two swapped.
func nearest(word string, options []string, limit int) (string, bool) {
	best, found := limit+1, ""
	for _, option := range options {
		if d := slip.Count([]byte(word), []byte(option), best); d < best {
			best, found = d, option
		}
	}
	return found, found != ""
}
