// Package toolcall reads the tool calls of models: those that a reply has as text, where the model's server has no parser for them,
// and arguments in another form than the tool's schema. It knows no endpoint and no wire format.
package toolcall

// Max is the most tool calls that one reply may have.
const Max = 64

// Call is a tool's name and its arguments, as the model wrote them.
type Call struct{ Name, Args string }
