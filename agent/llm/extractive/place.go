package extractive

import "regexp"

// place.go tells places from what is written like them: "in September", "at once".

var (
	placesEn = regexp.MustCompile(`(?i)` + places)
	// placeless are times, manners and idioms that begin as places do.
	placeless = regexp.MustCompile(`(?i)\b(?:in|on|at|into|from|by|to|through|under)\s+(?:(?:the|an?)\s+)?(?:(?:early|mid|late|next|last|first|second|third)\s+)?(?:` +
		`january|february|march|april|may|june|july|august|september|october|november|december|` +
		`(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring|summer|autumn|fall|winter|mornings?|afternoons?|evenings?|nights?|noon|midnight|weekends?|` +
		`once|least|most|last|first|all|time|times|case|general|total|advance|addition|fact|turn|writing|full|part|order|use|force|beginning|end|\d+)\b`)
)

// namesPlace reports whether a sentence says where; of a Korean one the index's own form decides.
func namesPlace(text, _ string) bool {
	return hangul(text) || placesEn.MatchString(placeless.ReplaceAllString(text, " "))
}
