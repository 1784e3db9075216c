// Package pattern compiles regular expressions on first use, and runs them only on texts that may match.
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
	compile func() compiled
}

// compiled is an expression with texts of which every match holds one; none if they are not known.
type compiled struct {
	*regexp.Regexp

	needs []string
}

// New returns a Pattern for an expression.
func New(expr string) *Pattern {
	return &Pattern{expr, sync.OnceValue(func() compiled {
		c := compiled{Regexp: regexp.MustCompile(expr)}
		if begins, _ := c.LiteralPrefix(); begins == "" { // for which regexp searches itself
			c.needs = literals(expr)
		}
		return c
	})}
}

// in returns the expression to run on a text, nil if nothing in it can match.
func (p *Pattern) in(s string) *regexp.Regexp {
	c := p.compile()
	if len(c.needs) > 0 && !holds(s, c.needs) {
		return nil
	}
	return c.Regexp
}

// Regexp returns the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp { return p.compile().Regexp }

// String returns the expression.
func (p *Pattern) String() string { return p.expr }

// MatchString is [regexp.Regexp.MatchString].
func (p *Pattern) MatchString(s string) bool {
	if re := p.in(s); re != nil {
		return re.MatchString(s)
	}
	return false
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
