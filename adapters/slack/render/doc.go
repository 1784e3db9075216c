// Package render turns cards and forms into what Slack shows: Block Kit within its limits.
//
// [Card] is the tour: Markdown becomes markdown blocks (written and split by
// phrase/markdown), fields, steps, sources and buttons become blocks beside them, and
// [Part] packs all of it into messages. [Form] makes modals, [Home] a person's own page.
// [Continue] and [Rest] say how much of a growing text a stream may show.
//
// Invariants: nothing exceeds limits.go, so Slack refuses no message for its size; words
// of people and models call nobody, and lead nowhere that they do not show; what a form
// carries grants nothing.
//
// The package makes no calls and keeps no state.
package render
