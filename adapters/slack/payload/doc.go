// Package payload reads and builds the JSON of Slack's deliveries and answers.
//
// [Object] is lenient: a field of an unexpected type counts as missing, so that one unknown
// block does not lose a message. event.go holds helpers shared by several readers; [Time] and
// [TS] convert message timestamps.
//
// The package knows neither the client library nor the source of a payload.
package payload

// Platform is the name of the platform in thread keys.
const Platform = "slack"
