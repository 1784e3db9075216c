package agent

// Exchange is the prompt and the reply of one model call, for people who look into a run. Words that may not be kept,
// such as those of found messages, are left out already.
type Exchange struct {
	Prompt []Spoken `json:"prompt"`
	Tools  []string `json:"tools,omitempty"`  // that the model may call, by name
	Schema string   `json:"schema,omitempty"` // name of the shape that the reply must have, "" for free text
	Given  []string `json:"given,omitempty"`  // beginnings of passages that came beside the words, as data for the built-in model
	Reply  Spoken   `json:"reply"`
	Finish string   `json:"finish,omitempty"` // why the reply ended, as the endpoint says
}

// Spoken is one message of an [Exchange].
type Spoken struct {
	Role  string       `json:"role,omitempty"`
	Name  string       `json:"name,omitempty"` // of the tool whose result it is
	Text  string       `json:"text,omitempty"`
	Calls []SpokenCall `json:"calls,omitempty"` // of tools, in a model's message
}

// SpokenCall is a model's wish to call a tool.
type SpokenCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON
}
