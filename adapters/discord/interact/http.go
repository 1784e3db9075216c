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
	// skewWarnEvery is the minimum interval between clock-skew warnings: anybody who holds an
	// old signed request can replay it at will.
	skewWarnEvery = time.Minute
)

// Endpoint receives signed interactions over HTTP.
type Endpoint struct {
	key     ed25519.PublicKey // nil: it accepts none
	me      self
	handler *Handler
	tasks   tasks
	log     *slog.Logger
	now     func() time.Time

	skewed atomic.Pointer[time.Time] // time of the last clock-skew warning
}

// NewEndpoint returns an endpoint that verifies requests with key (nil: accepts none) and
// passes them to handler.
func NewEndpoint(key ed25519.PublicKey, handler *Handler) *Endpoint {
	return &Endpoint{key: key, me: handler.hooks.me, handler: handler, tasks: handler.tasks, log: handler.log, now: handler.now}
}

// Mount implements bot.Mounter: with a public key, Discord may send interactions to
// /discord/interactions instead of the gateway.
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

// verified reads the body and checks Discord's signature and its time. A refusal gives no
// reason to the sender.
func (e *Endpoint) verified(w http.ResponseWriter, r *http.Request) (body []byte, status int) {
	stamp := r.Header.Get("X-Signature-Timestamp")
	sig, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
	if err != nil || len(sig) != ed25519.SignatureSize {
		return nil, http.StatusUnauthorized
	}
	sec, err := strconv.ParseUint(stamp, 10, 63) // digits only, as Discord sends it
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
		e.warnSkew(r.Context(), off)
		return nil, http.StatusUnauthorized
	}
	return body, 0
}

// warnSkew logs that clock skew rejects all interactions: Discord sees only refusals, and
// people dead buttons.
func (e *Endpoint) warnSkew(ctx context.Context, off time.Duration) {
	now, last := e.now(), e.skewed.Load()
	if last != nil && now.Sub(*last).Abs() < skewWarnEvery || !e.skewed.CompareAndSwap(last, &now) {
		return
	}
	e.log.ErrorContext(ctx, "discord interaction refused: it was signed at another time than it is here; is this machine's clock right?", "off", off.Round(time.Second).String())
}

// serve answers a verified interaction. The work continues after the answer.
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
		default: // answered otherwise, such as a form opened over the API, or a duplicate
			w.WriteHeader(http.StatusAccepted)
		}
	case <-r.Context().Done():
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)          // Discord shows a lost connection
	_ = http.NewResponseController(w).Flush() // later API calls should arrive after it
}

// httpAnswer answers an interaction in its HTTP response.
type httpAnswer struct {
	w     *webhooks
	id    string
	mu    sync.Mutex
	sent  chan response
	taken chan struct{} // closed when the response is sent
}

func (h *httpAnswer) answer(ctx context.Context, r response) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.w.wasAnswered(h.id) {
		return errAnswered
	}
	h.w.setAnswered(h.id)
	h.sent <- r
	// The following goes over the API, which knows the interaction only after its first
	// answer.
	select {
	case <-h.taken:
	case <-ctx.Done():
	}
	return nil
}
