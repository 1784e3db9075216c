// Package orchestrator is the agent that works on a task together with people: it
// clarifies the task, proposes a plan, lets people approve, edit or reject it, runs
// its steps with tools and reports the results.
//
// Invariant: only what was shown runs. A plan and a step carry the digest under which
// they were approved; a call that no approval covers is not made, and a graver effect
// than the one shown is asked about again.
//
// Each stage is a struct on a common base ([stage]) that declares its other
// dependencies as interfaces beside it: router, clarifier, planner, planReview,
// preparer, stepReview, executor, supervisor, reporter. The flow is workflow.json;
// each node is the file of that name. People's edits are read by
// [maru/agent/planedit].
//
// The package knows no platform and no store: questions are agent.Ask, memories of
// earlier runs come from [maru/memory/longterm], and lessons leave as agent.Lesson.
package orchestrator
