// Package autonomous implements the agent that works on a task until it is done. It classifies the
// task's difficulty: easy tasks are answered at once, medium ones are reviewed, and hard ones are
// planned and executed as todos. The flow is a workflow definition, workflow.json, built from this
// package's node types and the general ones of agent/workflow/node.
//
// The same node types run the workflows of teams: [NewTeam] takes a definition, [Folder] watches
// files.
//
// The package knows no platform and no store; dependencies come in [Config].
package autonomous
