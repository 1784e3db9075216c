package guide

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	// takesOut says which sub-task goes: "자막은 빼줘", "2번은 필요 없어", "drop the last one".
	takesOutKo = regexp.MustCompile(`^\s*(.+?)(?:은|는|을|를|도|만)?\s*(?:좀\s*)?(?:빼|제외해?|삭제해?|지워|없애|(?:은|는)?\s*필요\s*없|안\s*해도)\s*(?:줘|주세요|주라|자|도\s*(?:돼|될)|어|고|요|줄래|버려)*\S{0,3}[\s.!~]*$`)
	takesOutEn = regexp.MustCompile(`(?i)^\s*(?:please\s+|ok(?:ay)?,?\s+|can\s+you\s+)?(?:drop|remove|delete|leave\s+out|cut|skip|without|take\s+out)\s+(?:the\s+)?(.+?)(?:\s+please)?[\s.!?]*$`)
	numbered   = regexp.MustCompile(`(?i)^(?:#|no\.?\s*|number\s+|step\s+)?(\d{1,2})\s*(?:번(?:째)?|st|nd|rd|th)?(?:\s*(?:것|거|단계|할\s*일|one|step|task|sub-task))?$`)
	lastOne    = regexp.MustCompile(`(?i)^(?:마지막|맨\s*끝|끝)\s*(?:것|거|단계|할\s*일)?$|^last(?:\s+(?:one|step|task|sub-task))?$`)
	ordinals   = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "첫": 1, "첫번째": 1, "두번째": 2, "세번째": 3, "네번째": 4, "다섯번째": 5}
)

// without takes out of the sub-tasks the one that a person's words name by its number, its place or
// a word of its title. ok says that the words take something out; where it is not plain what, or
// nothing would be left, the sub-tasks stay.
func without(tasks []SubTask, words string) (left []SubTask, ok bool) {
	m := takesOutKo.FindStringSubmatch(words)
	if m == nil {
		m = takesOutEn.FindStringSubmatch(words)
	}
	if m == nil {
		return nil, false
	}
	at := pointsAt(tasks, strings.TrimSpace(m[1]))
	if at < 0 || len(tasks) == 1 {
		return tasks, true
	}
	return slices.Delete(slices.Clone(tasks), at, at+1), true
}

// pointsAt returns the place of the sub-task that words name, -1 if none or several may be meant.
func pointsAt(tasks []SubTask, words string) int {
	n := 0
	if m := numbered.FindStringSubmatch(words); m != nil {
		n, _ = strconv.Atoi(m[1]) // two digits are a number
	} else if first, _, _ := strings.Cut(words, " "); ordinals[strings.ToLower(first)] > 0 {
		n = ordinals[strings.ToLower(first)]
	} else if lastOne.MatchString(words) {
		n = len(tasks)
	}
	if n > 0 {
		if n > len(tasks) {
			return -1
		}
		return n - 1
	}
	found := -1
	for i, t := range tasks {
		if strings.Contains(strings.ToLower(t.Title), strings.TrimSuffix(strings.ToLower(words), "s")) { // videos: of "edit the video"
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}
