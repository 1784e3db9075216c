package orchestrator

// Ports of the nodes, as workflow.json names them.
const (
	toChat    = "simple_chat"   // routing: answer at once
	toTask    = "tool_required" // routing: begin a task
	toClear   = "clear"         // the task is clear enough to plan
	toUnclear = "unclear"       // people are asked first
	toAsk     = "ask"           // people decide
	toRun     = "run"           // approved, or no approval is needed
	toAgain   = "again"         // the question is asked again, with a note
	toClarify = "clarify"       // an answer taken from memory is withdrawn
	toSkip    = "skip"          // the step is skipped
	toStop    = "stop"          // the task ends here
	toNext    = "next"          // the next step, or the same one again
	toReplan  = "replan"        // the remaining steps are planned again
	toDone    = "done"          // no step is left
)
