package phrase

// LanguageOf chooses the language in which a person is answered: the setting if
// it names one, else that of what they wrote, else their locale's, else English.
func LanguageOf(setting, text, locale string) string {
	if lang, ok := Match(setting); ok {
		return lang
	}
	return Spoken(text, locale)
}
