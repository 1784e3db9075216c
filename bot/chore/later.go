package chore

import "time"

// Later says that a background job could not be tried yet, and after which time to try it. It does not count as a failure of the job.
type Later struct {
	After time.Duration
	Err   error // why
}

func (l *Later) Error() string { return l.Err.Error() }

// Unwrap returns the reason.
func (l *Later) Unwrap() error { return l.Err }
