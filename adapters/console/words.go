package console

import "maru/phrase"

// word returns the console's sentence for a key.
func word(lang, key string, args ...any) string { return phrase.Say(lang, "console."+key, args...) }
