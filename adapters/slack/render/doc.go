// Package render converts cards and forms to Block Kit within Slack's limits.
//
// Start with [Card]: Markdown becomes markdown blocks (written and split by phrase/markdown);
// fields, steps, sources and buttons become blocks beside them; and [Part] packs them into
// messages. [Form] makes modals, [Home] a person's own page. [Continue] and [Rest] compute
// how much of a growing text a stream may show.
//
// Invariants: nothing exceeds limits.go, so Slack rejects no message for its size; text of
// people and models mentions nobody, and every link shows its target; a form's metadata
// grants no permission.
//
// The package makes no calls and keeps no state.
package render
