package bot

// Command is one row of the table from which every platform renders its
// commands, their help and their argument checks.
type Command struct {
	Name    string            // "ask"
	Summary map[string]string // one line by language ("ko", "en")
	Args    []Arg
	Admin   bool // only admins of the workspace
}

// Arg is an argument of a command.
type Arg struct {
	Name     string // [a-z_]{1,32}
	Summary  map[string]string
	Required bool
	Rest     bool     // takes the rest of the line
	Choices  []string // allowed values, if not free
}
