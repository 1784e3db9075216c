package english_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"maru/rag/english"
)

// TestWords: names are no common words.
func TestWords(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("words.gz")
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(list); hex.EncodeToString(sum[:]) != "74511f5b5a133393c4c674a0f140ad0dd67d56855b9d752c64029860c306dbab" {
		t.Error("words.gz is not the list that words.md describes")
	}
	for _, w := range []string{"bereavement", "sabbatical", "policies", "planning", "studied", "onboarding", "reseller", "travelled", "colour", "laptops"} {
		if !english.Is(w) {
			t.Errorf("%q is no common word", w)
		}
	}
	for _, w := range []string{"mysql", "bitbucket", "madrid", "southgate", "globex", "postgres", "daehan"} {
		if english.Is(w) {
			t.Errorf("%q is a common word", w)
		}
	}
}
