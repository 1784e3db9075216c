package evaluate_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"maru/cmd/maru/evaluate"
)

// shelf is a server of indexes: each is a file of its folder.
type shelf struct {
	dir  string
	away bool // it drops nothing
}

type shelved struct {
	evaluate.Index

	s    *shelf
	path string
}

func (x shelved) Drop(context.Context) error {
	if x.s.away {
		return errors.New("the server is away")
	}
	return os.Remove(x.path)
}

func (s *shelf) open(_ context.Context, name string, _ evaluate.Vectors) (evaluate.ServerIndex, error) {
	path := filepath.Join(s.dir, name)
	return shelved{s: s, path: path}, os.WriteFile(path, nil, 0o600)
}

func (s *shelf) server(folder, address string) evaluate.Server {
	return evaluate.Server{Folder: folder, Address: address, Open: s.open, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

func inside(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".index"))
	}
	return names
}

// TestServerIndexes: an index of a killed process is dropped by the running program or the next measurement on its server,
// one in use stays, and so does the note of one that could not be dropped.
func TestServerIndexes(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv("MARU_TEST_KILLED"); folder != "" { // the child
		s := shelf{dir: os.Getenv("MARU_TEST_SHELF")}
		if _, err := s.server(folder, "kind url").Create(t.Context(), evaluate.Vectors{}); err != nil {
			t.Fatal(err)
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("indexes are kept where files have no lock")
	}
	folder, s := t.TempDir(), &shelf{dir: t.TempDir()}
	killed := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServerIndexes$") //nolint:gosec // the test itself
	killed.Env = append(os.Environ(), "MARU_TEST_KILLED="+folder, "MARU_TEST_SHELF="+s.dir)
	if err := killed.Run(); err == nil || len(inside(t, s.dir)) != 1 {
		t.Fatalf("the child was not killed: %v, %v", err, inside(t, s.dir))
	}
	left := inside(t, s.dir)

	create := func(address string) evaluate.Index {
		t.Helper()
		x, err := s.server(folder, address).Create(t.Context(), evaluate.Vectors{})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	other := create("kind another")
	if !slices.Contains(inside(t, s.dir), left[0]) {
		t.Error("an index of another server was dropped")
	}
	s.away = true
	first := create("kind url")
	if !slices.Contains(inside(t, folder), left[0]) {
		t.Error("the note of an index that could not be dropped is gone")
	}
	s.away = false
	watching, stop := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() { defer close(watched); s.server(folder, "kind url").Watch(watching) }()
	for slices.Contains(inside(t, folder), left[0]) && t.Context().Err() == nil {
		runtime.Gosched()
	}
	stop()
	<-watched
	if have := inside(t, s.dir); slices.Contains(have, left[0]) || len(have) != 2 {
		t.Errorf("the running program left %v, there are %v", left, have)
	}
	second := create("kind url")
	if have := inside(t, s.dir); len(have) != 3 || len(inside(t, folder)) != 3 {
		t.Errorf("left %v, there are %v and notes %v", left, have, inside(t, folder))
	}
	for _, x := range []evaluate.Index{other, first, second} {
		if err := x.(io.Closer).Close(); err != nil {
			t.Error(err)
		}
	}
	if n := len(inside(t, s.dir)) + len(inside(t, folder)); n > 0 {
		t.Errorf("left %v and notes %v", inside(t, s.dir), inside(t, folder))
	}
}
