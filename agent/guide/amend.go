package guide

import (
	"maru/agent/planedit"
	"maru/phrase/pattern"
)

// wantsEn captures the task of a wish ("I want to …").
var wantsEn = pattern.New(`(?i)^\s*(?:i|we)\s+(?:want|need|have|would\s+like)\s+to\s+(.+?)(?:\s+(?:too|as\s+well))?[\s.!?]*$`)

// amended applies a person's correction to the sub-tasks without a model. It returns them unchanged if the text
// corrects nothing, such as a wish about the services, or would remove every sub-task.
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

// wished returns the further sub-tasks that a sentence asks for.
func wished(words string) []string {
	if wishKo.MatchString(words) || mustKo.MatchString(words) || hasToKo.MatchString(words) {
		return parts(words)
	}
	if m := wantsEn.FindStringSubmatch(words); m != nil {
		return parts(m[1])
	}
	return nil
}
