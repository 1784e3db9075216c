package confluence

import (
	"strings"
)

// special writes an element that is Confluence's own.
func (r *renderer) special(e *element) {
	switch e.name {
	case "ac:structured-macro", "ac:macro":
		r.macro(e)
	case "ac:adf-extension": // a panel or decision of the new editor, and the same again for old readers
		if node := e.child("ac:adf-node"); node != nil {
			r.elementOf(node)
		} else {
			r.block(e.child("ac:adf-fallback"))
		}
	case "ac:adf-content":
		r.block(e)
	case "ac:task-list":
		r.wrap("ul", "", e)
	case "ac:task":
		r.task(e)
	case "ac:link":
		r.link(e)
	case "ac:image":
		r.image(e)
	case "ac:emoticon":
		r.say(emoticon(e))
	case "ri:user":
		if name := r.names[mentioned(e)]; name != "" {
			r.say("@" + name)
		}
	case "ri:page", "ri:blog-post":
		r.say(e.attr["ri:content-title"])
	case "ri:attachment":
		r.say(e.attr["ri:filename"])
	case "ri:url":
		r.say(e.attr["ri:value"])
	case "ri:space":
		r.say(e.attr["ri:space-key"])
	case "ac:layout", "ac:layout-section", "ac:layout-cell", "ac:rich-text-body":
		r.block(e)
	case "ac:parameter", "ac:adf-attribute", "ac:adf-parameter", "ac:adf-fallback", "ac:placeholder", "ac:task-id", "ac:task-uuid", "ac:task-status", "ac:default-parameter":
	default: // ac:inline-comment-marker, ac:adf-node, ac:link-body …
		r.inside(e)
	}
}

// macro writes what a macro shows, as far as it is in the page.
func (r *renderer) macro(e *element) {
	name := e.attr["ac:name"]
	switch name {
	case "status":
		r.say(e.parameter("title"))
		return
	case "jira":
		if key := e.parameter("key"); key != "" {
			r.say(key)
		}
		return
	case "profile", "profile-picture", "view-file", "viewpdf", "viewdoc", "viewxls", "viewppt", "multimedia", "include", "excerpt-include", "widget", "iframe":
		r.named(e)
		return
	case "style", "html-wrap", "toc", "anchor", "children", "pagetree", "livesearch", "create-from-template":
		return
	}
	r.line(e.parameter("title"))
	if body := e.child("ac:plain-text-body"); body != nil {
		r.code(body.raw())
	}
	r.block(e.child("ac:rich-text-body"))
}

// named writes what a macro points to: a page, a file, a user or an address.
func (r *renderer) named(e *element) {
	for _, k := range e.kids {
		if k.name != "ac:parameter" {
			continue
		}
		for _, inner := range k.kids {
			if strings.HasPrefix(inner.name, "ri:") || inner.name == "ac:link" {
				r.b.WriteString(" ")
				r.elementOf(inner)
				r.b.WriteString(" ")
			}
		}
	}
}

// task writes a task with its box.
func (r *renderer) task(e *element) {
	body := e.child("ac:task-body")
	if strings.TrimSpace(body.raw()) == "" {
		return
	}
	r.b.WriteString("<li>")
	if strings.TrimSpace(e.child("ac:task-status").raw()) == "complete" {
		r.b.WriteString("[x] ")
	} else {
		r.b.WriteString("[ ] ")
	}
	r.inside(body)
	r.b.WriteString("</li>")
}

// link writes the words of a link, or what it leads to if it has none.
func (r *renderer) link(e *element) {
	for _, name := range []string{"ac:link-body", "ac:plain-text-link-body"} {
		if body := e.child(name); body != nil && (strings.TrimSpace(body.raw()) != "" || body.child("ac:image") != nil) {
			r.inside(body)
			return
		}
	}
	for _, k := range e.kids {
		if strings.HasPrefix(k.name, "ri:") {
			r.elementOf(k)
			return
		}
	}
	r.say(e.attr["ac:anchor"])
}

// image writes what is said of a picture.
func (r *renderer) image(e *element) {
	for _, text := range []string{e.attr["ac:alt"], e.attr["ac:title"]} {
		if text != "" {
			r.say(" " + text + " ")
			break
		}
	}
	r.block(e.child("ac:caption"))
}

// emoticon returns the sign of an emoticon: tables of what works and what does not are made of them.
func emoticon(e *element) string {
	if text := e.attr["ac:emoji-fallback"]; text != "" && !strings.HasPrefix(text, ":") {
		return text
	}
	switch e.attr["ac:name"] {
	case "tick":
		return "✅"
	case "cross":
		return "❌"
	case "warning":
		return "⚠️"
	case "information":
		return "ℹ️"
	case "question":
		return "❓"
	case "plus":
		return "➕"
	case "minus":
		return "➖"
	case "yellow-star", "red-star", "green-star", "blue-star":
		return "⭐"
	}
	return ""
}
