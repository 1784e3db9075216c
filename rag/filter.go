package rag

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds checked by [CheckTags].
const (
	MaxTags   = 32  // per document
	MaxTagLen = 100 // bytes per tag
)

// Tags returns tags in canonical form: folded, in lower case, with a dash for spaces, each once, in order. ＨＲ, "hr "
// and HR are one tag.
func Tags(list []string) []string {
	var out []string
	for _, t := range list {
		if t = tagOf(t); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// tagOf is [Tags] for one tag; it is empty for white space.
func tagOf(tag string) string {
	return strings.Join(strings.Fields(fold(tag, false)), "-")
}

// CheckTags validates a person's tags for a document.
func CheckTags(list []string) error {
	if n := len(Tags(list)); n > MaxTags {
		return fmt.Errorf("%d tags; a document can have at most %d", n, MaxTags)
	}
	for _, t := range list {
		switch tag := tagOf(t); {
		case tag == "":
			return fmt.Errorf("the tag %q is empty", t)
		case len(tag) > MaxTagLen:
			return fmt.Errorf("the tag %.20q… has %d bytes; the limit is %d", tag, len(tag), MaxTagLen)
		case !utf8.ValidString(tag) || strings.ContainsAny(tag, ",\x00"):
			return fmt.Errorf("the tag %q contains a comma or invalid text", tag)
		}
	}
	return nil
}

// Filter is a query's condition on a document besides scope and ID: tags and days. An index applies it before
// scoring, so that a filter never leaves fewer hits than the limit while more match.
type Filter struct {
	Tags         []string  // all of them, as [Tag] writes them
	Since, Until time.Time // added at or after, added before; zero: any time
}

// Filter returns the query's conditions in canonical form. An empty tag is kept: no document has it, so that a broken
// filter matches nothing rather than everything.
func (q Query) Filter() Filter {
	f := Filter{Since: q.Since, Until: q.Until}
	for _, t := range q.Tags {
		f.Tags = append(f.Tags, tagOf(t))
	}
	slices.Sort(f.Tags)
	f.Tags = slices.Compact(f.Tags)
	return f
}

// Any reports whether the filter is empty.
func (f Filter) Any() bool { return len(f.Tags) == 0 && f.Since.IsZero() && f.Until.IsZero() }

// Passes reports whether a document matches the filter.
func (f Filter) Passes(d Document) bool { return f.InTime(d.At) && f.Tagged(Tags(d.Tags)) }

// InTime reports whether a document's time is in the filter's range.
func (f Filter) InTime(at time.Time) bool {
	if !f.Since.IsZero() && at.Before(f.Since) {
		return false
	}
	return f.Until.IsZero() || at.Before(f.Until)
}

// Tagged reports whether a document with these tags, canonical and sorted, has all tags of the filter.
func (f Filter) Tagged(tags []string) bool {
	for _, t := range f.Tags {
		if _, ok := slices.BinarySearch(tags, t); !ok {
			return false
		}
	}
	return true
}
