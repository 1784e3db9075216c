package workflow

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/when"
)

// TriggerSchedule is the type of a trigger that runs the workflow at its times.
const TriggerSchedule = "schedule"

// Where the result of a trigger's run goes.
const (
	resultChannel = "channel" // a message of its own in the channel in which the trigger was enabled
	ResultThread  = "thread"  // the thread in which it was enabled
)

// Trigger runs a workflow without a message, once it is enabled in a channel.
type Trigger struct {
	ID     string `json:"id,omitempty"` // default its position, from 1
	Type   string `json:"type"`
	When   string `json:"when"`                // a cron expression, or words in Korean or English
	Zone   string `json:"time_zone,omitempty"` // IANA name; default that of the channel
	Input  string `json:"input"`               // the message that the workflow runs with
	Result string `json:"result,omitempty"`    // default resultChannel
}

// Rule reads When. The error is one of maru/phrase/when's.
func (t Trigger) Rule() (when.Rule, error) {
	if rule, err := when.ParseCron(t.When); err == nil {
		return rule, nil
	}
	// A rule that depends on the day on which it is read, such as "weekly", has no fixed time.
	one, other := when.Read(t.When, time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)), when.Read(t.When, time.Date(2026, 1, 6, 0, 0, 0, 0, time.UTC))
	switch {
	case one.Err != nil:
		return when.Rule{}, one.Err
	case !one.Found && len(strings.Fields(t.When)) == 5:
		return when.Rule{}, when.ErrCron
	case one.Zone != nil:
		return when.Rule{}, errZoned
	case !one.Found || one.Rest != "" || !one.Rule.Repeats() || one.Rule != other.Rule:
		return when.Rule{}, when.ErrTime
	}
	return one.Rule, nil
}

// errZoned refuses words that name a time zone: it belongs in the field time_zone.
var errZoned = errors.New("workflow: the time zone belongs in time_zone")

// Bounds of triggers.
const (
	maxTriggers  = 20
	maxInput     = 2000             // characters
	leastBetween = 15 * time.Minute // between two runs
)

// ownerID is a person on a platform: "slack/T0123/U0123".
var ownerID = regexp.MustCompile(`^[a-z]+/[^/\s]+/[^/\s]+$`)

// triggers checks when the workflow runs by itself, and who may have it do so.
func (v *validator) triggers() {
	if v.d.Owner != "" && !ownerID.MatchString(v.d.Owner) {
		v.found.add(StageValidate, "/owner", phrase.Of("definition.owner.do"), "definition.owner", v.d.Owner)
	}
	if len(v.d.Triggers) > maxTriggers {
		v.found.add(StageValidate, "/triggers", phrase.Of("definition.many_triggers.do"), "definition.many_triggers", len(v.d.Triggers), maxTriggers)
		return
	}
	var ids []string
	for i, t := range v.d.TriggerList() {
		at := fmt.Sprintf("/triggers/%d", i)
		if !nodeID.MatchString(t.ID) && t.ID != strconv.Itoa(i+1) {
			v.found.add(StageValidate, at+"/id", phrase.Of("definition.bad_id.do"), "definition.bad_id", t.ID)
		} else if slices.Contains(ids, t.ID) {
			v.found.add(StageValidate, at+"/id", phrase.Of("definition.twice_trigger.do"), "definition.twice_trigger", t.ID)
		}
		ids = append(ids, t.ID)
		if t.Type != TriggerSchedule {
			v.found.add(StageValidate, at+"/type", phrase.Of("definition.trigger_type.do", TriggerSchedule), "definition.trigger_type", t.Type)
		}
		v.times(at, t)
		if fit.Blank(t.Input) || len([]rune(t.Input)) > maxInput {
			v.found.add(StageValidate, at+"/input", phrase.Of("definition.trigger_input.do"), "definition.trigger_input", maxInput)
		}
		if t.Result != resultChannel && t.Result != ResultThread {
			v.found.add(StageValidate, at+"/result", phrase.Of("definition.trigger_result.do"), "definition.trigger_result", t.Result)
		}
	}
}

// times checks when a trigger is due.
func (v *validator) times(at string, t Trigger) {
	zone, err := time.LoadLocation(t.Zone)
	if err != nil || t.Zone == "Local" {
		v.found.add(StageValidate, at+"/time_zone", phrase.Of("definition.trigger_zone.do"), "definition.trigger_zone", t.Zone)
		zone = time.UTC
	}
	hint := phrase.Of("definition.trigger_when.do")
	rule, err := t.Rule()
	if err == nil {
		err = rule.Check(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC), zone, leastBetween)
	}
	switch {
	case err == nil:
	case strings.TrimSpace(t.When) == "":
		v.found.add(StageValidate, at+"/when", hint, "definition.empty")
	case errors.Is(err, when.ErrTooOften):
		v.found.add(StageValidate, at+"/when", phrase.Of("definition.trigger_often.do"), "definition.trigger_often", t.When, int(leastBetween.Minutes()))
	case errors.Is(err, errZoned):
		v.found.add(StageValidate, at+"/when", phrase.Of("definition.trigger_zoned.do"), "definition.trigger_zoned", t.When)
	case errors.Is(err, when.ErrHoliday):
		v.found.add(StageValidate, at+"/when", phrase.Of("definition.trigger_holiday.do"), "definition.trigger_holiday", t.When)
	case errors.Is(err, when.ErrNever):
		v.found.add(StageValidate, at+"/when", phrase.Of("definition.trigger_never.do"), "definition.trigger_never", t.When)
	default:
		v.found.add(StageValidate, at+"/when", hint, "definition.trigger_once", t.When)
	}
}

// TriggerList returns the triggers with what they leave out.
func (d Definition) TriggerList() []Trigger {
	out := slices.Clone(d.Triggers)
	for i := range out {
		out[i].ID = cmp.Or(out[i].ID, strconv.Itoa(i+1))
		out[i].Result = cmp.Or(out[i].Result, resultChannel)
	}
	return out
}
