package node

import (
	"fmt"
	"strings"

	"maru/agent/flow"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/phrase/fit"
)

// Bounds of the values that a card marks.
const (
	maxMadeUp = 8  // values
	maxMarked = 80 // characters of one
)

// MadeUp tells people which values of a call nobody gave: neither a person nor anything that the run has read, see
// [flow.Context.MadeUp]. What a picture shows cannot be compared.
func MadeUp(x *workflow.Exec, spec tool.Spec, values []flow.Value, read flow.Context) []string {
	r := x.Request
	if len(r.Pictures) > 0 {
		return nil
	}
	read.Read = append([]string{r.User.Name, r.User.ID, r.Thread}, read.Read...)
	var names []string
	for _, v := range read.MadeUp(spec, values, r.User.Clock(r.Now)) {
		names = append(names, "`"+fit.Quoted(v.Path, maxMarked)+"` “"+fit.Literal(fit.Quoted(v.Text, maxMarked))+"”")
	}
	if len(names) == 0 {
		return nil
	}
	more := ""
	if n := len(names) - maxMadeUp; n > 0 {
		names, more = names[:maxMadeUp], fmt.Sprintf(" … +%d", n)
	}
	return []string{x.Phrase("agent.made_up", strings.Join(names, ", ")+more)}
}
