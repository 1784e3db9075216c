package bot

import "strings"

// StopReason is the reason of a stop request.
type StopReason string

// Stop reasons. They are stored, and an unknown one counts as StopSaid.
const (
	StopSaid        StopReason = "stop"      // a person asked for it
	StopInterrupted StopReason = "interrupt" // a newer message interrupts it
	StopRolledBack  StopReason = "rollback"  // a newer message replaces it
	StopWithdrawn   StopReason = "withdrawn" // its message was deleted
	StopEdited      StopReason = "edited"    // its message was edited
)

// StopRequest asks a thread's worker to stop one run, or any run.
type StopRequest struct {
	Reason StopReason
	Run    string // "" for any active run
	But    string // with Run "": a run that is not meant, "" for none
}

// exceptMark precedes a run that is excluded from a request for a whole thread.
const exceptMark = "but:"

// String returns the request as stored in [Stop]: "REASON", "REASON RUN" or "REASON but:RUN".
func (r StopRequest) String() string {
	switch {
	case r.Run != "":
		return string(r.Reason) + " " + r.Run
	case r.But != "":
		return string(r.Reason) + " " + exceptMark + r.But
	}
	return string(r.Reason)
}

// Scan parses the result of [StopRequest.String].
func (r *StopRequest) Scan(row string) {
	reason, rest, _ := strings.Cut(row, " ")
	*r = StopRequest{Reason: StopReason(reason)}
	if but, ok := strings.CutPrefix(rest, exceptMark); ok {
		r.But = but
	} else {
		r.Run = rest
	}
}
