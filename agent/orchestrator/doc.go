// Package orchestrator is the agent that works on a task together with its
// people: it asks what is unclear, proposes a plan, lets them approve, change or
// reject it, runs its steps with the right tools and reports what came of each.
//
// Its promise is that what was shown is what runs. A plan and a step carry the
// digest under which they were granted; a call that no grant covers is not made,
// and whatever is graver than what was shown is asked for again.
//
// Its flow is workflow.json; each node is a file named as in the flow. It knows
// no platform and no store: questions to people are agent.Ask, what it remembers
// of earlier runs comes from [maru/memory/longterm], and what it learnt leaves as
// agent.Lesson.
package orchestrator
