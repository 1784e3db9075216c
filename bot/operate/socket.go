package operate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"
)

// Order is a command as it is given.
type Order struct {
	Name    string   `json:"name"`
	Args    []string `json:"args"`
	Environ []string `json:"environ"` // of who gives it, for the language
}

// Command carries out one of the operator's commands.
type Command func(ctx context.Context, o Order, out io.Writer) error

// ErrNobody says that no program answers on a socket.
var ErrNobody = errors.New("no running program answers")

// ErrTold fails a command whose output names the reason already.
var ErrTold = errors.New("failed")

// What an answer ends with.
const (
	headReason = "Maru-Reason" // "" for a command that succeeded
	headKind   = "Maru-Kind"
	kindMisuse = "misuse"
	kindTold   = "told"
)

// Serve carries out commands that are given on a socket until ctx ends. Only the user that runs the
// program can open it. The caller holds the lock of what the folder keeps: a socket that is there was
// left by a program that died.
func Serve(ctx context.Context, path string, commands map[string]Command) error {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("socket: %w", err)
		}
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "unix", path)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(fmt.Errorf("socket: %w", err), ln.Close())
	}
	srv := &http.Server{Handler: handler(commands), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ln) }()
	select {
	case err := <-ended:
		return fmt.Errorf("socket: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if srv.Shutdown(stop) != nil {
		_ = srv.Close() // commands that still run have lost their context
	}
	<-ended
	return nil
}

func handler(commands map[string]Command) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var o Order
		if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&o); err != nil {
			http.Error(w, "not a command", http.StatusBadRequest)
			return
		}
		do, ok := commands[o.Name]
		if !ok {
			http.Error(w, "the running program has no command "+o.Name+": is it another version?", http.StatusNotFound)
			return
		}
		w.Header().Set("Trailer", headReason+", "+headKind)
		w.WriteHeader(http.StatusOK)
		err := do(r.Context(), o, flushing{w, http.NewResponseController(w)})
		var misuse Misuse
		switch {
		case errors.As(err, &misuse):
			w.Header().Set(headKind, kindMisuse)
		case errors.Is(err, ErrTold):
			w.Header().Set(headKind, kindTold)
		}
		if err != nil {
			reason, _ := json.Marshal(err.Error()) // a header has one line
			w.Header().Set(headReason, string(reason))
		}
	})
}

// flushing sends what is written at once.
type flushing struct {
	io.Writer

	control *http.ResponseController
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if err == nil {
		err = f.control.Flush()
	}
	return n, err
}

// Give has the program behind a socket carry out a command, and copies its output. [ErrNobody] says that
// none answers.
func Give(ctx context.Context, path string, o Order, out io.Writer) error {
	body, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode command: %w", err)
	}
	var d net.Dialer
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "unix", path)
	}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://maru/command", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("give command: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("%w on %s: %w", ErrNobody, path, err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing to save
	if resp.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return errors.Join(errors.New(string(bytes.TrimSpace(text))), err)
	}
	if _, err := io.Copy(out, resp.Body); err != nil {
		return fmt.Errorf("the running program broke off: %w", err)
	}
	var reason string
	if raw := resp.Trailer.Get(headReason); raw != "" && json.Unmarshal([]byte(raw), &reason) != nil {
		reason = raw
	}
	switch {
	case reason == "":
		return nil
	case resp.Trailer.Get(headKind) == kindMisuse:
		return Misuse{reason}
	case resp.Trailer.Get(headKind) == kindTold:
		return ErrTold
	}
	return errors.New(reason)
}
