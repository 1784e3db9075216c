// Package host is shared by agents that run one workflow of their own. It adds to agent/workflow a turn on a thread
// that remembers messages and keeps the definition with which it began, recorded replies of the model, and how a
// thread forgets.
//
// It knows no agent and none of an agent's nodes: agents give it a definition with its types, and
// the channels in which their threads remember messages and that definition.
package host
