package web

import (
	"encoding/json"
	"errors"
	"net/http"

	"maru/adapters/lanes/body"
	"maru/bot"
)

// refusal is an error of the console itself; key is its code and catalogue key.
type refusal struct {
	status int
	key    string
}

// Error implements error.
func (f refusal) Error() string { return "web: " + f.key }

// decode reads a JSON body into v, strictly.
func decode(r *http.Request, v any) error {
	err := body.JSON(r.Body, v)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return refusal{http.StatusRequestEntityTooLarge, "too_long"}
	}
	if err != nil {
		return refusal{http.StatusBadRequest, "bad_request"}
	}
	return nil
}

// apiError is the JSON of every error under /api/.
type apiError struct {
	Error struct {
		Code string `json:"code"`
		Text string `json:"text"`
	} `json:"error"`
}

func (a *Adapter) refuse(w http.ResponseWriter, r *http.Request, f refusal) {
	a.explain(w, r, f.status, f.key, visitOf(r).T(f.key))
}

// explain answers with an error for people and programs.
func (a *Adapter) explain(w http.ResponseWriter, r *http.Request, status int, code, text string) {
	if isAPI(r) {
		var e apiError
		e.Error.Code, e.Error.Text = code, text
		reply(w, status, e)
		return
	}
	title := "error.title"
	if status == http.StatusNotFound {
		title = "error.missing"
	}
	a.render(w, r, status, "error", errorPage{view: a.bareView(r, title), Text: text})
}

type errorPage struct {
	view
	Text string
}

// statuses maps the bot's error codes to HTTP status codes; see [statusOf].
var statuses = map[bot.Code]int{
	bot.CodeModelBusy: http.StatusServiceUnavailable, bot.CodeModelAuth: http.StatusBadGateway,
	bot.CodeModelQuota: http.StatusServiceUnavailable, bot.CodeTooLong: http.StatusRequestEntityTooLarge,
	bot.CodeTimeout: http.StatusGatewayTimeout, bot.CodeNotAllowed: http.StatusForbidden,
	bot.CodeStale: http.StatusConflict, bot.CodeUnknown: http.StatusNotFound, bot.CodeNoAgent: http.StatusConflict,
	bot.CodeAgentGone: http.StatusConflict, bot.CodeAgentLost: http.StatusConflict, bot.CodeFollowed: http.StatusConflict,
	bot.CodeBadFile: http.StatusUnprocessableEntity, bot.CodeFileTooBig: http.StatusRequestEntityTooLarge, bot.CodeNotKept: http.StatusServiceUnavailable,
	bot.CodeNoFile: http.StatusBadRequest, bot.CodeNotFound: http.StatusNotFound,
	bot.CodeBadCommand: http.StatusBadRequest, bot.CodeEmpty: http.StatusBadRequest,
	bot.CodeBadAnswer: http.StatusUnprocessableEntity, bot.CodeAmbiguous: http.StatusConflict,
}

// statusOf returns the HTTP status for an error code of the bot.
func statusOf(c bot.Code) int {
	if status, ok := statuses[c]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// fail answers with an error, unless the client is gone.
func (a *Adapter) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client is gone
	}
	told := a.tell(r, err)
	a.explain(w, r, told.status, told.code, told.text)
}

// telling is an error for people and programs.
type telling struct {
	status     int
	code, text string
}

// tell converts an error: it keeps the text of errors that have one, and replaces others by a
// neutral sentence with a reference to the log.
func (a *Adapter) tell(r *http.Request, err error) telling {
	var own refusal
	var told *bot.Error
	v := visitOf(r)
	switch {
	case errors.As(err, &own):
		return telling{own.status, own.key, v.T(own.key)}
	case errors.Is(err, bot.ErrNotFound):
		return telling{http.StatusNotFound, "not_found", v.T("not_found")}
	case errors.As(err, &told):
		if told.Err != nil {
			said := []any{"path", r.URL.Path, "err", told.Err}
			if told.Ref != "" { // not every sentence has one
				said = append(said, "ref", told.Ref)
			}
			a.cfg.Log.WarnContext(r.Context(), "console request failed", said...)
		}
		return telling{statusOf(told.Code), string(told.Code), told.Text(v.Lang)}
	default:
		e := (&bot.Error{Code: bot.CodeInternal}).WithReference()
		a.cfg.Log.ErrorContext(r.Context(), "console request failed", "path", r.URL.Path, "ref", e.Ref, "err", err)
		return telling{http.StatusInternalServerError, string(e.Code), e.Text(v.Lang)}
	}
}

// reply answers with JSON.
func reply(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, `{"error":{"code":"internal","text":""}}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may be gone
}
