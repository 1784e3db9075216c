package phrase

// LanguageOf returns the language in which to answer a person: the setting's, else their
// message's, else their locale's, else English.
func LanguageOf(setting, text, locale string) string {
	if lang, ok := Match(setting); ok {
		return lang
	}
	return Spoken(text, locale)
}
