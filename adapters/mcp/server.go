package mcp

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/adapters/lanes/body"
	"maru/bot"
	"maru/bot/desk"
	"maru/phrase"
)

// Limits of requests.
const (
	maxBody   = 1 << 20 // bytes
	slackSkew = 5 * time.Minute
)

// Server answers other programs. It is safe for concurrent use.
type Server struct {
	cfg     Config
	schemas *sdk.SchemaCache
}

// New returns a Server.
func New(c Config) *Server { return &Server{cfg: c, schemas: sdk.NewSchemaCache()} }

// Mount registers the server's paths.
func (s *Server) Mount(mux *http.ServeMux) {
	mux.HandleFunc("/mcp", s.admit(s.mcp))
	mux.HandleFunc("POST /api/approvals", s.admit(s.file))
	mux.HandleFunc("GET /api/approvals/{id}", s.admit(s.status))
	mux.HandleFunc("DELETE /api/approvals/{id}", s.admit(s.withdraw))
	mux.HandleFunc("GET /api/approvals/key", s.keys)
}

// visitor is who sends a request.
type visitor struct {
	caller desk.Caller
	slack  bool // Slack has signed the request; each call of a tool names its person
}

// mcp speaks the protocol. Each request has a server of its own, which knows its caller: no session has to be found again
// on another replica. A page that points its own name at this machine has no token, so that the SDK's check of the Host
// header, which would refuse a reverse proxy beside the program, is not needed.
func (s *Server) mcp(w http.ResponseWriter, r *http.Request, v visitor) {
	if all := strings.ToLower(strings.Join(r.Header.Values("Accept"), ",")); all == "" || strings.Contains(all, "application/json") {
		// The SDK wants streams to be accepted, too, as the protocol has it. None is sent, and many programs do not say so.
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.tools(v) },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: true}).ServeHTTP(w, r)
}

// admit lets a request through that shows a token, or that Slack has signed.
func (s *Server) admit(next func(http.ResponseWriter, *http.Request, visitor)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		var v visitor
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		switch {
		case strings.EqualFold(scheme, "Bearer"):
			var err error
			if v.caller, err = s.cfg.Desk.Open(r.Context(), strings.TrimSpace(token)); err != nil {
				s.fail(w, r, "", err)
				return
			}
		case r.URL.Path == "/mcp" && r.Header.Get("X-Slack-Signature") != "":
			if v.slack = s.signed(r); !v.slack {
				s.fail(w, r, "", desk.ErrToken)
				return
			}
		default:
			s.fail(w, r, "", errNoToken)
			return
		}
		next(w, r, v)
	}
}

var errNoToken = errors.New("mcp: the request shows no token")

// signed reports whether Slack has signed a request, see https://docs.slack.dev/authentication/verifying-requests-from-slack.
// It reads the body, and leaves it to be read again.
func (s *Server) signed(r *http.Request) bool {
	stamp := r.Header.Get("X-Slack-Request-Timestamp")
	at, err := strconv.ParseInt(stamp, 10, 64)
	if s.cfg.SlackSecret == "" || err != nil || s.cfg.Now().Sub(time.Unix(at, 0)).Abs() > slackSkew {
		return false
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	mac := hmac.New(sha256.New, []byte(s.cfg.SlackSecret))
	_, _ = mac.Write([]byte("v0:" + stamp + ":"))
	_, _ = mac.Write(body)
	return hmac.Equal([]byte(r.Header.Get("X-Slack-Signature")), []byte("v0="+hex.EncodeToString(mac.Sum(nil))))
}

// apiError is the JSON of an error, as everywhere below /api/.
type apiError struct {
	Error struct {
		Code string `json:"code"`
		Text string `json:"text"`
	} `json:"error"`
}

// statuses are the HTTP statuses of the bot's codes; others are faults of ours.
func statusOf(c bot.Code) int {
	switch c {
	case bot.CodeNotFound, bot.CodeUnknown:
		return http.StatusNotFound
	case bot.CodeNotAllowed, bot.CodeMayNot:
		return http.StatusForbidden
	case bot.CodeStale, bot.CodeAmbiguous:
		return http.StatusConflict
	case bot.CodeBadAnswer:
		return http.StatusUnprocessableEntity
	case bot.CodeEmpty, bot.CodeBadCommand:
		return http.StatusBadRequest
	case bot.CodeTooLong:
		return http.StatusRequestEntityTooLarge
	case bot.CodeOverBudget:
		return http.StatusTooManyRequests
	}
	return http.StatusInternalServerError
}

// fail answers with an error, in a language or, without one, that of the client.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, lang string, err error) {
	if lang == "" {
		lang, _ = phrase.Match(r.Header.Get("Accept-Language"))
	}
	var large *http.MaxBytesError
	status, code, text := http.StatusUnauthorized, "", ""
	switch e := (*bot.Error)(nil); {
	case errors.Is(err, errNoToken):
		w.Header().Set("WWW-Authenticate", `Bearer realm="Maru"`)
		code, text = "no_token", phrase.Say(lang, "server.no_token")
	case errors.Is(err, desk.ErrToken):
		w.Header().Set("WWW-Authenticate", `Bearer realm="Maru", error="invalid_token"`)
		code, text = "invalid_token", phrase.Say(lang, "server.bad_token")
	case errors.As(err, &large):
		status, code, text = http.StatusRequestEntityTooLarge, string(bot.CodeTooLong), phrase.Say(lang, "server.too_large", maxBody>>10)
	case errors.As(err, &e):
		status, code, text = statusOf(e.Code), string(e.Code), e.Text(lang)
	case errors.Is(err, errQuery):
		status, code, text = http.StatusBadRequest, "bad_request", phrase.Say(lang, "server.bad_query", strings.TrimPrefix(err.Error(), errQuery.Error()+": "))
	case errors.Is(err, body.ErrJSON):
		status, code, text = http.StatusBadRequest, "bad_request", phrase.Say(lang, "server.bad_body", strings.TrimPrefix(err.Error(), body.ErrJSON.Error()+": "))
	default:
		status, code = http.StatusInternalServerError, string(bot.CodeInternal)
		text = s.unknown(r.Context(), err).Text(lang)
	}
	var out apiError
	out.Error.Code, out.Error.Text = code, text
	s.reply(w, status, out)
}

// unknown returns an error that people cannot read: it is logged under a reference.
func (s *Server) unknown(ctx context.Context, err error) *bot.Error {
	e := (&bot.Error{Code: bot.CodeInternal}).WithReference()
	s.cfg.Log.ErrorContext(ctx, "request of a program failed", "ref", e.Ref, "err", err)
	return e
}

func (s *Server) reply(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		s.cfg.Log.Error("encode an answer", "err", err)
		status, body = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","text":""}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may be gone
}
