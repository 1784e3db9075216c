package confine_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"maru/rag/load/confine"
)

// TestMain lets this binary be a parent that waits for its child, and the child, which works for an hour. A connection to
// the test stands for each of them.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && (os.Args[1] == "parent" || os.Args[1] == "child") {
		if err := work(os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func work(as, addr string) error {
	if as == "parent" {
		c, err := confine.Start([]string{os.Args[0], "child", addr})
		if err != nil {
			return err
		}
		return c.Ask(context.Background(), io.MultiReader(), 1, time.Hour, func(r io.Reader) error { _, err := io.ReadAll(r); return err })
	}
	if _, err := confine.BindTime(time.Hour); err != nil {
		return err
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, conn)
	return err
}

// TestChildOfAKilledParentEnds: nobody waits for its answer.
func TestChildOfAKilledParentEnds(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	parent := exec.CommandContext(t.Context(), os.Args[0], "parent", listener.Addr().String()) //nolint:gosec // this binary
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(3 * parentLooks)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); !os.IsTimeout(err) {
		t.Fatalf("the child ended beside its parent: %v", err)
	}
	_ = parent.Process.Kill() // it may have ended
	_ = parent.Wait()         // killed
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Errorf("the child works on: %v", err)
	}
}

// parentLooks is longer than a child takes to look for its parent.
const parentLooks = 300 * time.Millisecond
