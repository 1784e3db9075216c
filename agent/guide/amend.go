package guide

import (
	"maru/agent/planedit"
	"maru/phrase/pattern"
)

// wantsEn is a wish that says itself what is to be done.
var wantsEn = pattern.New(`(?i)^\s*(?:i|we)\s+(?:want|need|have|would\s+like)\s+to\s+(.+?)(?:\s+(?:too|as\s+well))?[\s.!?]*$`)

// amended returns the sub-tasks as a person's words change them, where no model reads the words.
// Other words, such as a wish about the services, leave them as they are, as do words that
// would leave none.
func amended(tasks []SubTask, words string) []SubTask {
	have := make([]string, len(tasks))
	for i, t := range tasks {
		have[i] = t.Title
	}
	lines, ok := planedit.FromList(words, have)
	if !ok {
		lines, ok = planedit.FromTitles(words, have)
	}
	if !ok {
		lines = nil
		for i, title := range have {
			lines = append(lines, planedit.Line{Text: title, From: i + 1})
		}
		for _, title := range wished(words) {
			lines = append(lines, planedit.Line{Text: title})
		}
	}
	var out []SubTask
	for _, l := range lines {
		switch {
		case l.From > 0 && l.Text == have[l.From-1]:
			out = append(out, tasks[l.From-1])
		case l.From > 0:
			out = append(out, SubTask{Title: l.Text})
		default:
			for _, title := range parts(l.Text) {
				out = append(out, SubTask{Title: title})
			}
		}
	}
	if len(out) == 0 {
		return tasks
	}
	return bounded(out)
}

// wished returns the sub-tasks of a sentence that says what else somebody wants or has to do.
func wished(words string) []string {
	if wishKo.MatchString(words) || mustKo.MatchString(words) || hasToKo.MatchString(words) {
		return parts(words)
	}
	if m := wantsEn.FindStringSubmatch(words); m != nil {
		return parts(m[1])
	}
	return nil
}
