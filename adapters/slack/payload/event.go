package payload

import (
	"strconv"
	"strings"
	"time"
)

// EndsBot reports whether an event ends the bot's own access: tokens of people,
// which the app does not use, are revoked by themselves.
func EndsBot(ev Object) bool {
	tokens := ev.Obj("tokens")
	return ev.Str("type") != "tokens_revoked" || tokens == nil || len(tokens.Strs("bot")) > 0
}

// Mentions reports whether Slack-coded text addresses the user.
func Mentions(s, user string) bool {
	return user != "" && (strings.Contains(s, "<@"+user+">") || strings.Contains(s, "<@"+user+"|"))
}

// Types of the events with which an organisation gives some of its workspaces to
// the app, or takes them away.
const (
	AccessRevoked = "team_access_revoked"
	AccessGranted = "team_access_granted"
)

// AccessChanges reports whether an event tells that an organisation gives some of
// its workspaces to the app, or takes them away.
func AccessChanges(body Object) bool {
	kind := AccessEvent(body).Str("type")
	return kind == AccessRevoked || kind == AccessGranted
}

// AccessEvent returns the event itself, which Slack's description of these two
// shows in one more wrapper than its other events have.
func AccessEvent(body Object) Object {
	ev := body.Obj("event")
	if inner := ev.Obj("event"); ev.Str("type") == "" && inner != nil {
		return inner
	}
	return ev
}

// Happened is when Slack says that something happened, zero if it does not.
func Happened(body Object) time.Time {
	at, err := strconv.ParseInt(body.Str("event_time"), 10, 64)
	if err != nil || at <= 0 {
		return time.Time{}
	}
	return time.Unix(at, 0)
}
