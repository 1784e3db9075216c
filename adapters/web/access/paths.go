// Package access holds the console's access limits: the number of wrong passwords, and the paths open to people
// without operator rights. It must not know sessions and handlers, which belong to maru/adapters/web.
package access

import (
	"slices"
	"strings"
)

// reads lists the paths that people without operator rights may open: their own conversations, and what the desk
// shows of runs, questions and documents under its own checks. changes lists those they may change unless they are
// viewers.
func reads() []string {
	return []string{
		"/{$}", "/me", "/t/", "/documents{$}", "/passages/", "/runs{$}", "/runs/", "/exports/", "/fragments/threads", "/approvals{$}", "/account{$}", "/people{$}",
		"/api/session", "/api/threads", "/api/documents", "/api/passages/", "/api/runs/", "/api/exports/", "/api/commands",
	}
}

func changes() []string {
	return []string{"/t/", "/approvals{$}", "/people{$}", "/api/threads/", "/api/documents", "/api/runs/", "/api/actions/"}
}

// Opens reports whether a person without operator rights may open a path. Unlisted paths are for operators; a
// viewer may change only the link to an account elsewhere.
func Opens(path string, change, viewer bool) bool {
	if change {
		return path == "/account" || !viewer && listed(changes(), path)
	}
	return listed(reads(), path)
}

// listed reports whether a path is in a list or below an entry. An entry that ends with "{$}" matches only itself.
func listed(list []string, path string) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		exact, alone := strings.CutSuffix(l, "{$}")
		return path == exact || !alone && (strings.HasPrefix(path, l) && strings.HasSuffix(l, "/") || strings.HasPrefix(path, l+"/"))
	})
}
