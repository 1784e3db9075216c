package operate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"net/http"
	"os"
	"time"
)

// Order is a command with its arguments.
type Order struct {
	Name    string   `json:"name"`
	Args    []string `json:"args"`
	Environ []string `json:"environ"` // of the caller, for the language and the name
	Given   []string `json:"given"`   // settings of the caller, as config.Config.Given lists them

	In    io.Reader `json:"-"` // the caller's input, read while the command runs; nil for none
	Begin func()    `json:"-"` // called before In is read, by Give alone: the program has the command

	Wait time.Duration `json:"-"` // for Give, until the program takes the command; 0 for [defaultWait]
	Slow func()        `json:"-"` // called by Give after a tenth of Wait; nil for nothing
}

// defaultWait is enough for a busy program, which takes a command before it carries it out.
const defaultWait = 30 * time.Second

// Command carries out one of the operator's commands.
type Command func(ctx context.Context, o Order, out io.Writer) error

// ErrNobody reports that no program answers on a socket.
var ErrNobody = errors.New("no running program answers")

// ErrSilent reports that a program holds a socket and does not take commands: it hangs or is stopped.
var ErrSilent = errors.New("the running program does not respond")

// ErrTold fails a command whose output names the reason already.
var ErrTold = errors.New("failed")

// ErrMisused is [ErrTold] for incorrect use.
var ErrMisused = errors.New("used wrongly")

// Last lines of an answer.
const (
	headReason = "Maru-Reason" // "" for a command that succeeded
	headKind   = "Maru-Kind"
	kindMisuse = "misuse"
	kindTold   = "told"
	kindWrong  = "told misuse"
)

// Serve executes commands received on a socket until ctx ends. Only the user that runs the program can open it.
// The caller holds the lock of the data folder, so an existing socket was left by a crashed program.
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
		control := http.NewResponseController(w)
		if r.ContentLength < 0 { // otherwise a refusal would wait for the end of the caller's input
			if err := control.EnableFullDuplex(); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		var o Order
		body := &io.LimitedReader{R: r.Body, N: 1 << 20}
		d := json.NewDecoder(body)
		if err := d.Decode(&o); err != nil {
			http.Error(w, "not a command", http.StatusBadRequest)
			return
		}
		do, ok := commands[o.Name]
		if !ok {
			http.Error(w, "the running program has no command "+o.Name+"; check its version", http.StatusNotFound)
			return
		}
		if r.ContentLength < 0 { // the caller's input follows, as long as it takes
			body.N = math.MaxInt64
			o.In = io.MultiReader(d.Buffered(), body)
		}
		w.Header().Set("Trailer", headReason+", "+headKind)
		w.WriteHeader(http.StatusOK)
		if control.Flush() != nil { // the caller waits for it with the input
			return
		}
		err := do(r.Context(), o, flushing{w, control})
		var misuse Misuse
		switch {
		case errors.As(err, &misuse):
			w.Header().Set(headKind, kindMisuse)
		case errors.Is(err, ErrTold):
			w.Header().Set(headKind, kindTold)
		case errors.Is(err, ErrMisused):
			w.Header().Set(headKind, kindWrong)
		}
		if err != nil {
			reason, _ := json.Marshal(err.Error()) // a header has one line
			w.Header().Set(headReason, string(reason))
		}
	})
}

// flushing flushes after every write.
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

// Give executes a command in the program behind a socket, and copies its output. It returns [ErrNobody] if none
// answers, and [ErrSilent] if one does not take the command in time.
func Give(ctx context.Context, path string, o Order, out io.Writer) error {
	body, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode command: %w", err)
	}
	var d net.Dialer
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "unix", path)
	}}}
	taken, cancel := context.WithCancel(ctx)
	defer cancel()
	send := io.Reader(bytes.NewReader(body))
	begin := func() {}
	if o.In != nil {
		// A pipe, since the client waits for a read that goes on, whatever ends the call.
		in, from := io.Pipe()
		defer func() { _ = in.Close() }() // always nil
		defer context.AfterFunc(taken, func() { _ = in.CloseWithError(taken.Err()) })()
		send = io.MultiReader(send, in)
		begin = func() {
			if o.Begin != nil {
				o.Begin()
			}
			go func() { // stays blocked in o.In.Read until there is input, since a terminal cannot be polled
				_, err := io.Copy(from, o.In)
				_ = from.CloseWithError(err) // always nil
			}()
		}
	}
	req, err := http.NewRequestWithContext(taken, http.MethodPost, "http://maru/command", send)
	if err != nil {
		return fmt.Errorf("send command: %w", err)
	}
	wait := cmp.Or(o.Wait, defaultWait)
	if o.Slow != nil {
		defer time.AfterFunc(wait/10, o.Slow).Stop()
	}
	late := time.AfterFunc(wait, cancel)
	resp, err := client.Do(req)
	late.Stop()
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil && taken.Err() != nil:
		return fmt.Errorf("%w on %s within %s; it may hang or be stopped: restart it, then try again", ErrSilent, path, wait)
	case err != nil:
		return fmt.Errorf("%w on %s: %w", ErrNobody, path, err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing to save
	if resp.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return errors.Join(errors.New(string(bytes.TrimSpace(text))), err)
	}
	begin()
	if _, err := io.Copy(out, resp.Body); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
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
	case resp.Trailer.Get(headKind) == kindWrong:
		return ErrMisused
	}
	return errors.New(reason)
}
