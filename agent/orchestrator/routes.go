package orchestrator

// The ports over which the nodes lead on, as workflow.json names them.
const (
	toChat    = "simple_chat"   // routing: an answer will do
	toTask    = "tool_required" // routing: there is work to do
	toClear   = "clear"         // the task is clear enough to plan
	toUnclear = "unclear"       // people are asked first
	toAsk     = "ask"           // people decide
	toRun     = "run"           // it was granted, or nobody wants to be asked
	toAgain   = "again"         // the question stays, with a note
	toClarify = "clarify"       // an answer taken from memory is withdrawn
	toSkip    = "skip"          // the step is left out
	toStop    = "stop"          // the task ends here
	toNext    = "next"          // on to the next step, or the same one again
	toReplan  = "replan"        // the remaining steps are planned anew
	toDone    = "done"          // no step is left
)
