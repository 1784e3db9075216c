package longterm

// Essence returns what makes two requests the same.
func Essence(text string) string { return essence(text) }
