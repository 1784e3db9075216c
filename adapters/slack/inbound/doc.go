// Package inbound converts Slack's deliveries to the bot's types.
//
// Start with [Reader]: it passes an envelope to one of its parts. messages read new, edited
// and deleted messages; interactions handle clicks and forms; commands and shortcuts run
// named requests; greetings and homes greet people who open the app; past and links read a
// conversation's earlier messages; speech decodes Slack's text. [Records] implements the
// bot's read interfaces for every workspace. needs.go declares the interfaces that the parts
// use.
//
// Invariants: a message reads the same over every delivery path; an event is committed before
// anything is shown; work before an acknowledgement is bounded by Slack's three seconds, and
// slower work follows it; nobody sees a linked message that they cannot read in Slack.
//
// The package knows neither the transports nor how replies are kept.
package inbound
