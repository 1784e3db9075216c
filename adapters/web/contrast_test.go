package web

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContrast checks the colours of text on what it is on against WCAG 2.2
// AA (4.5:1), light and dark.
func TestContrast(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile(filepath.Join("assets", "style.css"))
	if err != nil {
		t.Fatal(err)
	}
	for name, start := range map[string]string{"light": ":root {", "dark": `:root[data-theme="dark"] {`, "dark_by_system": `:root:not([data-theme="light"]) {`} {
		_, block, ok := strings.Cut(string(css), start)
		if !ok {
			t.Fatalf("no %s colours", name)
		}
		block, _, _ = strings.Cut(block, "}")
		colour := make(map[string]float64)
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): #([0-9a-f]{6});`).FindAllStringSubmatch(block, -1) {
			colour[m[1]] = luminance(t, m[2])
		}
		for _, pair := range []string{
			"ink paper", "ink sheet", "ink wood-2", "ink-2 paper", "ink-2 wood", "ink-2 wood-2", "ink-3 paper", "ink-3 sheet", "ink-3 wood",
			"ink-3 wood-2", "accent paper", "accent sheet", "accent accent-soft", "accent-ink accent", "bad sheet", "bad bad-soft", "good wood-2",
			"mark-ink mark", "paper ink",
		} {
			fore, back, _ := strings.Cut(pair, " ")
			a, okA := colour[fore]
			b, okB := colour[back]
			if !okA || !okB {
				t.Fatalf("%s: no colour for %q", name, pair)
			}
			if ratio := (max(a, b) + .05) / (min(a, b) + .05); ratio < 4.5 {
				t.Errorf("%s: %s has a contrast of %.2f", name, pair, ratio)
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	part := func(shift uint) float64 {
		c := float64(n>>shift&255) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return .2126*part(16) + .7152*part(8) + .0722*part(0)
}
