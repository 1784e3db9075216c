package pattern

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostLiterals = 64 // that are searched for before an expression is run
	leastLiteral = 2  // bytes of one that few texts hold, unless it is a digit or a sign

	signs = "0123456789[]{}<>`|\\^~$%&@=#" // characters that most messages lack
)

// literals returns texts of which every match of an expression holds one, in lower case; none if there are no such texts,
// or too many to be worth a search. Most patterns do not match most messages: a search for a few words is several times
// cheaper than running the expression.
func literals(expr string) []string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil // it panics when it is compiled
	}
	found := needed(re.Simplify())
	slices.Sort(found)
	found = slices.Compact(found)
	common := func(s string) bool { return len(s) < leastLiteral && !strings.Contains(signs, s) }
	if len(found) == 0 || len(found) > mostLiterals || slices.ContainsFunc(found, common) {
		return nil
	}
	return found
}

// needed returns texts of which every match of a node holds one; none if it is not known.
func needed(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCharClass:
		return members(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if one := needed(sub); better(one, best) {
				best = one
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			one := needed(sub)
			if len(one) == 0 {
				return nil
			}
			all = append(all, one...)
		}
		return all
	}
	return nil
}

// members returns the characters of a class as texts, none if there are many. A class holds all cases of its letters.
func members(ranges []rune) []string {
	var out []string
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			one := text([]rune{r})
			if one == nil || len(out) == mostLiterals {
				return nil
			}
			out = append(out, one...)
		}
	}
	return out
}

// literal returns a literal in lower case. Where case does not count it is its longest part of letters for whose other
// cases [holds] looks.
func literal(re *syntax.Regexp) []string {
	if re.Flags&syntax.FoldCase == 0 {
		return text(re.Rune)
	}
	var best, run []rune
	for _, r := range re.Rune {
		if r >= utf8.RuneSelf && unicode.SimpleFold(r) != r {
			run = nil
			continue
		}
		if run = append(run, r); len(run) > len(best) {
			best = slices.Clone(run)
		}
	}
	return text(best)
}

func text(runes []rune) []string {
	if len(runes) == 0 || slices.Contains(runes, utf8.RuneError) { // which invalid UTF-8 matches
		return nil
	}
	return []string{lower(string(runes))}
}

// better prefers few texts, and long ones.
func better(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) > 0
	}
	return shortest(a)*len(b) > shortest(b)*len(a)
}

func shortest(list []string) int {
	least := len(list[0])
	for _, s := range list {
		least = min(least, len(s))
	}
	return least
}

// lower changes ASCII letters only, and returns the text itself where there are none to change.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return string(lowered([]byte(s), i))
		}
	}
	return s
}

func lowered(b []byte, from int) []byte {
	for i := from; i < len(b); i++ {
		if 'A' <= b[i] && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return b
}

// holds reports whether a text may hold one of the literals.
func holds(s string, literals []string) bool {
	small := lower(s)
	for _, l := range literals {
		if strings.Contains(small, l) {
			return true
		}
	}
	return strings.Contains(s, "\u212a") || strings.Contains(s, "\u017f") // other cases of k and s, which lower leaves
}
