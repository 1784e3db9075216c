package guide

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// addsKo and addsEn say what else is to be done: "자막도 넣어줘", "add subtitles".
	addsKo = regexp.MustCompile(`^\s*(?:그리고|또한?|참)?[\s,]*(.+?)(?:도|을|를|은|는)?\s*(?:(?:좀|더|하나)\s*)*(?:추가|넣어|포함|더해|붙여)\S*(?:\s*(?:줘|주세요|줄래|줘요))?[\s.!~]*$|^\s*(.+?)도요?[\s.!~]*$`)
	addsEn = regexp.MustCompile(`(?i)^\s*(?:(?:please|ok(?:ay)?|and|also|can\s+you|could\s+you)\b,?\s*)*(?:add|include)\s+(?:(?:also|an?|the|some|another)\s+)*(.+?)(?:\s+(?:too|as\s+well|please|to\s+(?:it|the\s+(?:plan|list))))*[\s.!?]*$|^\s*(?:and\s+|i\s+|we\s+)*also\s+(?:(?:need|want)\s+(?:to\s+)?)?(?:(?:an?|the|some)\s+)?(.+?)[\s.!?]*$`)
	// wantsEn is a wish that says itself what is to be done.
	wantsEn = regexp.MustCompile(`(?i)^\s*(?:i|we)\s+(?:want|need|have|would\s+like)\s+to\s+(.+?)(?:\s+(?:too|as\s+well))?[\s.!?]*$`)
	// insteadKo and insteadEn put one thing in the place of another.
	insteadKo = regexp.MustCompile(`^\s*(.+?)(?:은|는|을|를)?\s*(?:대신에?|말고)\s+(.+?)(?:으로|로|을|를)?(?:\s+(?:바꿔|변경|해|하자|만들어|넣어)\S*(?:\s*(?:줘|주세요|요))?)?[\s.!~]*$`)
	insteadEn = regexp.MustCompile(`(?i)^\s*(?:please\s+|rather\s+|make\s+it\s+|do\s+)*(?:an?\s+)?(.+?)\s+instead\s+of\s+(?:an?\s+|the\s+)?(.+?)(?:,?\s+please)?[\s.!?]*$`)
	// swapsKo and swapsEn take one thing out and say what else is to be done: "번역은 빼고 자막을 넣어줘".
	swapsKo   = regexp.MustCompile(`^\s*(.+?)(?:은|는|을|를)?\s*(?:빼고|제외하고|지우고|없애고),?\s+(.+)$`)
	swapsEn   = regexp.MustCompile(`(?i)^\s*(?:please\s+|ok(?:ay)?,?\s+|can\s+you\s+)?(?:drop|remove|delete|leave\s+out|cut|skip|take\s+out)\s+(?:the\s+)?(.+?)(?:,|\s)\s*(?:and|but|then)\s+((?:add|include|also)\s+.+)$`)
	replaceEn = regexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:replace|swap|change)\s+(?:the\s+)?(.+?)\s+(?:with|by|to|for|into)\s+(?:an?\s+)?(.+?)(?:,?\s+please)?[\s.!?]*$`)
)

// amended are the sub-tasks as a person's words change them, for who has no model: what the
// words take out, put in the place of another or add. Other words, such as a wish about the
// services, leave them as they are.
func amended(tasks []SubTask, words string) []SubTask {
	if left, ok := swapped(tasks, words); ok {
		return bounded(left)
	}
	if left, ok := without(tasks, words); ok {
		return left
	}
	if was, now, ok := instead(words); ok {
		at := pointsAt(tasks, was)
		if at < 0 {
			return tasks
		}
		out := slices.Clone(tasks)
		out[at] = SubTask{Title: now}
		return bounded(out)
	}
	out := slices.Clip(tasks)
	for _, title := range added(words) {
		out = append(out, SubTask{Title: title})
	}
	return bounded(out)
}

// swapped takes a sub-task out and puts what else the words ask for in its place, behind the others if
// it is not plain which one goes. ok says that the words do so.
func swapped(tasks []SubTask, words string) (left []SubTask, ok bool) {
	m := swapsKo.FindStringSubmatch(words)
	if m == nil {
		m = swapsEn.FindStringSubmatch(words)
	}
	if m == nil {
		return nil, false
	}
	var more []SubTask
	for _, title := range added(m[2]) {
		more = append(more, SubTask{Title: title})
	}
	at := pointsAt(tasks, strings.TrimSpace(m[1]))
	switch {
	case at < 0:
		return append(slices.Clone(tasks), more...), true
	case len(tasks) == 1 && len(more) == 0:
		return tasks, true
	}
	return slices.Insert(slices.Delete(slices.Clone(tasks), at, at+1), at, more...), true
}

// instead reads what is to stand in the place of what.
func instead(words string) (was, now string, ok bool) {
	if m := insteadKo.FindStringSubmatch(words); m != nil {
		return m[1], m[2], true
	}
	if m := insteadEn.FindStringSubmatch(words); m != nil {
		return m[2], m[1], true
	}
	if m := replaceEn.FindStringSubmatch(words); m != nil {
		return m[1], m[2], true
	}
	return "", "", false
}

// added are the sub-tasks that words add.
func added(words string) []string {
	if wishKo.MatchString(words) || mustKo.MatchString(words) || hasToKo.MatchString(words) {
		return parts(words)
	}
	for _, re := range []*regexp.Regexp{addsKo, addsEn, wantsEn} {
		if m := re.FindStringSubmatch(words); m != nil {
			return parts(strings.Join(m[1:], ""))
		}
	}
	return nil
}
