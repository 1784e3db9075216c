// Package place knows where things happen on Discord: guilds, channels, threads,
// roles and members. A [Map] holds what the gateway told of them, as far as it is
// needed; a [Directory] asks the API for the rest, and says to which conversation
// of the bot a message belongs, who its author is, and what a member may do there.
//
// What was forgotten is asked again, and what cannot be asked is no: nobody becomes an
// admin or reads a channel because something is not known. Rights that decide are
// those of now (member.go); what an event said of its author counts for seconds. The
// package posts nothing.
package place
