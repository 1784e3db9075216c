package workflow

import "maru/phrase"

// LanguageName names a language as models know it, with the manner in which Maru
// speaks it. The catalogue of the language says how; without one it is that of
// the question.
func LanguageName(language string) string {
	if lang, ok := phrase.Match(language); ok {
		return phrase.Say(lang, "language.for_models")
	}
	return "the language of the question"
}
