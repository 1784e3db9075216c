// Package web is the console: the bot in a browser. It serves pages that are
// rendered here, one stylesheet and a small script, and the same things as
// JSON under /api/ for programs. A thread's cards reach the page as server-sent
// events.
//
// Like every adapter it speaks only the words of bot: events go to [bot.Intake],
// cards come through Post and Edit, and what a page shows beyond that is asked
// of the [Desk]. It must not know what an agent, a store or an index is.
//
// A tour, from a request inwards: guard.go decides whether the request may come
// in at all (host, origin, session, token), routes.go names every page and door,
// pages.go and api.go answer, hub.go holds the newest card of every message that
// is being written, and events.go streams changes of it. render.go and
// markdown.go turn a card into HTML; nothing a model or a person wrote reaches a
// page on another way. In assets/ the script is one module an idea, which app.js
// starts; asset.go serves them.
package web
