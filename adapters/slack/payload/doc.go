// Package payload reads and makes the JSON of Slack's deliveries and answers.
//
// [Object] is lenient: a field of an unexpected type is as if it were missing, so
// one block that this program does not know costs no message. event.go holds what
// several readers ask of an event; [Time] and [TS] translate message timestamps.
//
// The package knows neither the client library nor where a payload came from.
package payload

// Platform is the name of the platform in thread keys.
const Platform = "slack"
