package source_test

import (
	"strings"
	"testing"

	"maru/rag/source"
)

// TestReadersScope: equal sets share a scope, others do not, and its name tells the source and for whom that is.
func TestReadersScope(t *testing.T) {
	t.Parallel()
	scope := func(outer, name string, r source.Readers) string {
		t.Helper()
		s, err := r.Scope(name, source.Spec{Scope: outer})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ann := source.Readers{Mails: []string{"ann@example.com", "@example.org"}}
	for _, outer := range []string{"public", "team:slack/T1", "channel:slack/T1/C1"} {
		one := scope(outer, "drive", ann)
		if got, ok := source.RestrictionOf(one); !ok || got != (source.Restriction{Source: "drive", Outer: outer}) {
			t.Errorf("%s is read as %v, %v", one, got, ok)
		}
		if same := scope(outer, "drive", source.Readers{Mails: []string{" @Example.org", "ANN@example.com", "ann@example.com", "group"}}); same != one {
			t.Errorf("%s and %s are of the same readers", one, same)
		}
		others := map[string]bool{
			one: true, scope(outer, "drive", source.Readers{}): true, scope(outer, "drive2", ann): true,
			scope(outer, "drive", source.Readers{Everyone: true}): true, scope("team:slack/T2", "drive", ann): true,
		}
		if len(others) != 5 {
			t.Errorf("scopes of different readers are the same: %v", others)
		}
		if all := scope(outer, "drive", source.Readers{Everyone: true, Mails: ann.Mails}); all != outer {
			t.Errorf("everyone reads %s, want %s", all, outer)
		}
		if strings.Contains(one, "ann") {
			t.Errorf("%s names a person", one)
		}
	}
	for _, plain := range []string{"public", "sample", "team:slack/T1", "channel:slack/T1/C1", "readers:", "readers:x/y/z", "readers:a/b/c/d/e/f"} {
		if got, ok := source.RestrictionOf(plain); ok {
			t.Errorf("%q is read as %v", plain, got)
		}
	}
}
