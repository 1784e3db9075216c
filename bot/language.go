package bot

import "maru/phrase"

// languageOf chooses the language in which a person is answered: the setting if
// it names one, else that of what they wrote, else their locale's, else English.
func languageOf(setting, text, locale string) string {
	if lang, ok := phrase.Match(setting); ok {
		return lang
	}
	letters, hangul := 0, 0
	for _, r := range text {
		switch {
		case r >= 0xAC00 && r <= 0xD7A3, r >= 0x1100 && r <= 0x11FF, r >= 0x3130 && r <= 0x318F:
			hangul++
			letters++
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			letters++
		}
	}
	switch {
	case hangul > 0 && hangul*5 >= letters:
		return "ko"
	case letters > 0:
		return "en"
	}
	lang, _ := phrase.Match(locale)
	return lang
}

// say is [phrase.Say], which is said often here.
func say(language, key string, args ...any) string { return phrase.Say(language, key, args...) }
