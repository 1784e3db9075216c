package web

import (
	"fmt"
	"net/url"
	"strconv"

	"maru/bot"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// cite is a citation number that links to its source.
type cite struct {
	n     int
	href  string // passage page or web page, "" if the source cannot be opened
	away  bool   // links outside the console
	title string
}

// surroundings resolves the citations and links of a text.
type surroundings struct {
	lang  string
	cites map[int]cite    // by number
	known map[string]bool // URLs of sources
	own   bool            // the bot's own words
}

// Cite implements markdown.Page.
func (s surroundings) Cite(numbers []int) (element string, ok bool) {
	for _, n := range numbers {
		c, known := s.cites[n]
		if !known {
			return "", false
		}
		element += c.html()
	}
	return element, true
}

func (c cite) html() string {
	if c.href == "" {
		return fmt.Sprintf(`<span class="cite" title="%s">%d</span>`, attr(c.title), c.n)
	}
	spoken := attr(fmt.Sprintf("[%d] %s", c.n, c.title)) // a screen reader would announce only "1"
	how := "data-passage"
	if c.away {
		how = `rel="noopener noreferrer" target="_blank"`
	}
	return fmt.Sprintf(`<a class="cite" href="%s" title="%s" aria-label="%s" %s>%d</a>`, attr(c.href), attr(c.title), spoken, how, c.n)
}

// around returns the targets of a card's citations and links.
func around(thread string, c bot.Card, lang string) surroundings {
	s := surroundings{lang: lang, own: c.Own, cites: make(map[int]cite), known: make(map[string]bool)}
	for _, src := range c.Sources {
		href, away := sourceAddress(thread, c.Run, src)
		if away {
			s.known[href] = true
		}
		s.cites[src.N] = cite{n: src.N, href: href, away: away, title: fit.Clean(src.Title)}
	}
	return s
}

// sourceAddress returns a source's URL: its passage here, else its web page.
func sourceAddress(thread, run string, src bot.Source) (href string, away bool) {
	if src.Chunk != "" {
		href = "/passages/" + url.PathEscape(src.Chunk) + "?thread=" + url.QueryEscape(thread) + "&n=" + strconv.Itoa(src.N)
		if run != "" {
			href += "&run=" + url.QueryEscape(run)
		}
		return href, false
	}
	href, _ = markdown.WebAddress(src.URL)
	return href, href != ""
}
