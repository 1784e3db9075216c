package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"maru/agent/llm"
	"maru/agent/llm/openai/rawjson"
)

// fault is what an endpoint says about an error. There is no one shape: an
// object under "error", a text there, a list around it or under "errors", "message",
// "msg" or "detail" beside nothing, or a web page.
type fault struct {
	message, code, typ, param string
}

func readFault(b []byte) fault {
	var list []json.RawMessage
	if json.Unmarshal(b, &list) == nil && len(list) > 0 {
		b = list[0]
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(b, &top) != nil {
		return fault{}
	}
	obj := top
	if raw, ok := top["error"]; ok {
		var inner map[string]json.RawMessage
		if json.Unmarshal(raw, &inner) == nil && inner != nil {
			obj = inner
		} else {
			return fault{message: word(raw), code: word(top["code"]), typ: word(top["type"])}
		}
	}
	if list, ok := rawjson.List(top["errors"]); ok && len(list) > 0 && rawjson.Map(list[0]) != nil {
		obj = rawjson.Map(list[0])
	}
	f := fault{message: word(obj["message"]), code: word(obj["code"]), typ: word(obj["type"]), param: word(obj["param"])}
	for _, name := range []string{"detail", "msg", "error_msg"} {
		f.message = cmp.Or(f.message, word(obj[name]))
	}
	for _, name := range []string{"status", "status_code"} {
		if n := (fault{code: word(obj[name])}); n.status() != 0 && f.status() == 0 && f.code == "" {
			f.code = n.code
		}
	}
	var inner struct{ Code string }
	if json.Unmarshal(obj["innererror"], &inner) == nil && inner.Code == "ResponsibleAIPolicyViolation" || given(top["contentFilter"]) {
		f.code = "content_filter" // of Azure and of Zhipu
	}
	return f
}

// word reads a text, a number, or anything else as it is written.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if v := string(raw); v != "null" {
		return v
	}
	return ""
}

// status returns the HTTP status that a code stands for, 0 if it is no number.
func (f fault) status() int {
	n, err := strconv.Atoi(f.code)
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

// statusError classes an answer that is not 2xx.
func (d *doer) statusError(resp *http.Response) error {
	b, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil && resp.Request != nil && resp.Request.Context().Err() != nil {
		return d.transportError(resp.Request.Context(), err)
	}
	f := readFault(b)
	e := &llm.Error{
		Class: f.class(resp.StatusCode), Status: resp.StatusCode,
		After: d.retryAfter(resp.Header), Detail: d.redact(f.message),
	}
	if e.After == 0 && (e.Class == llm.RateLimited || e.Class == llm.Overloaded) {
		e.After = saidWait(b)
	}
	if resp.StatusCode < 400 {
		e.Detail = "the endpoint redirects elsewhere: set " + d.setting("BASE_URL") + " to where it is now"
	}
	e.Err = &refusal{fault: f, status: resp.StatusCode}
	return e
}

// refusal carries what the endpoint said for deciding on a second try with
// fewer features.
type refusal struct {
	fault  fault
	status int
}

func (r *refusal) Error() string { return "HTTP " + strconv.Itoa(r.status) }

// Statuses that are no standard's: of Groq, whose flexible tier is full, and of gateways and Google for a call that the service dropped.
const noCapacity, cancelled = 498, 499

// class decides by the code first and then by the words, which are more telling than the status.
func (f fault) class(status int) llm.Class {
	says := f.says(status)
	switch {
	case f.code == "insufficient_quota" || f.typ == "insufficient_quota" || f.code == "billing_hard_limit_reached" || status == http.StatusPaymentRequired || says == llm.Quota:
		return llm.Quota
	case f.code == "context_length_exceeded" || f.typ == "exceed_context_size_error" || says == llm.ContextLength:
		return llm.ContextLength
	case says == llm.ContentFilter || f.code == "content_filter" || f.code == "content_policy_violation":
		return llm.ContentFilter
	case says == llm.NotFound || f.code == "model_not_found": // also of a project without access, sent as 403
		return llm.NotFound
	case f.code == "invalid_api_key" || says == llm.Auth || status == http.StatusUnauthorized || status == http.StatusForbidden:
		return llm.Auth
	case status == http.StatusRequestEntityTooLarge: // Groq calls it a limit of the rate, and waiting does not help
		return llm.BadRequest
	case f.code == "rate_limit_exceeded" || status == http.StatusTooManyRequests:
		return llm.RateLimited
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusGone:
		return llm.NotFound
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout:
		return llm.Timeout
	case status >= 500 || status == http.StatusConflict || status == http.StatusTooEarly || status == http.StatusFailedDependency ||
		status == noCapacity || status == cancelled ||
		f.typ == "overloaded_error" || f.typ == "server_error" || f.code == "server_error":
		return llm.Overloaded
	default:
		return llm.BadRequest
	}
}

// faultOf returns what the endpoint said, if err is its refusal of the request.
func faultOf(err error) (fault, bool) {
	var e *llm.Error
	var r *refusal
	if !errors.As(err, &e) || !errors.As(err, &r) {
		return fault{}, false
	}
	says := strings.ToLower(r.fault.message)
	return r.fault, e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity ||
		e.Status == http.StatusNotImplemented || e.Status == http.StatusUnsupportedMediaType ||
		e.Status == http.StatusNotFound && refusesPictures(says) || // OpenRouter has no endpoint for them
		e.Status == http.StatusInternalServerError && ofTemplate(says)
}

// unexplainedRefusal reports whether the endpoint refused the request, and no class says why.
func unexplainedRefusal(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Class == llm.BadRequest && (e.Status == http.StatusBadRequest ||
		e.Status == http.StatusRequestEntityTooLarge || e.Status == http.StatusUnprocessableEntity)
}
