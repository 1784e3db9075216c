// Package people looks up the people of a Slack workspace.
//
// [Users] caches profiles: names, languages, roles, guests and strangers. [Members] checks
// membership in channels and user groups, and caches it for seconds only, because permissions
// depend on it. [Directory] answers the bot for every workspace.
//
// Invariants: an event never waits long for a profile; missing information grants no
// permission; a revoked role is used for two seconds at most.
//
// The package knows neither events nor cards nor the use of its answers.
package people
