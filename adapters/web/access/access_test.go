package access_test

import (
	"testing"
	"time"

	"maru/adapters/web/access"
)

func TestOpens(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]struct{ read, change bool }{
		"/": {true, false}, "/t/t1": {true, true}, "/runs": {true, false}, "/runs/r1": {true, false}, "/approvals": {true, true}, "/approvals/x": {false, false}, "/account": {true, true}, "/account/x": {false, false},
		"/api/threads": {true, false}, "/api/threads/t1": {true, true}, "/api/documents": {true, true}, "/api/documentsx": {false, false},
		"/settings": {false, false}, "/api/new": {false, false}, "/documents": {true, false}, "/documents/all": {false, false}, "": {false, false},
	} {
		if got := access.Opens(path, false, false); got != want.read {
			t.Errorf("%q can be read: %v", path, got)
		}
		if got := access.Opens(path, true, false); got != want.change {
			t.Errorf("%q can be changed: %v", path, got)
		}
		if access.Opens(path, true, true) != (path == "/account") || access.Opens(path, false, true) != want.read {
			t.Errorf("a viewer at %q", path)
		}
	}
}

func TestTries(t *testing.T) {
	t.Parallel()
	l, now, who := access.NewTries(), time.Now(), access.Tryer{ID: "192.0.2.1"}
	tries := func() (n int) {
		for ; n < 100 && l.Allow(who, now); n++ {
			continue
		}
		return n
	}
	if n := tries(); n != 5 {
		t.Errorf("%d tries in a minute", n)
	}
	if l.Right(who); tries() != 1 {
		t.Error("a right password still counts")
	}
	now = now.Add(2 * time.Minute)
	if n := tries(); n != 5 {
		t.Errorf("%d tries in another minute", n)
	}
}
