// Package slack connects the bot to Slack: events in, cards out. It speaks
// Socket Mode when it has an app-level token and signed HTTP otherwise, commits
// every event to [bot.Intake] before it acknowledges it, and sends everything
// through one outbound boundary that knows Slack's limits, neutralises mentions
// and links, splits long answers and obeys rate limits.
//
// It must not know what a plan is for, what an agent thinks or where the bot
// keeps its record: it knows [maru/bot] and Slack's wire format only. Its fake
// Slack is in [maru/adapters/slack/slackfake].
package slack
