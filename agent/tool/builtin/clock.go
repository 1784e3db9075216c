package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"maru/agent/tool"
	"maru/phrase"
)

// clock tells date and time.
type clock struct{ zone *time.Location }

// NewClock returns the current_time tool. zone is that of people who have none;
// the time itself comes with each call. The program that offers it should embed
// the zone database: import _ "time/tzdata".
func NewClock(zone *time.Location) tool.Tool {
	if zone == nil {
		zone = time.UTC
	}
	return clock{zone}
}

const clockWords = `Tells the current date, time and weekday, in the person's time zone or at a place. With date it tells that day's weekday and how far it is; with until the days between; with add_days the day that many days later (earlier if negative); with weekday the day of this, the next or another week; with month_end the last day of a month. Use it for everything that depends on today.`

// Spec implements tool.Tool.
func (clock) Spec() tool.Spec {
	return tool.Spec{
		Name:        "current_time",
		Title:       phrase.Of("builtin.doing.clock"),
		Description: clockWords,
		Parameters: json.RawMessage(`{"type":"object","properties":{
			"place":{"type":"string","maxLength":64,"description":"city, country or IANA time zone that the request names; leave out for the person's own"},
			"date":{"type":"string","pattern":"^([0-9]{4}-)?[0-9]{2}-[0-9]{2}$","description":"a day instead of today, YYYY-MM-DD, or MM-DD for the next one"},
			"until":{"type":"string","pattern":"^([0-9]{4}-)?[0-9]{2}-[0-9]{2}$","description":"count the days from date (or today) to this day, YYYY-MM-DD, or MM-DD for the next one"},
			"weekday":{"enum":["monday","tuesday","wednesday","thursday","friday","saturday","sunday"],"description":"the day of that name: the coming one (today counts), or of the week that weeks tells"},
			"weeks":{"type":"integer","minimum":-5200,"maximum":5200,"description":"with weekday: 0 for this week (Monday to Sunday), 1 for the next, -1 for the last"},
			"month_end":{"type":"integer","minimum":-1200,"maximum":1200,"description":"the last day of a month: 0 for this one, 1 for the next"},
			"add_days":{"type":"integer","minimum":-366000,"maximum":366000,"description":"days to add to date (or today)"}},
			"additionalProperties":false}`),
		Policy:  tool.Policy{ReadOnly: true, Idempotent: true, Own: true},
		Timeout: 5 * time.Second,
	}
}

// clockArgs are the tool's arguments.
type clockArgs struct {
	Place   string `json:"place"`
	Date    string `json:"date"`
	Until   string `json:"until"`
	AddDays *int   `json:"add_days"`

	Weekday  string `json:"weekday"`
	Weeks    *int   `json:"weeks"`
	MonthEnd *int   `json:"month_end"`
}

// Call implements tool.Tool.
func (c clock) Call(_ context.Context, call tool.Call) (tool.Result, error) {
	var args clockArgs
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("decode arguments: %w", err)
	}
	zone, err := c.where(args.Place, call.TimeZone)
	if err != nil {
		return tool.Result{}, err
	}
	now := call.Now.In(zone)
	name := zone.String()
	if name == "Local" { // the machine's own zone, which says only its abbreviation
		name = now.Format("MST")
	}
	text := fmt.Sprintf("Now: %s, %s (%s), %s (%s), week %d", now.Format("2006-01-02 15:04:05"), now.Weekday(),
		weekday(now), name, now.Format("UTC-07:00"), week(now))
	data := map[string]any{"now": now.Format(time.RFC3339), "zone": name, "weekday": now.Weekday().String()}
	more, err := days(args, now, data)
	if err != nil {
		return tool.Result{}, err
	}
	encoded, err := json.Marshal(data)
	if err != nil {
		return tool.Result{}, fmt.Errorf("encode result: %w", err)
	}
	return tool.Result{Text: text + more, Data: encoded}, nil
}

// where chooses the zone: the place asked for, the person's, the program's.
func (c clock) where(place, own string) (*time.Location, error) {
	if place != "" {
		if zone, ok := zoneOf(place); ok {
			return zone, nil
		}
		return nil, bad(fmt.Sprintf("The time zone of %q is not known. Give an IANA name such as America/New_York, or a large city nearby.", place),
			phrase.Of("builtin.no_zone", place))
	}
	if zone, err := time.LoadLocation(own); err == nil && own != "" && own != "Local" {
		return zone, nil
	}
	return c.zone, nil
}

func week(t time.Time) int {
	_, w := t.ISOWeek()
	return w
}
