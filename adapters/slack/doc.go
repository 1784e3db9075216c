// Package slack connects Slack workspaces to the bot.
//
// [Adapter] serves one workspace or organisation, [App] all that installed one Slack app.
// Both embed services, the bot-facing methods; a site holds the parts of one workspace:
//
//   - payload reads Slack's JSON leniently
//   - gateway receives deliveries over Socket Mode or signed HTTP
//   - inbound converts them to messages, actions and commands
//   - web calls the Web API within its rate limits
//   - people looks up profiles, members and user groups
//   - reply maintains replies, and render builds their blocks
//   - file transfers files
//   - install manages installations and their tokens
//   - workspace resolves the site that serves a call
//
// Imports point from inbound and reply to web, render and payload; install, gateway and
// people import neither. This package does the wiring and holds the settings and manifest.
//
// Every event is committed to [bot.Intake] before it is acknowledged. The packages depend on
// maru/bot and Slack's wire format, not on agents or the record's storage. slackfake is the
// strict fake that all suites run against.
package slack
