package bot

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"strings"
	"time"

	"maru/agent"
	"maru/phrase"
)

// Code identifies a failure with a message for people.
type Code string

// The codes. Each has its sentence in the catalogues, under [Code.key].
const (
	CodeInternal      Code = "internal"
	CodeModelBusy     Code = "model_busy"
	CodeModelAway     Code = "model_away"     // not to be reached
	CodeModelCut      Code = "model_cut"      // its answer broke off
	CodeModelGarbled  Code = "model_garbled"  // not a usable answer
	CodeModelThoughts Code = "model_thoughts" // thoughts and no answer
	CodeModelAuth     Code = "model_auth"
	CodeModelQuota    Code = "model_quota"
	CodeModelAddress  Code = "model_address"
	CodeTooLong       Code = "too_long"
	CodeModelRefused  Code = "model_refused"
	CodeModelNoRoom   Code = "model_no_room" // it spent its reply without saying anything
	CodeModelUnfit    Code = "model_unfit"
	CodeTimeout       Code = "timeout"
	CodeSpent         Code = "spent" // the run reached its limit of calls, tokens or cost
	CodeStopped       Code = "stopped"
	CodeWithdrawn     Code = "withdrawn"
	CodeNotAllowed    Code = "not_allowed"
	CodeStale         Code = "stale"
	CodeUnknown       Code = "unknown_action"
	CodeNoAgent       Code = "no_agent"
	CodeAgentGone     Code = "agent_gone" // removed while its run waited
	CodeAgentLost     Code = "agent_lost" // removed, or not to be read, while its run was broken off
	CodeBadFile       Code = "bad_file"
	CodeFileTooBig    Code = "file_too_big"
	CodeNotKept       Code = "not_kept" // the file is valid, but the index rejected it
	CodeNoFile        Code = "no_file"
	CodeSlowFile      Code = "slow_file"
	CodeNoLink        Code = "no_link"
	CodeLinkAway      Code = "link_away"
	CodeFileGone      Code = "file_gone"
	CodeFileAway      Code = "file_away"      // the platform does not hand it over just now
	CodeFileAbroad    Code = "file_elsewhere" // the platform has only a link to it
	CodeNoUpload      Code = "no_upload"
	CodeUploadAway    Code = "upload_away" // the platform rejected the files on every attempt
	CodeNoPlace       Code = "no_place"
	CodeNotFound      Code = "not_found"
	CodeBadCommand    Code = "bad_command"
	CodeEmpty         Code = "empty"
	CodeBadSetting    Code = "bad_setting"
	CodeMayNot        Code = "may_not"
	CodeOverBudget    Code = "over_budget"
	CodeBadAnswer     Code = "bad_answer"
	CodeAmbiguous     Code = "ambiguous"
	CodeInterrupted   Code = "interrupted"
	CodeRolledBack    Code = "rolled_back"
	CodeBusy          Code = "busy"
	CodeQueued        Code = "queued"
	CodeUpgraded      Code = "upgraded"
	CodeFollowed      Code = "followed" // later messages of the conversation were answered first
	CodeGivenUp       Code = "given_up"
	CodeStoreFull     Code = "store_full" // the record is full
	CodeStoreBusy     Code = "store_busy" // or no memory, or no connection to spare
	CodeStoreAway     Code = "store_away" // or cannot be reached
	CodeRedoGone      Code = "redo_gone"
	CodeRedoStep      Code = "redo_step"
)

// key names the code's sentence in the catalogues.
func (c Code) key() string { return "error." + string(c) }

// known reports whether the catalogue has a sentence for the code.
func (c Code) known() bool { return phrase.Has(c.key()) }

// Error is a failure for people: its text says what happened and what to do. The cause is for the log.
type Error struct {
	Code   Code
	Detail string        // one more sentence in the person's language, may be empty
	Say    string        // replaces the code's sentence, in the person's language
	After  time.Duration // earliest retry, 0 if unknown
	Noted  bool          // the audit log contains this refusal
	Ref    string        // reference of the cause in the log, "" if none
	Err    error
}

// Error implements error, for the log.
func (e *Error) Error() string {
	s := string(e.Code)
	if e.Ref != "" {
		s += " " + e.Ref
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Text returns the sentence for people in their language.
func (e *Error) Text(language string) string {
	code := e.Code
	if !code.known() {
		code = CodeInternal
	}
	text := phrase.Say(language, code.key())
	switch {
	case e.Say != "":
		text = e.Say
	case code == CodeModelBusy && e.After >= time.Minute: // less is a moment
		text = phrase.Say(language, "error.model_busy_for", phrase.Span(e.After.Round(time.Minute)))
	}
	if e.Detail != "" {
		text += " " + e.Detail
	}
	if e.Ref != "" {
		text += " (" + e.Ref + ")"
	}
	return text
}

// coder is implemented by errors of other packages that carry a code. Codes without a sentence become the neutral
// one.
type coder interface{ PeopleCode() string }

// AsError converts any error into one for people. Unknown ones get a neutral sentence and a reference to the log.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var c coder
	if errors.As(err, &c) {
		if code := Code(c.PeopleCode()); code.known() {
			named := &Error{Code: code, Err: err}
			if f := (*agent.Failure)(nil); errors.As(err, &f) {
				named.After = f.After
			}
			return named
		}
	}
	var state interface{ SQLState() string }
	if errors.As(err, &state) { // of an index in the same database
		if code := storeCode(state.SQLState()); code != "" {
			return &Error{Code: code, Err: err}
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: CodeTimeout, Err: err}
	}
	return (&Error{Code: CodeInternal, Err: err}).WithReference()
}

// OfRecord reports whether the record failed rather than the run: it is unreachable, busy or full. No item is
// given up because of it.
func (e *Error) OfRecord() bool {
	return e.Code == CodeStoreAway || e.Code == CodeStoreBusy || e.Code == CodeStoreFull
}

// storeCode returns the code for an SQLSTATE with which a database temporarily refuses work, "" for any other. It
// is the only place that distinguishes an outage from a bug.
func storeCode(state string) Code {
	switch {
	case state == "53100": // disk full
		return CodeStoreFull
	case strings.HasPrefix(state, "08"), strings.HasPrefix(state, "57P"): // connection exceptions; shutdown, crash, starting up
		return CodeStoreAway
	case strings.HasPrefix(state, "53"), // no memory, no connections
		strings.HasPrefix(state, "40"),                                         // serialization failure, deadlock
		state == "55P03", state == "57014", state == "25P03", state == "25P04": // a time limit of the server's
		return CodeStoreBusy
	}
	return ""
}

// WithReference gives the error a reference to the log, a short random word, unless it has one.
func (e *Error) WithReference() *Error {
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	e.Ref = cmp.Or(e.Ref, "ref-"+strings.ToLower(base32.StdEncoding.EncodeToString(b[:])))
	return e
}

// Notice returns the card that reports a failure to a person.
func (e *Error) Notice(language string) Card { return *NewFailure(e.Text(language), language) }

// AnswerError reports that a decision does not match the question's schema.
type AnswerError struct {
	Fields map[string]string // error message by field of the form
	Err    error
}

// Error implements error.
func (e *AnswerError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *AnswerError) Unwrap() error { return e.Err }
