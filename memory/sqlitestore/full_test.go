package sqlitestore_test

import (
	"errors"
	"strings"
	"testing"

	"maru/bot"
)

// TestFullDiskIsTold: a file that cannot grow is told with the code that people have a sentence for,
// and what was written stays readable.
func TestFullDiskIsTold(t *testing.T) {
	t.Parallel()
	s := open(t, false)
	if err := s.SetNote(t.Context(), "a", "1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := s.SetNote(t.Context(), "b", strings.Repeat("x", 1<<20))
	var told interface{ PeopleCode() string }
	if !errors.As(err, &told) || told.PeopleCode() != string(bot.CodeStoreFull) {
		t.Errorf("error %v", err)
	}
	if got, err := s.Note(t.Context(), "a"); err != nil || got != "1" {
		t.Errorf("note %q, %v", got, err)
	}
}
