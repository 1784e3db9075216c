package schema

import (
	"fmt"
	"io"
	"time"
)

// Show lists the steps of a schema, explains newer steps than this program's, and returns the reason if it is
// incompatible.
func Show(out io.Writer, steps []Migration, refused error) error {
	ahead := 0
	for _, s := range steps {
		state := "pending"
		switch {
		case s.Done && s.Applied.IsZero():
			state = "applied"
		case s.Done:
			state = "applied " + s.Applied.Format(time.RFC3339)
		}
		if s.Newer {
			ahead++
			state += ", by a newer program"
		}
		if _, err := fmt.Fprintf(out, "%04d %-30s %s\n", s.Version, s.Name, state); err != nil {
			return err
		}
	}
	if ahead == 0 || refused != nil {
		return refused
	}
	_, err := fmt.Fprintf(out, "The record is %d ahead of this program. Those steps leave it what it needs: it works with the record as it is.\n", ahead)
	return err
}
