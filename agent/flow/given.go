package flow

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"maru/phrase/mention"
	"maru/phrase/pattern"
	"maru/phrase/prose"
	"maru/phrase/quantity"
	"maru/phrase/when"
	"maru/rag"
	"maru/rag/naming"
)

// Bounds of what values are compared with, and of the values that are compared word by word.
const (
	maxGiven     = 256 << 10 // bytes of all texts
	maxSentences = 200       // in which times are read
	maxCode      = 2         // bytes of a word beside others that adds nothing, such as a country's code
	shortValue   = 80        // characters; a longer value is a text that the model was asked to write
	maxCountry   = 3         // digits of a country's code
	maxAhead     = 366       // days before and after now in which a written date is looked for
)

// Given is the words, numbers and times that people, documents and tools gave a run. A value of a call without any of them
// was made up by the model. It is for one goroutine at a time.
type Given struct {
	v       vocabulary
	numbers quantity.Set
	named   []mention.Time // dates and times that are written out
	moments []time.Time    // that sentences name otherwise
	rules   []when.Rule    // by which something comes again
	lengths []float64      // minutes
	phones  []string       // digits
	text    strings.Builder
	voices  naming.Voices
	people  naming.Voices
	closed  strings.Builder // the text without spaces, for Korean, which is written with and without them
	korean  bool            // the person writes Korean
	now     time.Time
}

// Given returns what the run was given, as understood at a moment by the person's clock.
func (c Context) Given(now time.Time) *Given {
	g := &Given{
		v:       vocabulary{words: map[string]bool{}, terms: map[string]bool{}},
		numbers: quantity.Set{}, now: now, korean: strings.ContainsFunc(strings.Join(c.Said, ""), func(r rune) bool { return unicode.Is(unicode.Hangul, r) }),
	}
	room, sentences := maxGiven, maxSentences
	for _, text := range slices.Concat(c.Said, c.Read) {
		if text == Today(now) { // known, but nobody said that a value shall be of today
			continue
		}
		if room -= len(text); room < 0 {
			break
		}
		g.v.learn(text)
		g.text.WriteString(text + "\n")
		g.closed.WriteString(closed(text) + "\n")
		maps.Copy(g.numbers, quantity.In(text))
		g.named, g.lengths, g.phones = append(g.named, mention.Times(text)...), append(g.lengths, quantity.Lengths(text)...), append(g.phones, quantity.Phones(text)...)
		for _, s := range prose.Sentences(text) {
			if sentences--; sentences < 0 {
				break
			}
			at, rules := when.Named(s, now)
			g.moments, g.rules = append(g.moments, at...), append(g.rules, rules...)
		}
	}
	slices.Sort(g.lengths)
	g.voices, g.people = naming.VoicesOf(c.Said...), naming.VoicesOf(naming.Addressed(c.Said...)...)
	g.lengths = slices.Compact(g.lengths)
	return g
}

// Has reports whether a value was given, in whatever form: a date by its words, a number with a unit, a word with a
// particle. Of each part of a list more than half of the content words must be given; of a text that the model wrote, see
// [Given.HasFacts].
func (g *Given) Has(value string) bool {
	value = strings.TrimSpace(value)
	zone, _ := g.now.Zone()
	if value == zone || value == g.now.Location().String() || utf8.RuneCountInString(value) > shortValue {
		return utf8.RuneCountInString(value) <= shortValue || g.HasFacts(value)
	}
	if at, day, clock, ok := timeOf(value, g.now.Location()); ok {
		edge := day && (at.Hour() == 0 && at.Minute() == 0 || at.Hour() == 23 && at.Minute() == 59) // the whole day
		return (!day || g.hasDay(at)) && (!clock || edge || g.hasClock(at))
	}
	if r, err := when.ParseCron(value); err == nil {
		return slices.ContainsFunc(g.rules, func(o when.Rule) bool { return o.Next(g.now, g.now.Location()).Equal(r.Next(g.now, g.now.Location())) })
	}
	if g.hasPhone(value) {
		return true
	}
	if n, ok := quantity.Money(value); ok {
		return g.numbers.Has(n) || g.numbers.Has(-n)
	}
	if n, ok := quantity.Of(value); ok {
		return g.numbers.Has(n) || g.numbers.Has(-n)
	}
	if level, said := quantity.Level(value, g.text.String()); level && said || korean(value) && strings.Contains(g.closed.String(), closed(value)) {
		return true
	}
	value, ok := g.withoutTimes(value)
	if !ok || !g.hasCodes(value) {
		return false
	}
	list := items(value)
	return !slices.ContainsFunc(list, func(part string) bool { return !g.hasMost(part, len(list) > 1) && !g.isCountryOf(part, list) })
}

