// Package pattern compiles regular expressions on first use, and runs them only on texts that match: whether a text does
// is decided by an automaton with one look-up a character.
//
// The program has several hundred patterns for what people write, and most of its processes (commands, children that parse
// files, tests) use few of them. Compiled at start they cost each process 10 MB of allocations and most of the CPU before
// main. It must not know what a pattern is for.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression in the syntax of [regexp]. It is safe for concurrent use. Its methods are those of
// [regexp.Regexp]; the first call compiles the expression and panics if it is invalid.
type Pattern struct {
	expr    string
	compile func() *regexp.Regexp
	decide  func() *automaton
}

// New returns a Pattern for an expression.
func New(expr string) *Pattern {
	return &Pattern{
		expr,
		sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }),
		sync.OnceValue(func() *automaton { return newAutomaton(expr) }),
	}
}

// in returns the expression to run on a text, nil if nothing in it matches.
func (p *Pattern) in(s string) *regexp.Regexp {
	if found, sure := p.decide().holds(s); sure && !found {
		return nil
	}
	return p.compile()
}

// Regexp returns the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp { return p.compile() }

// String returns the expression.
func (p *Pattern) String() string { return p.expr }

// MatchString is [regexp.Regexp.MatchString].
func (p *Pattern) MatchString(s string) bool {
	if found, sure := p.decide().holds(s); sure {
		return found
	}
	return p.compile().MatchString(s)
}

// FindString is [regexp.Regexp.FindString].
func (p *Pattern) FindString(s string) string {
	if re := p.in(s); re != nil {
		return re.FindString(s)
	}
	return ""
}

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (p *Pattern) FindStringIndex(s string) []int {
	if re := p.in(s); re != nil {
		return re.FindStringIndex(s)
	}
	return nil
}

// FindStringSubmatch is [regexp.Regexp.FindStringSubmatch].
func (p *Pattern) FindStringSubmatch(s string) []string {
	if re := p.in(s); re != nil {
		return re.FindStringSubmatch(s)
	}
	return nil
}

// FindStringSubmatchIndex is [regexp.Regexp.FindStringSubmatchIndex].
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	if re := p.in(s); re != nil {
		return re.FindStringSubmatchIndex(s)
	}
	return nil
}

// FindAllString is [regexp.Regexp.FindAllString].
func (p *Pattern) FindAllString(s string, n int) []string {
	if re := p.in(s); re != nil {
		return re.FindAllString(s, n)
	}
	return nil
}

// FindAllStringIndex is [regexp.Regexp.FindAllStringIndex].
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	if re := p.in(s); re != nil {
		return re.FindAllStringIndex(s, n)
	}
	return nil
}

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch].
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	if re := p.in(s); re != nil {
		return re.FindAllStringSubmatch(s, n)
	}
	return nil
}

// FindAllStringSubmatchIndex is [regexp.Regexp.FindAllStringSubmatchIndex].
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if re := p.in(s); re != nil {
		return re.FindAllStringSubmatchIndex(s, n)
	}
	return nil
}

// ReplaceAllString is [regexp.Regexp.ReplaceAllString].
func (p *Pattern) ReplaceAllString(s, with string) string {
	if re := p.in(s); re != nil {
		return re.ReplaceAllString(s, with)
	}
	return s
}

// ReplaceAllStringFunc is [regexp.Regexp.ReplaceAllStringFunc].
func (p *Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	if re := p.in(s); re != nil {
		return re.ReplaceAllStringFunc(s, with)
	}
	return s
}

// Split is [regexp.Regexp.Split].
func (p *Pattern) Split(s string, n int) []string { return p.compile().Split(s, n) }
