package chat

// NewWith is New with another definition, as a later version of the program has.
var NewWith = newAgent
