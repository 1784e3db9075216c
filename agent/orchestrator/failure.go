package orchestrator

import "maru/agent/workflow"

// failure is the reason why a step failed or a call may not run; "" for neither.
type failure string

// The reasons.
const (
	codeNeedsApproval failure = "needs_approval"
	codeOutsiders     failure = "outsiders" // it would send outsiders' words to a service
	codeForbidden     failure = "refused"
	codeTimeout       failure = "timeout"
	codeEmpty         failure = "empty"
	codeReported      failure = "reported" // the result itself reports a failure
	codeUnsure        failure = "unsure"   // a call may have taken effect, see unsure.go
	codeIdle          failure = "not_called"
	codeLimit         failure = "limit"
	codeModel         failure = "model"
	codeIncomplete    failure = "incomplete"
	codeUnknown       failure = "not_found"
)

// refusal reports whether the reason is a missing permission, so that a retry is useless.
func (f failure) refusal() bool {
	return f == codeNeedsApproval || f == codeOutsiders || f == codeForbidden
}

// refused explains to people why a call was not made.
func (f failure) refused(x *workflow.Exec) string {
	switch f {
	case codeForbidden:
		return x.Phrase("orchestrator.tool_forbidden")
	case codeOutsiders:
		return x.Phrase("orchestrator.not_approved_outside")
	}
	return x.Phrase("orchestrator.not_approved")
}
