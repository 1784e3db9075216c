// Package consent asks people before a tool is called: the question with the exact
// call, a form with the call's values, and the decision. Agents that ask about calls
// share it, so that every card shows the same rows and means the same.
//
// It does not decide which calls need a question (agent/tool does), and stores nothing:
// the questions are the engine's, see [maru/agent/graph.Ask].
package consent
