// Package guide implements the agent that turns a goal into a guide. It breaks a complex task into
// sub-tasks, asks the person to confirm them, recommends one service for each with reason and
// price, writes the guide, and learns preferences. Plain questions are answered at once.
//
// The flow is workflow.json; each node has a file of the same name. Services come from
// knowledge/services.json through [Catalog], trends from the channel's documents. The package
// knows no platform and no store.
package guide
