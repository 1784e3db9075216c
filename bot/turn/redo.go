package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/pattern"
)

// redoWords match requests to redo the last task from a step. They must match the whole message: a
// longer one is a new task.
var redoWords = []*pattern.Pattern{
	pattern.New(`^(?:(?:그|이|방금|아까|지난|마지막) ?(?:작업|일|거|것)?(?:을|를|은)? ?)?(?:([0-9]{1,2})|(첫|두|세|네|다섯|여섯|일곱|여덟|아홉|열)) ?(?:번째 ?단계|단계|번) ?부터 ?(?:다시|재실행|재시작|재시도)` +
		`(?: ?(?:한 ?번|실행|시작|진행|수행|시도|작업|돌려|해|하자|할래|봐|줘|주세요|줄래|줄래요|요|부탁|부탁해|부탁해요|부탁드려요|을|를))*$`),
	pattern.New(`^(?:please |can you |could you |let's )*(?:redo|rerun|re-run|repeat|retry|restart|(?:run|start|do|try|go) (?:it |the task )?(?:again|over)|go back|back)(?: it| this| that| the task| everything)?(?: again)?(?: from| to| at)? step (?:no\.? ?|number |#)?([0-9]{1,2})(?: on| onwards?| again| please)*$`),
}

// ordinals are Korean ordinal numbers.
var ordinals = []string{"첫", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열"}

// redoOf parses a request to redo the last task from a step.
func redoOf(text string) (step int, ok bool) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	text = strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".!~?。！", r) })
	for _, words := range redoWords {
		for _, number := range words.FindStringSubmatch(text) {
			if n, err := strconv.Atoi(number); err == nil {
				return n, true
			}
			if i := slices.Index(ordinals, number); i >= 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}

// stepNumber parses "3", "#3" or "3단계", and returns 0 for anything else.
func stepNumber(word string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimRight(word, "단계번 "), "#"))
	if err != nil {
		return 0
	}
	return n
}

// redoable is a task that can be redone.
type redoable struct {
	run     bot.Run
	attempt string // ID of the agent's turn
	plan    agent.Plan
}

// redoRuns limits the runs of a thread that are searched for a task.
const redoRuns = 20

// lastTask returns the newest task of a thread whose agent can redo it, leaving out the
// requesting run.
func (rd *Redos) lastTask(ctx context.Context, thread, asking string) (redoable, bool, error) {
	runs, err := rd.record.RunsOf(ctx, thread, redoRuns)
	if err != nil {
		return redoable{}, false, fmt.Errorf("read runs: %w", err)
	}
	for _, r := range runs {
		if r.ID == asking || !rd.runner.Redoes(r.Agent) {
			continue
		}
		var events []agent.Event
		_ = json.Unmarshal(r.Trace, &events) // an unreadable trace counts as one without a plan
		for _, e := range slices.Backward(events) {
			var p agent.Plan
			if e.Kind == agent.EventPlan && json.Unmarshal(e.Data, &p) == nil && len(p.Steps) > 0 {
				return redoable{r, e.Run, p}, true, nil
			}
		}
	}
	return redoable{}, false, nil
}

// RedoesOwn reports whether a message asks to redo the thread's last task and its author asked for that
// task.
func (rd *Redos) RedoesOwn(ctx context.Context, m bot.Message) (bool, error) {
	if _, asked := redoOf(m.Text); !asked {
		return false, nil
	}
	task, found, err := rd.lastTask(ctx, m.Thread.Key(), m.Run())
	return err == nil && found && task.run.User == m.User.ID, err
}

// mayRedo reports whether a person may redo a run's task: the person who asked for it and the channel's
// approvers may.
func (rd *Redos) mayRedo(ctx context.Context, task redoable, t bot.Thread, u bot.User) (bool, error) {
	may, err := rd.questions.MayDecide(ctx, bot.Approval{Thread: task.run.Thread, Allowed: []string{task.run.User}}, t, u)
	if err != nil {
		return false, fmt.Errorf("who may redo a task: %w", err)
	}
	if !may {
		rd.rules.Audit(ctx, t, u, "redo.refused", map[string]any{"run": task.run.ID})
	}
	return may, nil
}

// redoes turns a turn into the redo of an earlier task if its message asks for that. Without such
// a task it stays an ordinary message. A redo that is not permitted or not possible now is a
// [bot.Error].
func (rd *Redos) redoes(ctx context.Context, t turn) (turn, error) {
	t.redo = agent.Redo{}
	n, asked := redoOf(t.m.Text)
	if !asked || len(t.decisions) > 0 || len(t.m.Files) > 0 {
		return t, nil
	}
	task, found, err := rd.lastTask(ctx, t.m.Thread.Key(), t.m.Run())
	if err != nil || !found {
		return t, err
	}
	switch may, err := rd.mayRedo(ctx, task, t.m.Thread, t.m.User); {
	case err != nil:
		return t, err
	case !may:
		return t, &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(t.lang, "bot.redo.not_yours"), Noted: true}
	case t.parked:
		return t, &bot.Error{Code: bot.CodeBusy, Say: phrase.Say(t.lang, "bot.redo.parked")}
	case t.log != "": // would end the run that waits in the thread's own log
		return t, &bot.Error{Code: bot.CodeBusy, Say: phrase.Say(t.lang, "bot.redo.busy")}
	}
	t.set.Agent, t.redo = task.run.Agent, agent.Redo{Run: task.attempt, Step: n}
	rd.rules.Audit(ctx, t.m.Thread, t.m.User, "run.redone", map[string]any{"run": t.m.Run(), "of": task.run.ID, "step": n})
	return t, nil
}
