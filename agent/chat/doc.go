// Package chat is the default agent: it routes a message to the team's documents
// or to conversation and tools, retrieves without a model call, keeps a sliding
// window of the thread and answers with sources.
//
// Its flow is workflow.json; each node is a file named as in the flow. It knows
// no platform and no store: what it remembers goes through the engine's
// checkpoints, and its request comes from agent.
package chat
