package discord

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"maru/bot"
	"maru/phrase/fit"
)

// Discord's error codes that the adapter acts upon.
const (
	codeUnknownChannel     = 10003
	codeUnknownMessage     = 10008
	codeUnknownWebhook     = 10015
	codeUnknownInteraction = 10062
	codeOldEdits           = 30046
	codeAcknowledged       = 40060
	codeNoAccess           = 50001
	codeNoDirect           = 50007
	codeNoPermission       = 50013
	codeWrongChannel       = 50024
	codeInvalidToken       = 50027
	codeInvalidBody        = 50035
	codeArchived           = 50083
	codeHasThread          = 160004
	codeLocked             = 160005
	codeFileTooLarge       = 40005  // of an upload
	codeNoUploads          = 400001 // the guild takes no files for now
	codeMaxThreads         = 160006

	codeUnknownGuild = 10004
	codeUnknownUser  = 10013
	codeNoDirects    = 40003  // direct messages are opened too fast
	codeSendingOff   = 40004  // sending messages is switched off for a while
	codeFeatureOff   = 40006  // so is something else
	codeUnauthorized = 40001  // also of who has not confirmed an address
	codeNotText      = 50008  // a channel without text
	codeVerification = 50009  // too high for the bot
	codeNoMutual     = 50278  // no server is shared with the person
	codeOverloaded   = 130000 // the API
	codeExplicit     = 20009  // content that is not for everybody
	codeBlocked      = 200000 // by the server's own rules
	codeBlockedTitle = 200001
	codeHarmful      = 240000 // by Discord's filter of links
	codeCannotReply  = 160002 // without the right to read what was said
)

// apiError is an answer of Discord's that is not what was asked for. It carries
// neither the token nor what was sent.
type apiError struct {
	op     string // method and route
	status int
	code   int           // Discord's own, 0 if there was none
	detail string        // where in the body the fault is, for logs
	after  time.Duration // for 429
	unsent bool          // it was not even asked: the limit is known
}

func (e *apiError) Error() string {
	s := e.op + ": HTTP " + strconv.Itoa(e.status)
	if e.code != 0 {
		s += " code " + strconv.Itoa(e.code)
	}
	if e.detail != "" {
		s += " " + e.detail
	}
	return s
}

// codeOf returns Discord's error code, 0 if err has none.
func codeOf(err error) int {
	var e *apiError
	if errors.As(err, &e) {
		return e.code
	}
	return 0
}

func statusOf(err error) int {
	var e *apiError
	if errors.As(err, &e) {
		return e.status
	}
	return 0
}

// readError makes an apiError of an answer; an HTML body is no reason to fail
// differently.
func readError(op string, status int, body []byte) *apiError {
	e := &apiError{op: op, status: status}
	var b struct {
		Code   int             `json:"code"`
		Errors json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &b) == nil {
		e.code = b.Code
		e.detail = faults(b.Errors)
	}
	return e
}

// faults names the fields of a refused body, without their values.
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

// errToken says that Discord refuses the token; nothing more is sent with it.
var errToken = errors.New("discord: the token was refused: reset it on the “Bot” page of the developer portal and set DISCORD_BOT_TOKEN")

// refusedRest is how long an answer rests whose token Discord refuses.
const refusedRest = 15 * time.Second

// delivery gives an error its class.
func delivery(op string, err error) error {
	if err == nil {
		return nil
	}
	var d *bot.DeliveryError
	if errors.As(err, &d) {
		return err
	}
	d = &bot.DeliveryError{Op: op, Err: err}
	var e *apiError
	switch {
	case errors.Is(err, errToken):
		// The answer is kept for as long as any other, over the restart with a new token.
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

func classOf(e *apiError) error {
	switch e.code {
	case codeUnknownChannel, codeUnknownMessage, codeUnknownWebhook, codeInvalidToken, codeUnknownInteraction,
		codeUnknownGuild, codeUnknownUser:
		return bot.ErrGone
	case codeNoAccess, codeNoPermission, codeNoDirect, codeLocked, codeMaxThreads, codeFileTooLarge, codeNoUploads,
		codeUnauthorized, codeNotText, codeWrongChannel, codeVerification, codeNoMutual, codeExplicit, codeBlocked,
		codeBlockedTitle, codeHarmful, codeCannotReply:
		return bot.ErrForbidden
	case codeNoDirects, codeSendingOff, codeFeatureOff, codeOverloaded:
		return bot.ErrUnavailable
	case codeOldEdits:
		return bot.ErrTooOld
	}
	switch {
	case e.status == http.StatusTooManyRequests, e.status >= 500:
		return bot.ErrUnavailable
	case e.status == http.StatusForbidden, e.status == http.StatusUnauthorized:
		return bot.ErrForbidden
	case e.status == http.StatusNotFound:
		return bot.ErrGone
	}
	return nil
}
