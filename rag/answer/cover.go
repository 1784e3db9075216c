package answer

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/phrase/prose"
	"maru/rag"
)

// maxWords bounds how many words of a question are looked for.
const maxWords = 48

// maxParts bounds how many sentences of a question are read for what it asks.
const maxParts = 8

// maxSentences bounds how many sentences of all passages are compared.
const maxSentences = 2000

// sentence is one that may be quoted, with how much of a question it holds.
type sentence struct {
	text    string
	n       int // number of its passage
	rank    int // of its passage, from 0
	order   int // of the sentence over all passages
	own     rag.Holding
	heading rag.Holding // of its passage's title and headings
	before  rag.Holding // of the sentence before it in its passage
	titled  []string    // the words of these
	statute bool        // these name a statute

	holds   float64   // share of the question that the sentence itself holds
	covers  float64   // share that it holds together with its headings
	whole   float64   // the same with verbs counted as much as nouns
	beside  float64   // share that its headings hold and the sentence does not
	passage float64   // share that its passage holds
	about   []float64 // how much of each word the passage holds
	number  bool      // it says a number that the question does not
	does    bool      // it says what is done
	leans   bool      // the sentence before it names what it is about
	value   float64   // how clearly it has the kind of value that is asked for
	lead    int       // the place among all of what introduces the list that it is a bare item of, -1 if it is none
	inBand  bool      // it is the row of a table whose band holds the question's amount
	offBand bool      // it is another row of such a table
	other   bool      // the question asks for the term of an agreement, and its passage lacks a noun of it
	score   float64
}

// sentencesOf cuts passages into sentences, and leaves out the words of names that a question does not ask about.
func sentencesOf(question string, passages []Passage) []sentence {
	var out []sentence
	unnamed := unnamed(question)
	for rank, p := range passages {
		text := Clean(p.Text)
		above := []string{p.Title}
		for l := range strings.SplitSeq(text, "\n") {
			if prose.IsHeading(l) {
				above = append(above, l)
			}
		}
		heading, titled := Holding(above...).Also(p.Words), Words(strings.Join(above, " "))
		statute, under, list := ofStatute(above, text), heading, prose.Sentences(text)
		lead := -1
		for i, s := range list {
			if len(out) == maxSentences {
				return out
			}
			if whole.MatchString(s) {
				lead = -1
			}
			own, before := Holding(unnamed(s)).Also(p.Words), rag.Holding(nil)
			if i > 0 {
				before = out[len(out)-1].own
			}
			out = append(out, sentence{text: s, n: p.N, rank: rank, order: len(out), lead: lead, own: own, heading: under, before: before, titled: titled, statute: statute})
			if introduces.MatchString(s) {
				lead = len(out) - 1
			}
			if i+1 < len(list) && leads(s, list[i+1]) {
				under = maps.Clone(heading)
				maps.Copy(under, own)
			}
		}
	}
	return out
}

var (
	introduces = pattern.New(`(?i):$|다음과\s?같|다음\s각|아래와\s?같|\b(?:as follows|the following)\b`)
	whole      = pattern.New(`[.!?。]["”’)\]]*$|[다요]$`)
	ended      = pattern.New(`[.!?。]["”’)\]]*$|[다요]$|\d|[:|]`)
)

var (
	// handle is the name of a channel, a person or an address, whose parts are no words of a sentence: #office-help.
	handle = pattern.New(`[#@][\p{L}\d][\p{L}\d_.-]*|\b[\w.+-]+@[\w-]+\.\S+|\bhttps?://\S+`)
	// asksHandle asks for such a name.
	asksHandle = pattern.New(`(?i)채널|주소|메일|링크|사이트|계정|\b(?:channels?|address(?:es)?|e-?mails?|mailbox|links?|urls?|sites?|websites?|accounts?|handles?)\b`)
)

// unnamed returns what cuts names from a sentence. Those stay that a question may be about: it asks for one or has one, or it has all
// words of this one.
func unnamed(question string) func(string) string {
	if handle.MatchString(question) || asksHandle.MatchString(question) {
		return func(s string) string { return s }
	}
	asked := Holding(question)
	return func(s string) string {
		return handle.ReplaceAllStringFunc(s, func(name string) string {
			for w := range Holding(name) {
				if !asked[w] {
					return " "
				}
			}
			return name
		})
	}
}

