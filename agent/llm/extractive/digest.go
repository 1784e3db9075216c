package extractive

import (
	"fmt"
	"strings"

	"maru/agent/llm"
	"maru/phrase/fit"
)

const (
	digestDays  = 7   // newest days of a digest
	digestLines = 5   // messages of one day
	digestWords = 120 // characters of one message
)

// digest lists the first lines of people's messages by day, each with its number: a summary needs a language model.
func digest(a *ask) string {
	var days []string
	by := map[string][]llm.Passage{}
	for _, p := range a.req.Passages {
		if by[p.Document] == nil {
			days = append(days, p.Document)
		}
		by[p.Document] = append(by[p.Document], p)
	}
	var b strings.Builder
	b.WriteString(a.say("extractive.digest"))
	if over := len(days) - digestDays; over > 0 {
		b.WriteString(" " + a.say("extractive.digest_days", digestDays))
		days = days[over:]
	}
	for _, day := range days {
		fmt.Fprintf(&b, "\n\n**%s**", day)
		shown := 0
		for _, p := range by[day] {
			if shown == digestLines {
				break
			}
			if worth(p.Text) {
				fmt.Fprintf(&b, "\n- %s: %s [%d]", p.Title, unnumbered.Replace(fit.Clip(p.Text, digestWords)), p.N)
				shown++
			}
		}
		if more := len(by[day]) - shown; more > 0 {
			b.WriteString("\n- " + a.say("extractive.digest_more", more))
		}
	}
	return b.String()
}

// unnumbered replaces the brackets of a person's words, which would read as the number of a message.
var unnumbered = strings.NewReplacer("[", "(", "]", ")")
