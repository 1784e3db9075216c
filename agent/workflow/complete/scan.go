package complete

import (
	"strconv"
	"strings"
)

// frame is an object or array that is open.
type frame struct {
	array bool
	path  string // pointer of the value itself
	key   string // of an object: the member that is being written
	index int    // of an array: the element that is being written
	value bool   // of an object: a colon came, so a value is due
}

// child returns the pointer of the member or element that is being written.
func (f frame) child() string {
	if f.array {
		return f.path + "/" + strconv.Itoa(f.index)
	}
	return f.path + "/" + f.key
}

// spot is the position of the cursor.
type spot struct {
	stack  []frame
	key    bool   // the name of a member is due
	typed  string // the part of the word before the cursor
	from   int    // where that word begins, with its quote
	to     int    // where it ends
	quoted bool   // it has a quote at its beginning
}

// scanner reads JSON that may be broken or unfinished: it follows braces, names and strings, and a line break ends a
// string.
type scanner struct {
	text   string
	stack  []frame
	values map[string]string // texts by pointer
	names  map[string]bool   // pointers of members that are there
	at     int               // the cursor
	spot   *spot             // once it was passed
}

// scan reads a text and finds the spot of an offset.
func scan(text string, at int) *scanner {
	s := &scanner{text: text, values: map[string]string{}, names: map[string]bool{}, at: at}
	for i := 0; i < len(text); {
		if s.spot == nil && i >= at {
			s.found(spot{from: at, to: at})
		}
		i = s.step(i)
	}
	if s.spot == nil {
		s.found(spot{from: at, to: at})
	}
	return s
}

// top returns the innermost open value, nil outside of all.
func (s *scanner) top() *frame {
	if len(s.stack) == 0 {
		return nil
	}
	return &s.stack[len(s.stack)-1]
}

// found records the spot of the cursor.
func (s *scanner) found(p spot) {
	p.stack = append([]frame{}, s.stack...)
	if t := s.top(); t != nil {
		p.key = !t.array && !t.value
	}
	s.spot = &p
}

// step reads what begins at i and returns where it ends.
func (s *scanner) step(i int) int {
	t := s.top()
	switch c := s.text[i]; c {
	case '{', '[':
		path := ""
		if t != nil {
			path = t.child()
		}
		s.stack = append(s.stack, frame{array: c == '[', path: path})
	case '}', ']':
		if t != nil {
			s.stack = s.stack[:len(s.stack)-1]
		}
	case ':':
		if t != nil && !t.array {
			t.value = true
		}
	case ',':
		if t != nil {
			t.index++
			t.key, t.value = "", false
		}
	case '"':
		return s.quote(i)
	default:
		if strings.IndexByte(" \t\r\n", c) < 0 {
			return s.bare(i)
		}
	}
	return i + 1
}

// quote reads a text.
func (s *scanner) quote(i int) int {
	end, closed := i+1, false
	for end < len(s.text) && s.text[end] != '\n' && !closed {
		switch s.text[end] {
		case '\\':
			end++
		case '"':
			closed = true
		}
		end++
	}
	end = min(end, len(s.text))
	word := s.text[i+1 : end]
	if closed {
		word = s.text[i+1 : end-1]
	}
	if s.spot == nil && s.at > i && (s.at < end || !closed && s.at == end) {
		to := end
		if !closed { // the rest of the line may be what follows
			to = s.at
		}
		s.found(spot{from: i, to: to, typed: s.text[i+1 : s.at], quoted: true})
	}
	switch t := s.top(); {
	case t == nil:
	case !t.array && !t.value:
		t.key = word
		s.names[t.child()] = true
	default:
		s.values[t.child()] = word
	}
	return end
}

// bare reads a word without quotes: a number, true, or what somebody began to type.
func (s *scanner) bare(i int) int {
	end := i
	for end < len(s.text) && strings.IndexByte(" \t\r\n{}[]:,\"", s.text[end]) < 0 {
		end++
	}
	if s.spot == nil && s.at > i && s.at <= end {
		s.found(spot{from: i, to: end, typed: s.text[i:s.at]})
	}
	return max(end, i+1)
}