// maxLead bounds a line that is the title of those below it, in half-width characters.
const maxLead = 60

// leads reports whether a sentence stands over those behind it as their heading does: it introduces a list or asks what they answer, or
// it is a short line without an end before a longer one.
func leads(s, next string) bool {
	return introduces.MatchString(s) || strings.HasSuffix(s, "?") || fit.Width(s) <= maxLead && fit.Width(s) < fit.Width(next) && !ended.MatchString(s)
}

// rootMark begins the term of a Korean verb's root.
const rootMark = "\x00root:"

// Holding returns the terms of texts as an index sees them, and the roots of Korean verbs.
func Holding(texts ...string) rag.Holding {
	h := rag.HoldingOf(texts...)
	for _, t := range texts {
		for _, w := range Words(t) {
			if r := rootOf(w); r != "" {
				h[rootMark+r] = true
			}
		}
	}
	return h
}

// wanted is a word of a question with the share of the question that it carries.
type wanted struct {
	rag.Word

	root   string  // of a Korean verb
	share  float64 // by weight and rarity, 1 for all words together
	rarity float64 // by rarity alone, 1 together
}

// doesEn matches the verb of an English question where it asks what people do: where do I put my bicycle, who should we call.
var doesEn = pattern.New(`(?i)\b(?:where|who|whom)\s+(?:do|does|did|can|could|should|must|may|will|would)\s+(?:i|we|you|they|people|employees|staff|someone|one)\s+(\p{L}+)`)

// verbWeight is the weight of verbs beside nouns: documents seldom answer in the verbs of a question.
const verbWeight = 0.25

// backWeight multiplies the weight of words of the question before, on which this one leans.
const backWeight = 0.5

// wantedOf returns the words of a question, each sentence of it by itself. Words of the question before,
// if this one leans on it, belong to each.
func wantedOf(question, before string, all []sentence) [][]wanted {
	parts := map[int][]wanted{}
	for _, w := range weighed(question, all) {
		if !w.Aside {
			parts[w.Sentence] = append(parts[w.Sentence], w)
		}
	}
	back := weighed(before, all)
	if len(parts) == 0 {
		parts[0] = nil // "why?" asks about what was asked before
	}
	var out [][]wanted
	for _, i := range slices.Sorted(maps.Keys(parts)) {
		if len(out) == maxParts {
			break
		}
		if list := leaning(parts[i], back); len(list) > 0 {
			out = append(out, shared(list, all))
		}
	}
	return out
}

// leaning adds the words of the question before to those of one that leans on it. Together they weigh at most
// half of its own: it may be about something new.
func leaning(list, back []wanted) []wanted {
	own, before := 0.0, 0.0
	for _, w := range list {
		own += w.Weight
	}
	for _, w := range back {
		before += w.Weight
	}
	out := slices.Clone(list)
	for _, w := range back {
		if own > 0 {
			w.Weight *= backWeight * min(1, own/before)
		}
		out = append(out, w)
	}
	return out
}

// weighed analyses a question; words that say nothing of its subject are left out.
func weighed(question string, all []sentence) []wanted {
	list := Subject(question)
	list = list[:min(len(list), maxWords)]
	known := rag.Holding{}
	for _, s := range all {
		maps.Copy(known, s.own)
		maps.Copy(known, s.heading)
	}
	rag.Synonyms(list, func(term string) bool { return known[term] })
	does := ""
	if m := doesEn.FindStringSubmatch(question); m != nil {
		does = strings.ToLower(m[1])
	}
	var out []wanted
	for _, w := range list {
		if w.Text == does && len(list) > 1 {
			w.Weight = min(w.Weight, verbWeight)
		}
		root := ""
		if w.Weight <= verbWeight || predicateKo.MatchString(w.Text) {
			w.Weight = min(w.Weight, verbWeight)
			if root = rootOf(w.Text); lightVerb(root) {
				continue
			}
		}
		out = append(out, wanted{Word: w, root: root})
	}
	return out
}

