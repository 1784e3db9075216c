// Package people knows who is who in a Slack workspace.
//
// [Users] keeps profiles: names, languages, roles, whether somebody is a guest or from
// elsewhere. [Members] answers who belongs to a channel or a user group, for seconds
// only, because rights depend on it. [Directory] answers the bot for every workspace.
//
// Invariants: an event never waits long for a profile; what Slack does not say grants
// no right; a role that was taken away is used for two seconds at most.
//
// The package does not know events, cards or where its answers are used.
package people
