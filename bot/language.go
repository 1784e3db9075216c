package bot

import "maru/phrase"

// languageOf chooses the language in which a person is answered: the setting if
// it names one, else that of what they wrote, else their locale's, else English.
func languageOf(setting, text, locale string) string {
	if lang, ok := phrase.Match(setting); ok {
		return lang
	}
	return phrase.Spoken(text, locale)
}

// say is [phrase.Say], which is said often here.
func say(language, key string, args ...any) string { return phrase.Say(language, key, args...) }
