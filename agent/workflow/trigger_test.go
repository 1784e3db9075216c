package workflow_test

import (
	"strings"
	"testing"

	"maru/agent/workflow"
)

// triggered returns a whole definition with triggers.
func triggered(triggers string) string {
	return `{"id": "weekly", "name": "Weekly", "version": "1", "owner": "slack/T1/U1", "triggers": ` + triggers + `,
		"nodes": [{"id": "start", "node_type": "start"}, {"id": "end", "node_type": "end"}], "edges": [{"source": "start", "target": "end"}]}`
}

func TestTriggers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, triggers, cron, problem string }{
		{"cron", `[{"type": "schedule", "when": "0 9 * * 1", "input": "go"}]`, "0 9 * * 1", ""},
		{"words", `[{"type": "schedule", "when": "every weekday at 9:30", "time_zone": "Asia/Seoul", "input": "go", "result": "thread"}]`, "30 9 * * 1-5", ""},
		{"korean_words", `[{"type": "schedule", "when": "매주 월요일 9시", "input": "요약해줘"}]`, "0 9 * * 1", ""},
		{"bad_cron", `[{"type": "schedule", "when": "61 9 * * 1", "input": "go"}]`, "", `/triggers/0/when`},
		{"no_words_of_a_time", `[{"type": "schedule", "when": "whenever", "input": "go"}]`, "", `"whenever" names no time that comes again and again`},
		{"once", `[{"type": "schedule", "when": "tomorrow at 9", "input": "go"}]`, "", `"tomorrow at 9" names no time that comes again and again`},
		{"depends_on_today", `[{"type": "schedule", "when": "weekly", "input": "go"}]`, "", `names no time`},
		{"words_left_over", `[{"type": "schedule", "when": "every Monday at 9 post it", "input": "go"}]`, "", `names no time`},
		{"too_often", `[{"type": "schedule", "when": "* * * * *", "input": "go"}]`, "", `more often than every 15 minutes`},
		{"never", `[{"type": "schedule", "when": "0 9 31 2 *", "input": "go"}]`, "", `never comes`},
		{"zone", `[{"type": "schedule", "when": "@daily", "time_zone": "Mars/Base", "input": "go"}]`, "", `unknown time zone "Mars/Base"`},
		{"no_input", `[{"type": "schedule", "when": "@daily", "input": " "}]`, "", `/triggers/0/input`},
		{"type", `[{"type": "webhook", "when": "@daily", "input": "go"}]`, "", `unknown type of trigger "webhook"`},
		{"result", `[{"type": "schedule", "when": "@daily", "input": "go", "result": "mail"}]`, "", `"mail" cannot hold the result`},
		{"twice", `[{"id": "a", "type": "schedule", "when": "@daily", "input": "go"}, {"id": "a", "type": "schedule", "when": "@daily", "input": "go"}]`, "", `/triggers/1/id`},
		{"unknown_member", `[{"type": "schedule", "when": "@daily", "input": "go", "channel": "C1"}]`, "", `/triggers/0/channel`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := workflow.Parse([]byte(triggered(c.triggers)))
			if err == nil {
				err = workflow.Validate(d, workflow.NewRegistry()).Err()
			}
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Fatalf("%v, want %q", err, c.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			one := d.TriggerList()[0]
			if rule, err := one.Rule(); err != nil || rule.Cron != c.cron || one.ID != "1" {
				t.Errorf("%+v, %v; want %s", rule, err, c.cron)
			}
		})
	}
}
