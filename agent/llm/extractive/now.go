package extractive

import "strings"

var (
	// ofNow are the words that say a question is about the present.
	ofNow = expression(`(?:^|\s)(?:올해|금년도?|요즘|요새|현재)(?:는|은|의|도|엔|에는|에)?\s+`)
	// ofYears tell one time from another.
	ofYears = expression(`올해|금년|작년|지난해|전년|내년|내후년|요즘|요새|현재|(?:19|20)\d\d\s*(?:년|[-./])`)
)

// withoutNow leaves them out of a question where no passage tells times apart: what holds
// every year is written without a year. Last year's figure is no answer for this one.
func (a *ask) withoutNow(question string) string {
	for _, p := range a.req.Passages {
		if ofYears.MatchString(p.Text) {
			return question
		}
	}
	return strings.TrimSpace(ofNow.ReplaceAllString(question, " "))
}
