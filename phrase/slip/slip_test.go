package slip_test

import (
	"testing"

	"maru/phrase/slip"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b         string
		enough, want int
	}{
		"the same":                    {"plan", "plan", 3, 0},
		"nothing":                     {"", "", 3, 0},
		"a letter too much":           {"plann", "plan", 3, 1},
		"a letter too few":            {"pan", "plan", 3, 1},
		"another letter":              {"plen", "plan", 3, 1},
		"two neighbours swapped":      {"paln", "plan", 3, 1},
		"swapped twice":               {"lpna", "plan", 3, 2},
		"a letter of three bytes":     {"연가", "연차", 3, 1},
		"of one length, not alike":    {"abcd", "wxyz", 3, 3},
		"all of a short word":         {"ab", "xy", 5, 2},
		"much longer":                 {"a", "annotation", 3, 3},
		"from nothing to few":         {"", "ab", 3, 2},
		"neighbours with one between": {"abc", "cba", 5, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			there, back := slip.Count([]rune(c.a), []rune(c.b), c.enough), slip.Count([]rune(c.b), []rune(c.a), c.enough)
			if there != c.want || back != c.want {
				t.Errorf("%q and %q: %d, and the other way round %d; want %d", c.a, c.b, there, back, c.want)
			}
		})
	}
}
