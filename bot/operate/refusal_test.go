package operate_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"maru/bot/operate"
)

// untouched is an input that must not be read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the input is read before the program has the command")
	return 0, io.EOF
}

func listen(t *testing.T) (net.Listener, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "maru.sock")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return ln, path
}

// old serves as a program that reads the whole body before it refuses a command.
func old(t *testing.T) string {
	t.Helper()
	ln, path := listen(t)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var o operate.Order
		if json.NewDecoder(r.Body).Decode(&o) != nil {
			http.Error(w, "not a command", http.StatusBadRequest)
			return
		}
		http.Error(w, "the running program has no command "+o.Name+"; check its version", http.StatusNotFound)
	})}
	t.Cleanup(func() { _ = srv.Close() })
	go func() { _ = srv.Serve(ln) }()
	return path
}

// present serves no commands.
func present(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "maru.sock")
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- operate.Serve(ctx, path, map[string]operate.Command{}) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for {
		if c, err := net.Dial("unix", path); err == nil {
			_ = c.Close()
			break
		}
	}
	return path
}

// TestARefusalDoesNotWaitForTheInput: a program that does not know a command says so before anything of the caller's endless input is
// read: the present one, and older ones that read the whole body first.
func TestARefusalDoesNotWaitForTheInput(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(*testing.T) string{"older": old, "present": present} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := operate.Order{Name: "chat", In: untouched{t}, Begin: func() { t.Error("begun") }}
			if err := operate.Give(t.Context(), serve(t), o, io.Discard); err == nil || !strings.Contains(err.Error(), "check its version") {
				t.Errorf("refused with %v", err)
			}
		})
	}
}

// TestARefusalOfAnOpenRequest: a caller that sends its input at once and keeps the connection hears the refusal, too.
func TestARefusalOfAnOpenRequest(t *testing.T) {
	t.Parallel()
	path := present(t)
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	body, typed := io.Pipe()
	go func() { _, _ = io.WriteString(typed, `{"name":"chat"}`) }() // and no end
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://maru/command", body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusNotFound {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// TestASilentProgramCanBeLeft: before and after its answer begins, the end of the caller's patience ends the call, although nobody types.
func TestASilentProgramCanBeLeft(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"never answers": "", "answers and hangs": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n> \n\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ln, path := listen(t)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			go func() {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				t.Cleanup(func() { _ = c.Close() })
				_, _ = c.Read(make([]byte, 1)) // the caller is there
				if _, _ = io.WriteString(c, answer); answer == "" {
					leave()
				}
			}()
			in, typed := io.Pipe()
			defer func() { _ = typed.Close() }()
			said, out := io.Pipe()
			defer func() { _ = said.Close() }()
			go func() {
				if _, err := said.Read(make([]byte, 3)); err == nil {
					leave()
				}
			}()
			begun := 0
			o := operate.Order{Name: "chat", In: in, Begin: func() { begun++ }}
			if err := operate.Give(ctx, path, o, out); !errors.Is(err, context.Canceled) || errors.Is(err, operate.ErrNobody) || (begun == 1) != (answer != "") {
				t.Errorf("left with %v; begun %d", err, begun)
			}
		})
	}
}
