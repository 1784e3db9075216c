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
	// skewWarnEvery is the minimum interval between clock-skew warnings: anybody who holds an old
	// signed request can replay it at will.
	skewWarnEvery = time.Minute
)

// Mount registers the signed endpoints of HTTP mode. With an app token there are none: events
// come over Socket Mode.
func (d *Door) Mount(mux *http.ServeMux, in bot.Intake) {
	d.ServeFor(in)
	if d.SocketMode() {
		return
	}
	mux.Handle("POST /slack/events", d.signed(in, readEvent))
	mux.Handle("POST /slack/interactions", d.signed(in, readInteraction))
	mux.Handle("POST /slack/commands", d.signed(in, readCommand))
}

// signed handles requests that Slack signed. Slack retries requests that are not answered
// with 200, so a 5xx means "not committed". A retried event is handled like a first one: it
// may be the first to arrive.
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

// answerHTTP commits a request's envelope and answers the request.
func (d *Door) answerHTTP(w http.ResponseWriter, r *http.Request, in bot.Intake, env Envelope) {
	ctx := r.Context()
	if err := d.known(ctx); err != nil {
		d.log.WarnContext(ctx, "slack event refused: the bot's identity is not known yet", "code", web.Code(err))
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	res, err := d.deliver(ctx, in, env)
	switch {
	case errors.Is(err, errForeignApp):
		d.log.ErrorContext(ctx, "slack event refused: it is signed but names another app; are SLACK_SIGNING_SECRET and SLACK_BOT_TOKEN of the same app?",
			"app", env.Body.Str("api_app_id"))
		http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
	case err != nil:
		d.log.ErrorContext(ctx, "slack event not committed, slack will redeliver it", "kind", string(env.Kind), "err", err.Error())
		http.Error(w, http.StatusText(http.StatusServiceUnavailable), http.StatusServiceUnavailable)
	case res.Ack == nil:
		w.WriteHeader(http.StatusOK)
	default:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(res.Ack)
	}
	d.after(ctx, res)
}

// verified reads the body, at most maxBody bytes whatever Content-Length says, and checks its
// signature over the raw bytes. Refusals give the sender no reason, and logs never quote the
// request.
func (d *Door) verified(w http.ResponseWriter, r *http.Request) ([]byte, int) {
	if r.Header.Get("Content-Encoding") != "" {
		return nil, http.StatusUnsupportedMediaType // Slack sends plain bodies: nothing is decompressed
	}
	stamp := r.Header.Get("X-Slack-Request-Timestamp")
	sec, err := strconv.ParseUint(stamp, 10, 63) // digits only, as Slack sends it
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
		d.warnSkew(r.Context(), off)
		return nil, http.StatusUnauthorized
	}
	return body, http.StatusOK
}

// warnSkew logs that clock skew rejects all deliveries: Slack sees only refusals, and people
// no answer.
func (d *Door) warnSkew(ctx context.Context, off time.Duration) {
	now, last := d.cfg.Now(), d.skewed.Load()
	if last != nil && now.Sub(*last).Abs() < skewWarnEvery || !d.skewed.CompareAndSwap(last, &now) {
		return
	}
	d.log.ErrorContext(ctx, "slack event refused: its signature time is off; check this machine's clock", "off", off.Round(time.Second).String())
}

// validSignature compares in constant time; an empty secret never matches.
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

var errBody = errors.New("slack: malformed request body")

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

// readCommand converts a command's form to the object that Socket Mode sends.
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
