package node

import (
	"bytes"
	"encoding/json"
)

// RepeatedCall is the result, for the model, of a call that it made before in the turn.
const RepeatedCall = "error (repeated): this call was made or asked about before in this turn; use its result."

// CallKey is equal for calls of one tool with the same arguments, however their JSON is laid out.
func CallKey(name, arguments string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(arguments)) != nil {
		return name + " " + arguments
	}
	return name + " " + b.String()
}
