package rag

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// What [CheckTags] lets pass.
const (
	MaxTags   = 32  // of one document
	MaxTagLen = 100 // bytes of one
)

// Tags returns tags in the one form in which they are kept and compared: folded
// and in small letters, with a dash for the space within, each once, in order.
// Spellings that people take for one are one: ＨＲ, "hr " and HR.
func Tags(list []string) []string {
	var out []string
	for _, t := range list {
		if t = Tag(t); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Tag is [Tags] of one; it is empty for a tag of nothing but space.
func Tag(tag string) string {
	return strings.Join(strings.Fields(fold(tag, false)), "-")
}

// CheckTags says what is wrong with the tags that somebody gives a document; nil if nothing is.
func CheckTags(list []string) error {
	if n := len(Tags(list)); n > MaxTags {
		return fmt.Errorf("%d tags, and a document can have %d", n, MaxTags)
	}
	for _, t := range list {
		switch tag := Tag(t); {
		case tag == "":
			return fmt.Errorf("the tag %q is empty", t)
		case len(tag) > MaxTagLen:
			return fmt.Errorf("the tag %.20q… has %d bytes, and may have %d", tag, len(tag), MaxTagLen)
		case !utf8.ValidString(tag) || strings.ContainsAny(tag, ",\x00"):
			return fmt.Errorf("the tag %q has a comma or a byte that is no text", tag)
		}
	}
	return nil
}

// Filter is what a query demands of a document besides its scope and ID: the
// tags and the days. An index asks it of a document before it scores a
// passage, so that a filter narrows an answer and never thins it out.
type Filter struct {
	Tags         []string  // all of them, as [Tag] writes them
	Since, Until time.Time // added at or after, added before; zero: any time
}

// Filter returns the demands of the query in their normal form. An empty tag
// is kept: no document has it, so that a filter gone wrong finds nothing
// rather than everything.
func (q Query) Filter() Filter {
	f := Filter{Since: q.Since, Until: q.Until}
	for _, t := range q.Tags {
		f.Tags = append(f.Tags, Tag(t))
	}
	slices.Sort(f.Tags)
	f.Tags = slices.Compact(f.Tags)
	return f
}

// Any reports that every document passes.
func (f Filter) Any() bool { return len(f.Tags) == 0 && f.Since.IsZero() && f.Until.IsZero() }

// Passes reports whether a document meets the demands.
func (f Filter) Passes(d Document) bool { return f.InTime(d.At) && f.Tagged(Tags(d.Tags)) }

// InTime reports whether a document of this time meets the demand of days.
func (f Filter) InTime(at time.Time) bool {
	if !f.Since.IsZero() && at.Before(f.Since) {
		return false
	}
	return f.Until.IsZero() || at.Before(f.Until)
}

// Tagged reports whether a document with these tags, in normal form and in order, has
// all that are demanded.
func (f Filter) Tagged(tags []string) bool {
	for _, t := range f.Tags {
		if _, ok := slices.BinarySearch(tags, t); !ok {
			return false
		}
	}
	return true
}
