package library_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestFolderWaitsForRoom: a watched folder on a full disk is one line in the log however many files
// wait and however often it is looked through, people are told, and what waits is added when
// there is room.
func TestFolderWaitsForRoom(t *testing.T) {
	t.Parallel()
	w, docs, holds, _ := followed(t)
	for i := range 5 {
		write(t, filepath.Join(docs, fmt.Sprintf("%d.md", i)), fmt.Sprintf("# Ferry %d\n\nIt leaves at seven.", i))
	}
	w.index.room = 2
	for range 3 {
		holds("without room", "docs/0.md Ferry 0, docs/1.md Ferry 1")
	}
	if n := strings.Count(w.log.String(), "level=WARN"); n != 1 || !strings.Contains(w.log.String(), "first=docs/2.md left=3") {
		t.Errorf("%d warnings:\n%s", n, w.log.String())
	}
	if told := w.lib.Refused("ko"); len(told) != 1 || !strings.Contains(told[0], "디스크가 가득") {
		t.Errorf("told %v", told)
	}
	w.index.room = 9
	holds("with room again", "docs/0.md Ferry 0, docs/1.md Ferry 1, docs/2.md Ferry 2, docs/3.md Ferry 3, docs/4.md Ferry 4")
	if told := w.lib.Refused("ko"); len(told) > 0 || strings.Count(w.log.String(), "available again") != 1 {
		t.Errorf("told %v; the log:\n%s", told, w.log.String())
	}
}
