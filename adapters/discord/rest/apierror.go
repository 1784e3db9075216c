package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Discord's error codes that the adapter acts upon.
const (
	CodeUnknownChannel     = 10003
	CodeUnknownMessage     = 10008
	CodeUnknownWebhook     = 10015
	codeUnknownInteraction = 10062
	CodeOldEdits           = 30046
	CodeAcknowledged       = 40060
	CodeNoAccess           = 50001
	codeNoDirect           = 50007
	CodeNoPermission       = 50013
	codeWrongChannel       = 50024
	CodeInvalidToken       = 50027
	CodeInvalidBody        = 50035
	CodeArchived           = 50083
	CodeHasThread          = 160004
	CodeLocked             = 160005
	codeFileTooLarge       = 40005  // of an upload
	codeNoUploads          = 400001 // the guild accepts no files temporarily
	codeMaxThreads         = 160006
	codeNotBegun           = 40058 // a forum post whose author's first message is not there yet
	codeEdge               = 40333 // Cloudflare, in front of the API, refused the request

	CodeUnknownGuild = 10004
	codeUnknownUser  = 10013
	codeNoDirects    = 40003  // direct messages are opened too fast
	codeSendingOff   = 40004  // sending messages is disabled temporarily
	codeFeatureOff   = 40006  // another feature is disabled temporarily
	codeUnauthorized = 40001  // also without a verified e-mail address
	codeNotText      = 50008  // a channel without text
	codeVerification = 50009  // too high for the bot
	codeNoMutual     = 50278  // no shared server
	codeOverloaded   = 130000 // the API
	CodeExplicit     = 20009  // explicit content
	CodeBlocked      = 200000 // by the server's rules
	CodeBlockedTitle = 200001
	CodeHarmful      = 240000 // by Discord's link filter
	CodeCannotReply  = 160002 // without permission to read the history
)

// Error is a failed API response. It contains neither the token nor the request.
type Error struct {
	op     string // method and route
	status int
	code   int           // Discord's code, 0 for none
	detail string        // location of the fault in the body, for logs
	after  time.Duration // for 429
	unsent bool          // not sent: the rate limit is known
	edge   bool          // not the API's response, but that of a server in front of it
}

// Error implements error.
func (e *Error) Error() string {
	s := e.op + ": HTTP " + strconv.Itoa(e.status)
	if e.code != 0 {
		s += " code " + strconv.Itoa(e.code)
	}
	if e.detail != "" {
		s += " " + e.detail
	}
	return s
}

// CodeOf returns Discord's error code, 0 if err has none.
func CodeOf(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.code
	}
	return 0
}

// StatusOf returns the API's HTTP status of an error, 0 if it has none. A server in front of the API that forbade the
// request says nothing about the bot's rights: that has none either.
func StatusOf(err error) int {
	var e *Error
	if errors.As(err, &e) && !e.forbiddenAtEdge() {
		return e.status
	}
	return 0
}

// readError decodes an error response, which may be HTML.
func readError(op string, status int, body []byte) *Error {
	e := &Error{op: op, status: status}
	var b struct {
		Code   int             `json:"code"`
		Errors json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &b) != nil {
		e.edge = true
		return e
	}
	e.code, e.detail, e.edge = b.Code, faults(b.Errors), b.Code == codeEdge
	return e
}

// forbiddenAtEdge reports whether a server in front of the API forbade the request.
func (e *Error) forbiddenAtEdge() bool { return e.edge && e.status == http.StatusForbidden }

// faults lists the faulty fields of a rejected body, without their values.
func faults(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	for name, rest := range fields {
		if name == "_errors" {
			return ""
		}
		return fit.Clip("at "+name+" "+faults(rest), 200)
	}
	return ""
}

// ErrToken reports that Discord refuses the token; no more requests are sent with it.
var ErrToken error = tokenError{}

type tokenError struct{}

// Error implements error.
func (e tokenError) Error() string { return "discord: " + e.Told(phrase.Fallback) }

// Told tells operators in their language.
func (tokenError) Told(language string) string { return phrase.Say(language, "discord.token.refused") }

// refusedRest is the retry delay of an answer while Discord refuses its token.
const refusedRest = 15 * time.Second

// UnknownChannel returns Discord's error for a channel that is known to be deleted, without a
// request.
func UnknownChannel(op string) error {
	return &Error{op: op, status: http.StatusNotFound, code: CodeUnknownChannel, unsent: true}
}

// Delivery maps an error to the bot's error class.
func Delivery(op string, err error) error {
	if err == nil {
		return nil
	}
	var d *bot.DeliveryError
	if errors.As(err, &d) {
		return err
	}
	d = &bot.DeliveryError{Op: op, Err: err}
	var e *Error
	switch {
	case errors.Is(err, ErrToken):
		// The answer is retried like any other, also across a restart with a new token.
		d.Code, d.After, d.Err = "401", refusedRest, fmt.Errorf("%w: %w", bot.ErrUnavailable, err)
		return d
	case !errors.As(err, &e):
		d.Err = fmt.Errorf("%w: %w", bot.ErrUnavailable, err)
		return d
	}
	d.Code, d.After = strconv.Itoa(e.status), e.after
	if e.code != 0 {
		d.Code = strconv.Itoa(e.code)
	}
	if class := classOf(e); class != nil {
		d.Err = fmt.Errorf("%w: %w", class, err)
	}
	return d
}

func classOf(e *Error) error {
	switch e.code {
	case CodeUnknownChannel, CodeUnknownMessage, CodeUnknownWebhook, CodeInvalidToken, codeUnknownInteraction,
		CodeUnknownGuild, codeUnknownUser:
		return bot.ErrGone
	case CodeNoAccess, CodeNoPermission, codeNoDirect, CodeLocked, codeMaxThreads, codeFileTooLarge, codeNoUploads,
		codeUnauthorized, codeNotText, codeWrongChannel, codeVerification, codeNoMutual, CodeExplicit, CodeBlocked,
		CodeBlockedTitle, CodeHarmful, CodeCannotReply:
		return bot.ErrForbidden
	case codeNoDirects, codeSendingOff, codeFeatureOff, codeOverloaded, codeNotBegun:
		return bot.ErrUnavailable
	case CodeOldEdits:
		return bot.ErrTooOld
	}
	switch {
	case e.status == http.StatusTooManyRequests, e.status >= 500, e.edge:
		return bot.ErrUnavailable
	case e.status == http.StatusForbidden, e.status == http.StatusUnauthorized:
		return bot.ErrForbidden
	case e.status == http.StatusNotFound:
		return bot.ErrGone
	}
	return nil
}

// CodeUnknownMember is Discord's code for a non-member.
const CodeUnknownMember = 10007
