package extractive

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first asked for. There are
// many here, and a child of the program that reads one file asks for none of them.
type pattern func() *regexp.Regexp

// patterns are all there are, for the test that compiles them.
var patterns []pattern

// expression is called where the package's variables are made, and nowhere else.
func expression(expr string) pattern {
	return expressionOf(func() string { return expr })
}

// expressionOf is expression of what must be read first.
func expressionOf(expr func() string) pattern {
	p := pattern(sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr()) }))
	patterns = append(patterns, p)
	return p
}
