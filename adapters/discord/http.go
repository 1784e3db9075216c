package discord

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"maru/bot"
)

const (
	maxInteraction = 1 << 20 // bytes of an interaction
	stampWindow    = 5 * time.Minute
	// skewTold is how often the log says that the clocks differ: what was signed long ago
	// may be sent again and again by anybody who has it.
	skewTold = time.Minute
)

// Mount implements bot.Mounter: with a public key configured, Discord may send
// interactions to /discord/interactions instead of through the gateway.
func (a *Adapter) Mount(mux *http.ServeMux, in bot.Intake) {
	if a.key == nil {
		return
	}
	mux.HandleFunc("POST /discord/interactions", func(w http.ResponseWriter, r *http.Request) {
		body, status := a.verified(w, r)
		if status != 0 {
			http.Error(w, http.StatusText(status), status)
			return
		}
		var i interaction
		if json.Unmarshal(body, &i) != nil || i.Type != interactionPing && !i.complete() {
			http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
			return
		}
		a.serve(w, r, in, &i)
	})
}

// verified reads the body and checks that Discord signed it, now. What is wrong
// is not told to whom it is refused.
func (a *Adapter) verified(w http.ResponseWriter, r *http.Request) (body []byte, status int) {
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
	if !ed25519.Verify(a.key, append([]byte(stamp), body...), sig) {
		return nil, http.StatusUnauthorized
	}
	if off := a.cfg.Now().Sub(time.Unix(int64(sec), 0)); off.Abs() > stampWindow {
		a.tellSkew(r.Context(), off)
		return nil, http.StatusUnauthorized
	}
	return body, 0
}

// tellSkew says why no interaction comes in: Discord sees a refusal, and people a
// button that does not work.
func (a *Adapter) tellSkew(ctx context.Context, off time.Duration) {
	now, last := a.cfg.Now(), a.skewed.Load()
	if last != nil && now.Sub(*last).Abs() < skewTold || !a.skewed.CompareAndSwap(last, &now) {
		return
	}
	a.log.ErrorContext(ctx, "discord interaction refused: it was signed at another time than it is here; is this machine's clock right?", "off", off.Round(time.Second).String())
}

// serve answers a verified interaction. The work goes on after the answer.
func (a *Adapter) serve(w http.ResponseWriter, r *http.Request, in bot.Intake, i *interaction) {
	if i.Type == interactionPing {
		writeJSON(w, response{Type: answerPong})
		return
	}
	app := a.application()
	if app != "" && i.ApplicationID != "" && i.ApplicationID != app {
		http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
		return
	}
	a.mu.Lock()
	a.appID = first(a.appID, i.ApplicationID)
	a.mu.Unlock()
	out := &httpAnswer{a: a, id: i.ID, sent: make(chan response, 1), taken: make(chan struct{})}
	ended := make(chan struct{})
	ok := a.spawn(context.WithoutCancel(r.Context()), func(ctx context.Context) {
		defer close(ended)
		a.interact(ctx, in, i, out)
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
	a     *Adapter
	id    string
	mu    sync.Mutex
	sent  chan response
	taken chan struct{} // closed when the request has its answer
}

func (h *httpAnswer) answer(ctx context.Context, r response) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.a.wasAnswered(h.id) {
		return errAnswered
	}
	h.a.setAnswered(h.id)
	h.sent <- r
	// What follows is sent over the API, which knows the interaction only once
	// its first answer has arrived.
	select {
	case <-h.taken:
	case <-ctx.Done():
	}
	return nil
}
