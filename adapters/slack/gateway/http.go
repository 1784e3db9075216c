package gateway

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

const (
	maxBody = 1 << 20         // of one request from Slack
	maxSkew = 5 * time.Minute // between Slack's clock and ours
	// skewTold is how often the log says that they differ: what was signed long ago may
	// be sent again and again by anybody who has it.
	skewTold = time.Minute
)

// Mount registers the signed endpoints of HTTP mode; with an app token events
// come over Socket Mode and there are none.
func (d *Door) Mount(mux *http.ServeMux, in bot.Intake) {
	d.ServeFor(in)
	if d.SocketMode() {
		return
	}
	mux.Handle("POST /slack/events", d.signed(in, readEvent))
	mux.Handle("POST /slack/interactions", d.signed(in, readInteraction))
	mux.Handle("POST /slack/commands", d.signed(in, readCommand))
}

// signed answers requests that Slack signed. Slack repeats what is not answered
// with 200, so 5xx is the word for "not committed", and a repeated event is
// handled like a first one: it may be the first that arrives.
func (d *Door) signed(in bot.Intake, read func([]byte) (Envelope, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, status := d.verified(w, r)
		if status != http.StatusOK {
			http.Error(w, http.StatusText(status), status)
			return
		}
		env, err := read(body)
		if err != nil {
			http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
			return
		}
		if env.Kind == Challenge {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			_, _ = io.WriteString(w, env.Body.Str("challenge"))
			return
		}
		d.answerHTTP(w, r, in, env)
	})
}

// answerHTTP commits what the request carries and answers it.
func (d *Door) answerHTTP(w http.ResponseWriter, r *http.Request, in bot.Intake, env Envelope) {
	ctx := r.Context()
	if err := d.known(ctx); err != nil {
		d.log.WarnContext(ctx, "slack event refused: the bot does not know who it is yet", "code", web.Code(err))
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	res, err := d.hand(ctx, in, env)
	switch {
	case errors.Is(err, errForeignApp):
		d.log.ErrorContext(ctx, "slack event refused: it is signed but names another app; are SLACK_SIGNING_SECRET and SLACK_BOT_TOKEN of the same app?",
			"app", env.Body.Str("api_app_id"))
		http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
	case err != nil:
		d.log.ErrorContext(ctx, "slack event was not committed, it will come again", "kind", string(env.Kind), "err", err.Error())
		http.Error(w, http.StatusText(http.StatusServiceUnavailable), http.StatusServiceUnavailable)
	case res.Ack == nil:
		w.WriteHeader(http.StatusOK)
	default:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(res.Ack)
	}
	d.after(ctx, res)
}

// verified reads the body, at most maxBody of it whatever the headers promise,
// and checks its signature over the raw bytes. Why a request was refused is
// neither told nor logged with the request's own words.
func (d *Door) verified(w http.ResponseWriter, r *http.Request) ([]byte, int) {
	if r.Header.Get("Content-Encoding") != "" {
		return nil, http.StatusUnsupportedMediaType // Slack sends plain bodies; nothing here inflates
	}
	stamp := r.Header.Get("X-Slack-Request-Timestamp")
	sec, err := strconv.ParseUint(stamp, 10, 63) // digits alone, as Slack sends it
	if err != nil {
		return nil, http.StatusUnauthorized
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, http.StatusRequestEntityTooLarge
		}
		return nil, http.StatusBadRequest
	}
	if !validSignature(d.cfg.SigningSecret, stamp, r.Header.Get("X-Slack-Signature"), body) {
		return nil, http.StatusUnauthorized
	}
	if off := d.cfg.Now().Sub(time.Unix(int64(sec), 0)); off.Abs() > maxSkew {
		d.tellSkew(r.Context(), off)
		return nil, http.StatusUnauthorized
	}
	return body, http.StatusOK
}

// tellSkew says why nothing of Slack comes in, which nobody else would: Slack sees a
// refusal, and people no answer.
func (d *Door) tellSkew(ctx context.Context, off time.Duration) {
	now, last := d.cfg.Now(), d.skewed.Load()
	if last != nil && now.Sub(*last).Abs() < skewTold || !d.skewed.CompareAndSwap(last, &now) {
		return
	}
	d.log.ErrorContext(ctx, "slack event refused: it was signed at another time than it is here; is this machine's clock right?", "off", off.Round(time.Second).String())
}

// validSignature compares in constant time; an empty secret verifies nothing.
func validSignature(secret, stamp, signature string, body []byte) bool {
	if secret == "" {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, "v0:"+stamp+":")
	_, _ = mac.Write(body)
	want := "v0=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(want), []byte(signature))
}

var errBody = errors.New("slack: the request's body is not what Slack sends")

func readEvent(body []byte) (Envelope, error) {
	o, ok := payload.Parse(body)
	if !ok {
		return Envelope{}, errBody
	}
	env := Envelope{id: o.Str("event_id"), Kind: Event, Body: o}
	if o.Str("type") == "url_verification" {
		env.Kind = Challenge
	}
	return env, nil
}

func readInteraction(body []byte) (Envelope, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return Envelope{}, errBody
	}
	o, ok := payload.Parse([]byte(form.Get("payload")))
	if !ok {
		return Envelope{}, errBody
	}
	return Envelope{id: o.Str("trigger_id"), Kind: Interaction, Body: o}, nil
}

// readCommand turns a command's form into the object that Socket Mode sends.
func readCommand(body []byte) (Envelope, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return Envelope{}, errBody
	}
	if form.Get("ssl_check") == "1" {
		return Envelope{Kind: Other, Body: payload.Object{}}, nil
	}
	o := make(payload.Object, len(form))
	for k := range form {
		v, err := json.Marshal(form.Get(k))
		if err != nil {
			return Envelope{}, errBody
		}
		o[k] = v
	}
	return Envelope{id: o.Str("trigger_id"), Kind: Command, Body: o}, nil
}
