package extractive

// place.go tells places from what is written like them: "in September", "at once".

var (
	placesEn = expression(`(?i)` + places)
	// placeless are times, manners and idioms that begin as places do.
	placeless = expression(`(?i)\b(?:in|on|at|into|from|by|to|through|under)\s+(?:(?:the|an?)\s+)?(?:(?:early|mid|late|next|last|first|second|third)\s+)?(?:` +
		`january|february|march|april|may|june|july|august|september|october|november|december|` +
		`(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring|summer|autumn|fall|winter|mornings?|afternoons?|evenings?|nights?|noon|midnight|weekends?|` +
		`once|least|most|last|first|all|time|times|case|general|total|advance|addition|fact|turn|turns|writing|full|part|parts|order|use|force|beginning|end|\d+|` +
		`(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|any\s+time|` + // at nine, in two weeks
		`pairs|groups|teams|batches|bulk|bags|boxes|pieces|rows|person|cash|silence|detail|principle|practice|exchange|return|response|progress|question|common|private|public|` +
		`particular|reality|theory|favou?r|memory|charge|touch|hurry|row|way|few|sale|pounds|euros?|dollars|won|english|korean|line|accordance|connection|relation|week|month|year|days?|` +
		`request|average|foot|behalf|strike|purpose|demand|duty|leave|holidays?|credit|paper|schedule|weekdays|risk|cost|half|repair|review|pressure|control|now|then|scratch|them|it|him|her)\b`)
)

// namesPlace reports whether a sentence says where.
func namesPlace(text, question string) bool {
	if hangul(text) {
		return saysWhereKo(text, question)
	}
	return placesEn.MatchString(placeless.ReplaceAllString(text, " "))
}
