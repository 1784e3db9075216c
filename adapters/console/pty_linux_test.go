package console_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"maru/adapters/console"
)

// openPTY returns the two ends of a terminal.
func openPTY(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals on this machine: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return person, program
}

// In a real terminal Ctrl-D leaves, and the terminal is as it was before.
func TestLeavingARealTerminalRestoresIt(t *testing.T) {
	t.Parallel()
	person, program := openPTY(t)
	fd := int(program.Fd())
	before, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, person) }() // ends when the terminal is closed
	e := newEcho()
	left := make(chan struct{})
	a := console.New(console.Config{In: program, Out: program, Quit: func() { close(left) }})
	e.adapter = a
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, e) }()
	for now := before; now.Lflag&unix.ICANON != 0; { // not yet raw: the terminal itself would take Ctrl-D
		if ctx.Err() != nil {
			t.Fatal("the terminal was not made raw")
		}
		if now, err = unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := person.WriteString("\x04"); err != nil {
		t.Fatal(err)
	}
	<-left
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-ctx.Done():
		t.Fatal("the program says goodbye and does not leave")
	}
	after, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	if *after != *before {
		t.Errorf("the terminal is left changed: %+v, was %+v", *after, *before)
	}
}

// TestARemoteConversationGivesTheTerminalBack: the terminal is as it was until the other process has begun, and after one that died;
// what that one cannot undo is undone. Two Ctrl-C leave one that does not react.
func TestARemoteConversationGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	person, program := openPTY(t)
	seen := newPaper()
	go func() { _, _ = io.Copy(seen, person) }() // ends when the terminal is closed
	fd := int(program.Fd())
	modes := func() unix.Termios {
		t.Helper()
		m, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		return *m
	}
	before := modes()
	left := make(chan struct{}, 8)
	r := console.NewRemote(console.Config{In: program, Out: program}, func() { left <- struct{}{} })
	if r.Close(); modes() != before || len(r.Args()) != 3 {
		t.Error("changed before the other process has begun")
	}
	r.Begin()
	if modes().Lflag&unix.ICANON != 0 {
		t.Error("not raw")
	}
	press := func(keys string) {
		t.Helper()
		if _, err := person.WriteString(keys); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(io.LimitReader(r, int64(len(keys)))); err != nil || string(got) != keys {
			t.Errorf("read %q, %v", got, err)
		}
	}
	press("\x03")
	press("a\x03")
	if _, err := io.WriteString(r, "\x1b[?2004h> "); err != nil { // it reacts
		t.Error(err)
	}
	press("\x03")
	if len(left) != 0 {
		t.Error("left although the other process reacts")
	}
	press("\x03")
	if len(left) != 1 {
		t.Error("not left")
	}
	r.Close()
	if modes() != before {
		t.Error("the terminal is left changed")
	}
	seen.awaitText(t, "\x1b[?2004l")
}
