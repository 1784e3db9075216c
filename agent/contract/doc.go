// Package contract implements the agent that answers questions about contracts: those shared in a
// thread, and the standard contract bundled with Maru. It finds articles by number and title,
// searches, judges whether the passages suffice, and answers with numbered sources.
//
// The flow is workflow.json; each node has a file of the same name. The package knows no platform,
// store or index: documents come through [Documents], and state is kept in the engine's
// checkpoints.
package contract
