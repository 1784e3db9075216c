package operate_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/bot/operate"
)

// TestSilentProgram: a program that holds the socket and never takes a command is reported while it is waited for, and
// the wait ends.
func TestSilentProgram(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "maru.sock")
	hung, err := net.Listen("unix", path) // connections wait in its backlog
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hung.Close() }()
	for name, in := range map[string]io.Reader{"ask": nil, "chat": strings.NewReader("hi\n")} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		slow := make(chan struct{}, 1)
		err := operate.Give(ctx, path, operate.Order{Name: name, In: in, Wait: 200 * time.Millisecond, Slow: func() { slow <- struct{}{} }}, io.Discard)
		if !errors.Is(err, operate.ErrSilent) || ctx.Err() != nil {
			t.Errorf("%s: %v", name, err)
		}
		select {
		case <-slow:
		default:
			t.Errorf("%s: nobody was told", name)
		}
		cancel()
	}
}

// TestCommandsOverASocket: a command's output, its end and its faults come as if it ran here.
func TestCommandsOverASocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "maru.sock")
	left, err := net.Listen("unix", path) // of a program that died: its file stays
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}
	if err := operate.Give(t.Context(), path, operate.Order{Name: "echo"}, io.Discard); !errors.Is(err, operate.ErrNobody) {
		t.Errorf("nobody is there: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	slow := make(chan struct{})
	go func() {
		ended <- operate.Serve(ctx, path, map[string]operate.Command{
			"echo": func(_ context.Context, o operate.Order, out io.Writer) error {
				_, err := fmt.Fprintf(out, "%v %v\n", o.Args, o.Environ)
				return err
			},
			"misuse": func(context.Context, operate.Order, io.Writer) error { return operate.Misuse{Text: "two\nlines"} },
			"told": func(_ context.Context, _ operate.Order, out io.Writer) error {
				_, _ = io.WriteString(out, "why\n")
				return operate.ErrTold
			},
			"talk": func(_ context.Context, o operate.Order, out io.Writer) error {
				in := bufio.NewScanner(o.In)
				for in.Scan() && in.Text() != "bye" {
					_, _ = fmt.Fprintln(out, "you said", in.Text())
				}
				return in.Err()
			},
			"fail": func(context.Context, operate.Order, io.Writer) error { return errors.New("깨졌어요: no space") },
			"slow": func(ctx context.Context, _ operate.Order, out io.Writer) error {
				_, _ = io.WriteString(out, "begun\n")
				<-ctx.Done()
				close(slow)
				return ctx.Err()
			},
		})
	}()
	for {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm() == 0o600 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	give := func(name string, args ...string) (string, error) {
		var out strings.Builder
		err := operate.Give(t.Context(), path, operate.Order{Name: name, Args: args, Environ: []string{"LANG=ko_KR"}}, &out)
		return out.String(), err
	}
	if out, err := give("echo", "a", "b c"); out != "[a b c] [LANG=ko_KR]\n" || err != nil {
		t.Errorf("echo: %q, %v", out, err)
	}
	var misuse operate.Misuse
	if _, err := give("misuse"); !errors.As(err, &misuse) || misuse.Text != "two\nlines" {
		t.Errorf("misuse: %v", err)
	}
	if out, err := give("told"); !errors.Is(err, operate.ErrTold) || out != "why\n" {
		t.Errorf("told: %q, %v", out, err)
	}
	if _, err := give("fail"); err == nil || err.Error() != "깨졌어요: no space" {
		t.Errorf("fail: %v", err)
	}
	if _, err := give("burn"); err == nil || !strings.Contains(err.Error(), "check its version") {
		t.Errorf("unknown: %v", err)
	}
	// What the caller says is heard while the command runs, and after its end nobody waits for more.
	typed, says := io.Pipe()
	heard, hears := io.Pipe()
	talked := make(chan error, 1)
	go func() {
		talked <- operate.Give(t.Context(), path, operate.Order{Name: "talk", In: typed}, hears)
	}()
	answers := bufio.NewScanner(heard)
	for _, word := range []string{"안녕", "again"} {
		if _, err := io.WriteString(says, word+"\n"); err != nil || !answers.Scan() || answers.Text() != "you said "+word {
			t.Errorf("%s: %q, %v", word, answers.Text(), err)
		}
	}
	if _, err := io.WriteString(says, "bye\n"); err != nil {
		t.Error(err)
	}
	if err := <-talked; err != nil {
		t.Error(err)
	}
	// Who leaves ends the command.
	leaving, leave := context.WithCancel(t.Context())
	in, out := io.Pipe()
	go func() { _ = operate.Give(leaving, path, operate.Order{Name: "slow"}, out) }()
	if _, err := in.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	_ = in.Close()
	leave()
	select {
	case <-slow:
	case <-time.After(time.Minute):
		t.Error("a command goes on although nobody waits for it")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket stays: %v", err)
	}
}
