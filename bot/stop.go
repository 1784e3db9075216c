package bot

import "strings"

// StopReason is why a run is asked to stop.
type StopReason string

// The reasons for which a run is asked to stop. They are stored: a reason that a program
// does not know is StopSaid.
const (
	StopSaid        StopReason = "stop"      // a person said so
	StopInterrupted StopReason = "interrupt" // a newer message interrupts it
	StopRolledBack  StopReason = "rollback"  // a newer message takes its place
	StopWithdrawn   StopReason = "withdrawn" // its message was deleted
	StopEdited      StopReason = "edited"    // its message was edited
)

// StopRequest asks a thread's worker to stop one run, or any run.
type StopRequest struct {
	Reason StopReason
	Run    string // the one that is meant, "" for whatever is at work
	But    string // with Run "": a run that is not meant, "" for none
}

// exceptMark stands before a run that a request for a whole thread does not mean.
const exceptMark = "but:"

// String is the request as [Stop] keeps it: "REASON", "REASON RUN" or "REASON but:RUN".
func (r StopRequest) String() string {
	switch {
	case r.Run != "":
		return string(r.Reason) + " " + r.Run
	case r.But != "":
		return string(r.Reason) + " " + exceptMark + r.But
	}
	return string(r.Reason)
}

// Scan sets r to what [StopRequest.String] wrote.
func (r *StopRequest) Scan(row string) {
	reason, rest, _ := strings.Cut(row, " ")
	*r = StopRequest{Reason: StopReason(reason)}
	if but, ok := strings.CutPrefix(rest, exceptMark); ok {
		r.But = but
	} else {
		r.Run = rest
	}
}
