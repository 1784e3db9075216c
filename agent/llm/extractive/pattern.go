package extractive

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first asked. There are
// many here, and a child of the program that reads one file asks none of them.
type pattern struct {
	expr func() string
	once sync.Once
	re   *regexp.Regexp
}

// patterns are all there are, for the test that compiles them.
var patterns []*pattern

// expression is called where the package's variables are made, and nowhere else.
func expression(expr string) *pattern {
	return expressionOf(func() string { return expr })
}

// expressionOf is expression of what must be read first.
func expressionOf(expr func() string) *pattern {
	p := &pattern{expr: expr}
	patterns = append(patterns, p)
	return p
}

func (p *pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.expr()) })
	return p.re
}

// The methods are those of [regexp.Regexp].

func (p *pattern) MatchString(s string) bool            { return p.compiled().MatchString(s) }
func (p *pattern) FindString(s string) string           { return p.compiled().FindString(s) }
func (p *pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }
func (p *pattern) ReplaceAllString(s, repl string) string {
	return p.compiled().ReplaceAllString(s, repl)
}
func (p *pattern) ReplaceAllStringFunc(s string, repl func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, repl)
}
func (p *pattern) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }
func (p *pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}
func (p *pattern) String() string { return p.expr() }
func (p *pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}