// items returns what a value lists. A mark between digits is part of a number.
func items(value string) (out []string) {
	from := 0
	for i, r := range value {
		next := strings.TrimPrefix(value[i:], string(r))
		if strings.ContainsRune(",;·/\n", r) && (i == 0 || !isDigit(value[i-1:]) || !isDigit(next)) {
			out, from = append(out, value[from:i]), len(value)-len(next)
		}
	}
	return append(out, value[from:])
}

func isDigit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

// HasFacts reports whether the numbers, dates and addresses of a text that the model worded were given, and the names in it that can
// be told from other words.
func (g *Given) HasFacts(text string) bool {
	if utf8.RuneCountInString(text) > shortValue {
		return g.hasCodes(text)
	}
	text, ok := g.withoutTimes(text)
	if !ok || !g.hasCodes(text) {
		return false
	}
	for _, d := range digits.FindAllString(text, -1) {
		if n, ok := quantity.Of(strings.TrimRight(d, ",.:-")); ok && !g.numbers.Has(n) && !g.hasAll(d) {
			return false
		}
	}
	return !slices.ContainsFunc(g.names(text), func(name string) bool { return !g.hasName(name) })
}

// names returns the words of a text that are names for sure: of Latin letters within Korean, or with a capital within a sentence of
// words without. What Korean words are in English cannot be told.
func (g *Given) names(text string) (out []string) {
	words := strings.Fields(text)
	small := slices.ContainsFunc(words, func(w string) bool { return len(w) > 3 && w[0] >= 'a' && w[0] <= 'z' })
	for i, w := range words {
		name := latin.FindString(w)
		rest, _ := utf8.DecodeRuneInString(w[len(name):])
		within := small && !g.korean && i > 0 && !strings.ContainsAny(words[i-1][len(words[i-1])-1:], ".!?:") && !unicode.IsLetter(rest)
		if name != "" && (within || unicode.Is(unicode.Hangul, rest)) {
			out = append(out, name)
		}
	}
	return out
}

// hasName reports whether a name, or the day of a weekday, was given.
func (g *Given) hasName(name string) bool {
	if days, _ := when.Named(name, g.now); len(days) > 0 {
		return slices.ContainsFunc(days, g.hasDay)
	}
	return g.hasWord(strings.ToLower(name))
}

// latin matches a word with one capital.
var latin = pattern.New(`^[A-Z][a-z]+`)

// hasCodes reports whether the addresses and long numbers of a text were given.
func (g *Given) hasCodes(text string) bool {
	for _, word := range strings.Fields(text) {
		if address := strings.Trim(word, `<>()[]{}.,;:!?"'`); strings.Contains(address, "@") && !Stands(g.text.String(), address) || len(digits.FindString(word)) > maxDigits && !g.hasAll(word) && !g.hasPhone(word) {
			return false
		}
	}
	return true
}

// hasPhone reports whether a value is a telephone number that was given, in whatever form it is written.
func (g *Given) hasPhone(value string) bool {
	asked := quantity.Phones(value)
	return len(asked) == 1 && slices.ContainsFunc(g.phones, func(d string) bool {
		return strings.Contains(d, asked[0]) || strings.HasSuffix(asked[0], d) && len(asked[0]) <= len(d)+maxCountry
	})
}

// withoutTimes takes the dates and times out of a text that were given. ok is false if one is there that nobody gave.
func (g *Given) withoutTimes(text string) (rest string, ok bool) {
	cut := []byte(text)
	list := mention.Times(text)
	for _, m := range list {
		same := func(o mention.Time) bool { return o.From < m.To && m.From < o.To && g.hasMention(o) }
		switch {
		case slices.ContainsFunc(list, same):
			copy(cut[m.From:], strings.Repeat(" ", m.To-m.From))
		case !m.Ambiguous(text):
			return text, false
		}
	}
	return string(cut), true
}

// hasMention reports whether a written date or time is one that was given.
func (g *Given) hasMention(m mention.Time) bool {
	for day := -maxAhead; day <= maxAhead; day++ {
		at := time.Date(g.now.Year(), g.now.Month(), g.now.Day()+day, m.Hour, m.Minute, 0, 0, g.now.Location())
		switch {
		case !m.Is(at, g.now):
		case m.Clock:
			return g.hasClock(at) || m.Half && g.hasClock(at.Add(12*time.Hour))
		case g.hasDay(at):
			return true
		}
	}
	return slices.ContainsFunc(g.named, func(o mention.Time) bool { return !m.Clock && o.Day == m.Day && o.Month == m.Month && o.Year == m.Year })
}

