package agent

import "time"

// Failure is an error of a run that people can be told about by its code, one
// of "model_busy", "model_away", "model_cut", "model_garbled", "model_thoughts", "model_address",
// "model_auth", "model_quota", "model_unfit", "model_refused", "model_no_room", "too_long", "timeout",
// "too_many_steps", "spent", "upgraded", "followed", "redo_gone", "redo_step". An
// error without a code is shown as a neutral sentence.
type Failure struct {
	Code  string
	After time.Duration // how long the model's service wants to be left alone, 0 if it did not say
	Err   error
}

// Error implements error.
func (f *Failure) Error() string {
	if f.Err == nil {
		return f.Code
	}
	return f.Code + ": " + f.Err.Error()
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// PeopleCode returns the code of the sentence for people.
func (f *Failure) PeopleCode() string { return f.Code }
