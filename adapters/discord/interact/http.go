package interact

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"maru/adapters/discord/wire"
	"maru/bot"
)

const (
	maxInteraction = 1 << 20 // bytes of an interaction
	stampWindow    = 5 * time.Minute
	// skewTold is how often the log says that the clocks differ: what was signed long ago
	// may be sent again and again by anybody who has it.
	skewTold = time.Minute
)

// Endpoint takes interactions that Discord sends over HTTP, signed.
type Endpoint struct {
	key     ed25519.PublicKey // nil: it takes none
	me      self
	handler *Handler
	tasks   tasks
	log     *slog.Logger
	now     func() time.Time

	skewed atomic.Pointer[time.Time] // when it was last said that Discord's clock is another
}

// NewEndpoint returns an endpoint that verifies with key; nil: it takes nothing. What
// it takes, handler handles.
func NewEndpoint(key ed25519.PublicKey, handler *Handler) *Endpoint {
	return &Endpoint{key: key, me: handler.hooks.me, handler: handler, tasks: handler.tasks, log: handler.log, now: handler.now}
}

// Mount implements bot.Mounter: with a public key configured, Discord may send
// interactions to /discord/interactions instead of through the gateway.
func (e *Endpoint) Mount(mux *http.ServeMux, in bot.Intake) {
	if e.key == nil {
		return
	}
	mux.HandleFunc("POST /discord/interactions", func(w http.ResponseWriter, r *http.Request) {
		body, status := e.verified(w, r)
		if status != 0 {
			http.Error(w, http.StatusText(status), status)
			return
		}
		var i wire.Interaction
		if json.Unmarshal(body, &i) != nil || i.Type != wire.InteractionPing && !i.Complete() {
			http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
			return
		}
		e.serve(w, r, in, &i)
	})
}

// verified reads the body and checks that Discord signed it, now. What is wrong
// is not told to whom it is refused.
func (e *Endpoint) verified(w http.ResponseWriter, r *http.Request) (body []byte, status int) {
	stamp := r.Header.Get("X-Signature-Timestamp")
	sig, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
	if err != nil || len(sig) != ed25519.SignatureSize {
		return nil, http.StatusUnauthorized
	}
	sec, err := strconv.ParseUint(stamp, 10, 63) // digits alone, as Discord sends it
	if err != nil {
		return nil, http.StatusUnauthorized
	}
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxInteraction))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, http.StatusRequestEntityTooLarge
		}
		return nil, http.StatusBadRequest
	}
	if !ed25519.Verify(e.key, append([]byte(stamp), body...), sig) {
		return nil, http.StatusUnauthorized
	}
	if off := e.now().Sub(time.Unix(int64(sec), 0)); off.Abs() > stampWindow {
		e.tellSkew(r.Context(), off)
		return nil, http.StatusUnauthorized
	}
	return body, 0
}

// tellSkew says why no interaction comes in: Discord sees a refusal, and people a
// button that does not work.
func (e *Endpoint) tellSkew(ctx context.Context, off time.Duration) {
	now, last := e.now(), e.skewed.Load()
	if last != nil && now.Sub(*last).Abs() < skewTold || !e.skewed.CompareAndSwap(last, &now) {
		return
	}
	e.log.ErrorContext(ctx, "discord interaction refused: it was signed at another time than it is here; is this machine's clock right?", "off", off.Round(time.Second).String())
}

// serve answers a verified interaction. The work goes on after the answer.
func (e *Endpoint) serve(w http.ResponseWriter, r *http.Request, in bot.Intake, i *wire.Interaction) {
	if i.Type == wire.InteractionPing {
		writeJSON(w, response{Type: answerPong})
		return
	}
	app := e.me.Application()
	if app != "" && i.ApplicationID != "" && i.ApplicationID != app {
		http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
		return
	}
	if app == "" {
		e.me.Learn("", "", i.ApplicationID)
	}
	out := &httpAnswer{w: e.handler.hooks, id: i.ID, sent: make(chan response, 1), taken: make(chan struct{})}
	ended := make(chan struct{})
	ok := e.tasks.Spawn(context.WithoutCancel(r.Context()), func(ctx context.Context) {
		defer close(ended)
		e.handler.interact(ctx, in, i, out)
	})
	if !ok {
		http.Error(w, http.StatusText(http.StatusServiceUnavailable), http.StatusServiceUnavailable)
		return
	}
	defer close(out.taken)
	select {
	case res := <-out.sent:
		writeJSON(w, res)
	case <-ended:
		select {
		case res := <-out.sent:
			writeJSON(w, res)
		default: // answered otherwise, as with a form opened over the API, or sent twice
			w.WriteHeader(http.StatusAccepted)
		}
	case <-r.Context().Done():
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)          // if the connection is gone, Discord shows so
	_ = http.NewResponseController(w).Flush() // what follows over the API should come after it
}

// httpAnswer answers an interaction with the answer to its HTTP request.
type httpAnswer struct {
	w     *webhooks
	id    string
	mu    sync.Mutex
	sent  chan response
	taken chan struct{} // closed when the request has its answer
}

func (h *httpAnswer) answer(ctx context.Context, r response) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.w.wasAnswered(h.id) {
		return errAnswered
	}
	h.w.setAnswered(h.id)
	h.sent <- r
	// What follows is sent over the API, which knows the interaction only once
	// its first answer has arrived.
	select {
	case <-h.taken:
	case <-ctx.Done():
	}
	return nil
}