// hasMost reports whether more than half of the content words of a value were given. listed is one of several.
func (g *Given) hasMost(value string, listed bool) bool {
	if g.sounds(value) {
		return true
	}
	content, missing := 0, 0
	words := wordsOf(value)
	for _, w := range words {
		switch {
		case (listed || len(words) > 1) && len(w) <= maxCode && !g.hasWord(w) && !digits.MatchString(w): // "Austin, TX"
		case g.v.words[w]:
			content++
		case !g.hasWord(w):
			content++
			missing++
		case g.v.content(w):
			content++
		}
	}
	return missing == 0 || 2*missing < content
}

// closed returns a text without spaces, in small letters.
func closed(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), "")) }

// korean reports whether a value is nothing but Korean letters and spaces.
func korean(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return !unicode.Is(unicode.Hangul, r) && !unicode.IsSpace(r) })
}

func (g *Given) hasAll(text string) bool {
	return !slices.ContainsFunc(wordsOf(text), func(w string) bool { return !g.hasWord(w) })
}

// hasWord reports whether a word was given or is a function word. A Korean word is given by its stem, which other endings
// may follow, a number with a unit by its number.
func (g *Given) hasWord(w string) bool {
	ended := func(p rag.Word) bool {
		return p.Weight > 0 && (len(p.Terms) == 0 || !korean(p.Terms[0]) || utf8.RuneCountInString(p.Terms[0]) < 2 || !strings.Contains(g.closed.String(), p.Terms[0]))
	}
	if parts := g.v.analyzer.Query(w); g.v.word(w) || g.sounds(w) || len(parts) > 0 && len(w) <= maxWord && !slices.ContainsFunc(parts, ended) {
		return true
	}
	found := digits.FindAllString(w, -1)
	return len(found) > 0 && !slices.ContainsFunc(found, func(d string) bool { n, ok := quantity.Of(d); return !ok || !g.numbers.Has(n) })
}

// hasDay reports whether a day was given, or follows from one that was given and a length.
func (g *Given) hasDay(at time.Time) bool {
	is := func(at time.Time) bool {
		return slices.ContainsFunc(g.named, func(m mention.Time) bool { return !m.Clock && m.Is(at, g.now) }) ||
			slices.ContainsFunc(g.moments, func(m time.Time) bool { return sameDay(m, at) }) || slices.ContainsFunc(g.rules, func(r when.Rule) bool {
			begin := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, g.now.Location())
			return sameDay(r.Next(begin.Add(-time.Second), g.now.Location()), at)
		})
	}
	return is(at) || slices.ContainsFunc(g.lengths, func(n float64) bool {
		days := int(n) / (24 * 60)
		return days > 0 && (is(at.AddDate(0, 0, -days)) || is(at.AddDate(0, 0, 1-days)))
	})
}

func sameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }

// hasClock reports whether a time of the day was given, or follows from one that was given and a length.
func (g *Given) hasClock(at time.Time) bool {
	is := func(at time.Time) bool {
		same := func(m time.Time) bool { return m.Hour() == at.Hour() && m.Minute() == at.Minute() }
		return slices.ContainsFunc(g.named, func(m mention.Time) bool { return m.Clock && m.Is(at, g.now) }) || slices.ContainsFunc(g.moments, same) ||
			slices.ContainsFunc(g.rules, func(r when.Rule) bool { return same(r.Next(g.now, g.now.Location())) })
	}
	return is(at) || slices.ContainsFunc(g.lengths, func(n float64) bool { return is(at.Add(-time.Duration(n * float64(time.Minute)))) })
}

// layouts are the forms of dates and times that tools take.
var layouts = []struct {
	form       string
	day, clock bool
}{
	{time.RFC3339, true, true}, {"2006-01-02T15:04:05", true, true}, {"2006-01-02T15:04", true, true}, {"2006-01-02 15:04:05", true, true},
	{"2006-01-02 15:04", true, true}, {time.DateOnly, true, false}, {"2006/01/02", true, false}, {"20060102", true, false}, {"15:04", false, true}, {time.TimeOnly, false, true},
}

// timeOf reads a value that is a date, a time of the day or both, by the clock of a zone.
func timeOf(value string, zone *time.Location) (at time.Time, day, clock, ok bool) {
	for _, l := range layouts {
		if at, err := time.ParseInLocation(l.form, strings.TrimSpace(value), zone); err == nil {
			return at.In(zone), l.day, l.clock, true
		}
	}
	return at, false, false, false
}

// digits matches a number with its separators.
var digits = pattern.New(`\d[\d,.:\-]*`)
