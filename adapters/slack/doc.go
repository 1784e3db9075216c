// Package slack connects Slack workspaces to the bot.
//
// [Adapter] serves one workspace or organisation, [App] all that installed one Slack app.
// Both embed services, which answer the bot; a site is the parts of one workspace:
//
//   - payload reads Slack's JSON, leniently
//   - gateway takes deliveries in: Socket Mode or signed HTTP
//   - inbound turns them into messages, actions and commands
//   - web calls the Web API within its limits
//   - people knows profiles, members and user groups
//   - reply keeps replies, and render makes their blocks
//   - file moves files
//   - install knows installations and their tokens
//   - workspace finds the site that a call is about
//
// Imports point from inbound and reply to web, render and payload; install, gateway and
// people know neither. This package only wires, and holds the settings and the manifest.
//
// Every event is committed to [bot.Intake] before it is acknowledged. The packages know
// maru/bot and Slack's wire format only, not what an agent thinks or where the bot keeps
// its record. slackfake is the strict fake that all suites run against.
package slack
