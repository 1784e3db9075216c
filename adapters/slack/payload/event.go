package payload

import (
	"strconv"
	"strings"
	"time"
)

// EndsBot reports whether an event revokes the bot's own access. Revoked user tokens, which
// the app does not use, do not count.
func EndsBot(ev Object) bool {
	tokens := ev.Obj("tokens")
	return ev.Str("type") != "tokens_revoked" || tokens == nil || len(tokens.Strs("bot")) > 0
}

// Mentions reports whether Slack-coded text addresses the user.
func Mentions(s, user string) bool {
	return user != "" && (strings.Contains(s, "<@"+user+">") || strings.Contains(s, "<@"+user+"|"))
}

// Types of the events with which an organisation adds the app to some of its workspaces, or
// removes it.
const (
	AccessRevoked = "team_access_revoked"
	AccessGranted = "team_access_granted"
)

// AccessChanges reports whether an event adds the app to some workspaces of an organisation,
// or removes it.
func AccessChanges(ev Object) bool {
	kind := AccessEvent(ev).Str("type")
	return kind == AccessRevoked || kind == AccessGranted
}

// AccessEvent returns the event itself: Slack's documentation of these two events shows one
// more wrapper than for others.
func AccessEvent(ev Object) Object {
	if ev.Str("type") != "" {
		return ev
	}
	if inner := ev.Obj("event"); inner != nil {
		return inner
	}
	return ev
}

// Happened returns Slack's time of the event, zero if it has none.
func Happened(body Object) time.Time {
	at, err := strconv.ParseInt(body.Str("event_time"), 10, 64)
	if err != nil || at <= 0 {
		return time.Time{}
	}
	return time.Unix(at, 0)
}
