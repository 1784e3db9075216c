package reply

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"maru/adapters/slack/render"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/markdown"
)

// taskStates maps a step's state to Slack's task status.
var taskStates = map[bot.StepState]slack.TaskCardStatus{
	bot.StepWaiting: slack.TaskCardStatusPending, bot.StepRunning: slack.TaskCardStatusInProgress,
	bot.StepDone: slack.TaskCardStatusComplete, bot.StepFailed: slack.TaskCardStatusError,
	bot.StepSkipped: slack.TaskCardStatusComplete,
}

// taskChunks returns the chunks that update a stream's status line and steps, and the
// resulting tasks; unchanged tasks are not sent.
func (s *stream) taskChunks(c bot.Card) ([]slack.StreamChunk, map[string]task) {
	now := maps.Clone(s.tasks)
	var chunks []slack.StreamChunk
	show := func(id string, t task) {
		was, old := s.tasks[id]
		if t.detail != "" && old {
			t.detail = was.detail // sent again, it would be appended
		}
		if old && was == t {
			return
		}
		now[id] = t
		u := slack.NewTaskUpdateChunk(id, t.title)
		u.Status = t.status
		if !old {
			u.Details = t.detail
		}
		chunks = append(chunks, u)
	}
	status := cmp.Or(render.OneLine(c.Status), s.tasks[s.mark].title, phrase.Say(s.lang, "slack.thinking"))
	show(s.mark, task{title: taskText(status), status: slack.TaskCardStatusInProgress})
	for i, st := range c.Steps[:min(len(c.Steps), render.MaxSteps)] {
		state, ok := taskStates[st.State]
		if !ok {
			state = slack.TaskCardStatusPending
		}
		detail := render.OneLine(st.Detail)
		if st.State == bot.StepSkipped && detail == "" {
			detail = phrase.Say(s.lang, "slack.skipped")
		}
		show(s.mark+":"+strconv.Itoa(i+1), task{title: taskText(st.Text), status: state, detail: taskText(detail)})
	}
	return chunks, now
}

// taskText returns a line of a task: plain text, in which Slack parses only its own tokens, no
// entities.
func taskText(s string) string {
	return render.Clip(strings.TrimSpace(markdown.Literal(render.OneLine(s))), maxTaskTitle)
}

// endTasks ends the running tasks. Tasks that never started stay as they are.
func (s *stream) endTasks(end closing) []slack.StreamChunk {
	title := cmp.Or(end.title, s.tasks[s.mark].title, "Maru")
	done := slack.NewTaskUpdateChunk(s.mark, taskText(title))
	done.Status = end.status
	done.Status = cmp.Or(done.Status, slack.TaskCardStatusComplete)
	chunks := []slack.StreamChunk{done}
	for _, id := range slices.Sorted(maps.Keys(s.tasks)) {
		t := s.tasks[id]
		if id == s.mark || t.status != slack.TaskCardStatusInProgress {
			continue
		}
		u := slack.NewTaskUpdateChunk(id, t.title)
		u.Status = done.Status
		chunks = append(chunks, u)
	}
	return chunks
}
