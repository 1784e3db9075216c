// Package web is the console: the bot in a browser. It serves server-rendered pages, one
// stylesheet and a small script, and the same functions as JSON under /api/ for programs. A
// thread's cards reach the page as server-sent events.
//
// Like every adapter it depends only on bot: events go to [bot.Intake], cards come through
// Post and Edit, and the pages read everything else from the [Desk]. It must not know agents,
// stores or indexes.
//
// A tour, from a request inwards: guard.go authorises requests (host, origin, session,
// token), routes.go lists every path, pages.go and api.go answer, hub.go holds the newest
// card of every growing message, and events.go streams its changes. render.go and markdown.go
// convert a card to HTML; no text of a model or person reaches a page another way. The script
// in assets/ has one module per idea, started by app.js; asset.go serves them.
package web
