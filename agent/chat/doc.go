// Package chat is the default agent: it routes a message to the team's documents
// or to conversation and tools, retrieves without a model call, keeps a sliding
// window of the thread and answers with sources.
//
// The flow is workflow.json; each node has a file of the same name. The package knows no platform and no store:
// state is kept in the engine's checkpoints, and requests come from maru/agent.
package chat
