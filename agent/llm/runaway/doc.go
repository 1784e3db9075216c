// Package runaway finds where a model runs on after its reply: the marks of its template, turns that it invents, and a part that
// it says over and over. It knows no endpoint and no wire format.
package runaway

import "unicode"

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
