// Package access holds the console's access limits: the number of wrong passwords, and the paths that are open to people
// without operator rights. It must not know sessions and handlers: those are maru/adapters/web's.
package access

import "strings"

// reads lists what a person who does not run the program may open, changes what they may change unless they are a viewer: first
// their own conversations, and what the desk shows of runs, questions and documents by its own rights.
func reads() []string {
	return []string{
		"/{$}", "/me", "/t/", "/documents{$}", "/passages/", "/runs{$}", "/runs/", "/exports/", "/fragments/threads", "/approvals{$}", "/account{$}", "/people{$}",
		"/api/session", "/api/threads", "/api/documents", "/api/passages/", "/api/runs/", "/api/exports/", "/api/commands",
	}
}

func changes() []string {
	return []string{"/t/", "/approvals{$}", "/people{$}", "/api/threads/", "/api/documents", "/api/runs/", "/api/actions/"}
}

// Opens reports whether a person who does not run the program may open a path. What is not listed is for those who run it; a viewer
// changes nothing but which account elsewhere is theirs.
func Opens(path string, change, viewer bool) bool {
	if change {
		return path == "/account" || !viewer && listed(changes(), path)
	}
	return listed(reads(), path)
}

// listed reports whether a path is one of a list, or below one of it. One that ends with "{$}" is that path alone.
func listed(list []string, path string) bool {
	for _, l := range list {
		if exact, alone := strings.CutSuffix(l, "{$}"); path == exact || !alone && (strings.HasPrefix(path, l) && strings.HasSuffix(l, "/") || strings.HasPrefix(path, l+"/")) {
			return true
		}
	}
	return false
}
