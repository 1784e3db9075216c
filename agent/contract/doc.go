// Package contract is the agent that answers questions about contracts: the
// contract of a thread, and the standard contract that comes with Maru beside
// it. It finds articles by number and by title, searches, judges whether what it
// found is enough, and answers with numbered sources.
//
// Its flow is workflow.json; each node is a file named as in the flow. It knows
// no platform, no store and no index: documents come through [Documents], and
// what it remembers goes through the engine's checkpoints.
package contract
