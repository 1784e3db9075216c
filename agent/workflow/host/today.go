package host

import "maru/agent"

// Today returns the sentence of a prompt that says which day it is where the person is,
// who means that day by "today" and "tomorrow".
func Today(r agent.Request) string {
	zone := ""
	if r.User.TimeZone != "" {
		zone = " (" + r.User.TimeZone + ")"
	}
	return "Today is " + r.User.Clock(r.Now).Format("Monday, 2 January 2006") + zone + "."
}
