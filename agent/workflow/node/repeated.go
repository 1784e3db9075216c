package node

// RepeatedCall is the result, for the model, of a call that it made before in the turn.
const RepeatedCall = "error (repeated): this call was made or asked about before in this turn; use its result."
