package memtest

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"maru/memory/schema"
)

// Meeting is a program's outcome on a record that another version left.
type Meeting struct {
	Steps  []schema.Migration // as Status lists them
	Status error              // of Status
	Open   error              // of Open
}

// Meet makes a record as a program with the steps of one folder leaves it, and
// lets a program with those of the other meet it.
type Meet func(t *testing.T, record, program fs.FS) Meeting

// RunNewerRecord checks which versions may open a newer program's record, and the reported status. own are the
// store's steps.
func RunNewerRecord(t *testing.T, own fs.FS, meet Meet) {
	t.Helper()
	adds, contracts := Future(t, own)
	for name, c := range map[string]struct {
		record, program fs.FS
		newer           int
		want            string // "" if it is opened
	}{
		"this program's":             {own, own, 0, ""},
		"the one before":             {own, adds, 0, ""},
		"a newer one adds":           {adds, own, 1, ""},
		"a newer one took away":      {contracts, own, 2, "needs a program that knows step"},
		"which was used no more":     {contracts, adds, 1, ""},
		"an earlier record, at once": {own, contracts, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := meet(t, c.record, c.program)
			newer := 0
			for _, s := range m.Steps {
				if s.Newer {
					newer++
				}
				if s.Done && s.Applied.IsZero() {
					t.Errorf("nobody knows when %s was applied", s.Name)
				}
			}
			if newer != c.newer || (m.Status == nil) != (c.want == "") {
				t.Errorf("status: %d newer, %v; want %d, %q", newer, m.Status, c.newer, c.want)
			}
			if (m.Open == nil) != (c.want == "") || m.Open != nil && (!errors.Is(m.Open, schema.ErrNewer) || !strings.Contains(m.Open.Error(), c.want)) {
				t.Errorf("open: %v, want %q", m.Open, c.want)
			}
		})
	}
}
