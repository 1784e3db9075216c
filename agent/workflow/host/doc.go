// Package host is what agents share that run one workflow of their own, beyond
// the words of agent/workflow: a turn on a thread that remembers messages,
// recorded replies of the model, and how a thread forgets.
//
// It knows no agent and no node: agents give it a plan and the channel in which
// their threads remember messages.
package host
