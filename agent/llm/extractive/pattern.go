package extractive

import (
	"regexp"
	"sync"
)

// pattern compiles a regular expression on first use: a child process that reads one file
// uses none of the expressions here.
type pattern func() *regexp.Regexp

// expression is called where the package's variables are made, and nowhere else.
func expression(expr string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
