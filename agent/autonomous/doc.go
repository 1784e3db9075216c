// Package autonomous is the agent that works on a task until it is done: it
// judges how hard the task is, answers easy ones at once, has its answer
// reviewed for harder ones, and plans and carries out todos for hard ones. It is
// a workflow definition, workflow.json, written with the node types of this
// package and the general ones of agent/workflow/node.
//
// With the same node types it runs the workflows of teams: [NewTeam] from a
// definition, [Folder] from files that may change while it runs.
//
// It knows no platform and no store. What a run has at hand is given as
// [Config].
package autonomous
