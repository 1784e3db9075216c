// Package llmtest has models for tests: [Scripted] answers in process what a
// test says, [Server] is an HTTP endpoint that speaks the OpenAI protocol as
// strictly as the real ones and fails in the ways they fail, and [Suite] is what
// every [maru/agent/llm.Model] must pass.
//
// No product code imports it, and it knows no client library: it reads and
// writes the wire format itself, so that a mistake of ours is not on both sides.
package llmtest