// shared sets the share of each word by its rarity among the sentences.
func shared(list []wanted, all []sentence) []wanted {
	total, rarities := 0.0, 0.0
	for i := range list {
		w := &list[i]
		df := 0.0
		for _, s := range all {
			if w.in(s.own) >= 0.5 {
				df++
			}
		}
		w.rarity = math.Log(1 + float64(len(all)+1)/(df+1))
		w.share = w.Weight * w.rarity
		total, rarities = total+w.share, rarities+w.rarity
	}
	for i := range list {
		list[i].share /= total
		list[i].rarity /= rarities
	}
	return list
}

// in says how much of the word a text has, from 0 to 1.
func (w wanted) in(h rag.Holding) float64 {
	if w.root != "" && h[rootMark+w.root] {
		return 1
	}
	most := h.Match(w.Word)
	for _, form := range forms()[w.Text] {
		most = max(most, h.Match(form))
	}
	return most
}

// aroundWeight is what a word counts that only the headings of a sentence have, or the sentence before one that has the kind of value
// which is asked for: "The pump was replaced. It leaked, as it was old." Where two things are asked, it may be the other one that it gives.
const aroundWeight = 0.65

// sameHeading is what a sentence gains whose heading asks the question itself.
const sameHeading = 0.4

// numberGain is what a sentence gains by a number where the question asks for one of no kind in [soughts].
const numberGain = 0.3

// bandGain is what the row of a table gains whose band holds the question's amount.
const bandGain = 0.3

// offBandWeight multiplies the score of the other rows of such a table.
const offBandWeight = 0.3

// headingAsks says how many of a question's words, asking words included, begin as a word of the sentence's headings.
func (s sentence) headingAsks(question []string) float64 {
	n := 0
	for _, w := range question {
		begin := string([]rune(w)[:min(2, utf8.RuneCountInString(w))])
		if slices.ContainsFunc(s.titled, func(t string) bool { return t == w || isSyllable(w) && len(begin) == 6 && strings.HasPrefix(t, begin) }) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(question)))
}

// measure returns the sentences with how much of the question they hold, the best first.
func measure(question string, list []wanted, all []sentence) []sentence {
	out, done, kind := slices.Clone(all), predicate(question, list), soughtBy(question)
	oneThing := !kind.bare && !kind.asksTerm() && len(asksKo.FindAllString(question, 2))+len(wordEn.FindAllString(question, 2)) < 2
	passages := map[int][]float64{}
	for i := range out {
		s := &out[i]
		most := passages[s.n]
		if most == nil {
			most = make([]float64, len(list))
			passages[s.n] = most
		}
		s.about, s.value = most, kind.in(s.text)
		for k, w := range list {
			own, around := w.in(s.own), w.in(s.heading)
			if before := aroundWeight * w.in(s.before); oneThing && s.value > 0 && before > max(own, around) {
				around, s.leans = before, s.leans || w.share > leastShare
			}
			if s.inBand && amount.MatchString(w.Text) {
				own = 1
			}
			s.holds += w.share * own
			s.covers += w.share * max(own, around)
			s.whole += w.rarity * max(own, around)
			s.beside += w.share * max(0, around-own)
			s.score += w.share * max(own, aroundWeight*around)
			most[k] = max(most[k], own, around)
			s.does = s.does || k == done && max(own, around) >= 0.5
		}
	}
	counted, ws := AsksNumber(question), Words(question)
	for i := range out {
		s := &out[i]
		for k, w := range list {
			s.passage += w.share * passages[s.n][k]
		}
		s.score *= (1 + s.passage) / 2
		s.score /= 1 + 0.05*float64(s.rank) + 0.002*float64(min(s.order, 100)) // what the index ranks higher comes first
		if strings.HasSuffix(s.text, "?") {
			s.score *= 0.6 // a question answers nothing
		}
		same := s.headingAsks(ws)
		s.score += sameHeading * same * same
		if kind.asksTerm() {
			s.ofTerm(list, passages[s.n])
		}
		if s.offBand {
			s.score *= offBandWeight
		}
		if s.covers < least { // it is not chosen
			s.value = 0
			continue
		}
		if s.inBand {
			s.score += bandGain
		}
		switch {
		case s.value > 0:
			s.score += kind.gain * s.value * s.covers
		case kind.sought == nil && counted && s.number:
			s.score += numberGain * s.covers
		}
	}
	slices.SortStableFunc(out, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
	return out
}
