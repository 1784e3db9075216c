// Package inbound turns what arrives from Slack into words of the bot.
//
// [Reader] is the tour: it takes an envelope and hands it to one of its parts. messages
// read what people wrote, changed and deleted; interactions take clicks and forms;
// commands and shortcuts take what people ask for by name; greetings and homes show
// themselves when somebody opens the app; past and links read what stands in a
// conversation; speech turns Slack's coding into plain words. [Records] answers the bot
// for every workspace. needs.go lists what the parts need of others.
//
// Invariants: a message reads the same however it is delivered; an event is committed
// before anything is shown; what Slack waits for is bounded by its three seconds, and what
// takes longer follows the acknowledgement; nobody sees a linked message that they cannot
// read in Slack.
//
// The package does not know how deliveries arrive or how replies are kept.
package inbound
