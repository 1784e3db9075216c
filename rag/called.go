package rag

import (
	"path"
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// Called returns the IDs of the documents with one of these names: the title or file name, with or without extension
// and folder; without an exact match, those that contain the name. Spaces, dashes and case are ignored.
func Called(docs []Document, names []string) []string {
	var ids []string
	for _, name := range names {
		ids = append(ids, meantBy(docs, name)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// meantBy matches whole names before parts of names, and a verbatim name before one with a Korean particle.
func meantBy(docs []Document, name string) (ids []string) {
	equal := func(whole, asked string) bool { return whole == asked }
	for _, called := range []func(whole, asked string) bool{equal, containsWhole} {
		for _, asked := range []string{plainName(name), plainName(afterName.ReplaceAllString(name, ""))} {
			for _, d := range docs {
				fits := func(one string) bool { return asked != "" && called(plainName(one), asked) }
				if slices.ContainsFunc(namesOf(d), fits) {
					ids = append(ids, d.ID)
				}
			}
			if len(ids) > 0 {
				return ids
			}
		}
	}
	return nil
}

// containsWhole reports whether a name contains a part, without cutting a number: 안내 1 is not in 안내 10.
func containsWhole(name, part string) bool {
	for at := 0; ; {
		i := strings.Index(name[at:], part)
		if i < 0 || part == "" {
			return false
		}
		from, to := at+i, at+i+len(part)
		cuts := from > 0 && isDigit(name[from-1]) && isDigit(part[0]) || to < len(name) && isDigit(name[to]) && isDigit(part[len(part)-1])
		if !cuts {
			return true
		}
		at = from + 1
	}
}

func namesOf(d Document) []string {
	base := path.Base(d.Source)
	return []string{d.Title, d.Source, base, strings.TrimSuffix(base, path.Ext(base))}
}

// afterName matches particles after a name: 문서:취업규칙에서.
var afterName = pattern.New(`(?:에서는?|에는?|의|만)$`)

// plainName normalises a name: no spaces, dashes or case.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t_-–—", r) {
			return -1
		}
		return r
	}, fold(name, false))
}
