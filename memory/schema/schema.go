// Package schema defines compatible migrations of the record's tables, so that a program keeps running beside a newer
// one and can start again after it.
//
// A step is additive, or it contracts: it removes parts that programs since an earlier step no longer use; its first
// line says which. A removal therefore takes two releases: one stops the use, a later one removes.
//
// The package knows the form of steps and the compatibility rules. It runs no SQL and knows no table (memory/pgstore,
// memory/sqlitestore do; memory/memtest checks the content of steps). See docs/decisions/0720.
package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrNewer reports a schema that a newer program changed incompatibly.
var ErrNewer = errors.New("the schema was made by a newer version of the program")

// Step is one change of the schema.
type Step struct {
	Version int    // from 1
	Name    string // "0001_record"
	Script  string
	Least   int // the step that a program must know to work beside this one and after it; 0: none
}

// Migration is a step and when a database took it.
type Migration struct {
	Version int
	Name    string
	Least   int       // as in [Step]
	Done    bool      // the database has it
	Applied time.Time // zero if it is still to come, or was before times were kept
	Newer   bool      // this program does not know it
}

// header is the first line of every step but the first one.
var header = regexp.MustCompile(`^-- (?:(additive)|contracts after ([0-9]{4}): \S.*)(?:\n|$)`)

// Steps reads the files of the folder "migrations", "0001_name.sql" and so on
// without a gap, in their order. Each but the first begins with a line
//
//	-- additive
//	-- contracts after 0007: why
//
// of which the first leaves every earlier program what it needs, and the second
// those that know step 7.
func Steps(fsys fs.FS) ([]Step, error) {
	names, err := fs.Glob(fsys, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("schema: list steps: %w", err)
	}
	list := make([]Step, len(names))
	for i, n := range names {
		script, err := fs.ReadFile(fsys, n)
		if err != nil {
			return nil, fmt.Errorf("schema: read a step: %w", err)
		}
		list[i] = Step{Version: i + 1, Name: strings.TrimSuffix(path.Base(n), ".sql"), Script: string(script)}
		if err := list[i].read(); err != nil {
			return nil, fmt.Errorf("schema: %s: %w", n, err)
		}
	}
	return list, nil
}

// read checks a step's number and takes Least from its first line.
func (s *Step) read() error {
	if number, _, ok := strings.Cut(s.Name, "_"); !ok || number != fmt.Sprintf("%04d", s.Version) {
		return fmt.Errorf("its name must begin with %04d_", s.Version)
	}
	if s.Version == 1 { // before it there is nothing to work beside
		s.Least = 1
		return nil
	}
	m := header.FindStringSubmatch(s.Script)
	switch {
	case m == nil:
		return errors.New(`its first line must be "-- additive" or "-- contracts after NNNN: why"`)
	case m[1] != "":
		return nil
	}
	least, err := strconv.Atoi(m[2])
	if err != nil || least < 1 || least >= s.Version {
		return fmt.Errorf("it contracts after %s, which is not an earlier step", m[2])
	}
	s.Least = least
	return nil
}

// Merge combines the program's steps with those applied to a database, which come in order. The error is ErrNewer
// with the reason if the program is incompatible with the database; the list is complete even then.
func Merge(known []Step, taken []Migration) ([]Migration, error) {
	list := make([]Migration, len(known))
	for i, s := range known {
		list[i] = Migration{Version: s.Version, Name: s.Name, Least: s.Least}
	}
	var faults []error
	for _, m := range taken {
		m.Done = true
		switch {
		case m.Version > len(known):
			m.Newer = true
			list = append(list, m)
			if m.Least > len(known) {
				faults = append(faults, fmt.Errorf("%w: its step %s needs a program that knows step %04d, and this one ends with %04d: start that version or a later one",
					ErrNewer, m.Name, m.Least, len(known)))
			}
		case m.Version < 1 || m.Name != "" && m.Name != known[m.Version-1].Name:
			faults = append(faults, fmt.Errorf("%w: its step %d is %s, which this one does not know: start the version that made it", ErrNewer, m.Version, m.Name))
		default:
			list[m.Version-1].Done, list[m.Version-1].Applied = true, m.Applied
		}
	}
	return list, errors.Join(faults...)
}
