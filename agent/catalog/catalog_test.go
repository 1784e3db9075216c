package catalog_test

import (
	"slices"
	"testing"

	"maru/agent/catalog"
)

// TestIDsAreThoseOfTheDefinitions holds the list of ids to the definitions, which it does not read.
func TestIDsAreThoseOfTheDefinitions(t *testing.T) {
	t.Parallel()
	var want []string
	for _, d := range catalog.Builtin() {
		want = append(want, d.ID)
	}
	if got := catalog.IDs(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
