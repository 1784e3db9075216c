package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"maru/agent/tool"
	"maru/phrase"
)

// wikipedia searches the encyclopedia in the languages that Maru speaks.
type wikipedia struct {
	base string              // "{lang}" becomes the language
	api  map[string]*service // by language
}

// NewWikipedia returns the wikipedia tool. In base, "{lang}" becomes the
// language of the search; trusted says that the operator has chosen it.
func NewWikipedia(base string, trusted bool, proxy func(*http.Request) (*url.URL, error)) tool.Tool {
	w := wikipedia{base, map[string]*service{}}
	for _, lang := range phrase.Languages() {
		w.api[lang] = &service{name: "Wikipedia", people: phrase.Of("builtin.service.wikipedia"), client: newHTTPClient(w.in(lang), trusted, proxy)}
	}
	return w
}

func (w wikipedia) in(lang string) string { return strings.ReplaceAll(w.base, "{lang}", lang) }

const wikipediaWords = `Searches Wikipedia and returns the beginnings of the best articles with their addresses. Use it for facts about people, places, history, science. Search for the name of the thing in the chosen language, not for a whole question.`

// Spec implements tool.Tool.
func (wikipedia) Spec() tool.Spec {
	return tool.Spec{
		Name:        "wikipedia",
		Title:       phrase.Of("builtin.doing.wikipedia"),
		Description: wikipediaWords,
		Parameters: json.RawMessage(`{"type":"object","properties":{
			"query":{"type":"string","minLength":1,"maxLength":200,"description":"name or key words"},
			"language":{"enum":["` + strings.Join(phrase.Languages(), `","`) + `"],"description":"which Wikipedia; leave out for that of the conversation"},
			"limit":{"type":"integer","minimum":1,"maximum":5,"description":"articles wanted, 3 if left out"}},
			"required":["query"],"additionalProperties":false}`),
		Policy:  tool.Policy{ReadOnly: true, Idempotent: true, Egress: true},
		Timeout: 20 * time.Second,
	}
}

// Call implements tool.Tool. A search without a hit is tried in English, which
// knows more.
func (w wikipedia) Call(ctx context.Context, call tool.Call) (tool.Result, error) {
	args := struct {
		Query    string `json:"query"`
		Language string `json:"language"`
		Limit    int    `json:"limit"`
	}{Language: call.Language, Limit: 3}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("decode arguments: %w", err)
	}
	if w.api[args.Language] == nil {
		args.Language = phrase.Fallback
	}
	articles, err := w.search(ctx, args.Language, args.Query, args.Limit)
	if err == nil && len(articles) == 0 && args.Language != phrase.Fallback {
		articles, err = w.search(ctx, phrase.Fallback, args.Query, args.Limit)
	}
	if err != nil {
		return tool.Result{}, err
	}
	if len(articles) == 0 {
		return tool.Result{}, &tool.Error{
			Code:   "not_found",
			Model:  fmt.Sprintf("Wikipedia has no article for %q. Try the name alone, or another spelling, once.", args.Query),
			People: phrase.Of("builtin.wikipedia.nothing"),
		}
	}
	return listed(articles), nil
}

// article is something that was found, here or on the web.
type article struct {
	Title, URL, Text string
}

func (w wikipedia) search(ctx context.Context, lang, query string, limit int) ([]article, error) {
	var answer struct {
		Query struct {
			Pages []struct {
				Index   int    `json:"index"` // rank, 1-based
				Title   string `json:"title"`
				Extract string `json:"extract"`
				URL     string `json:"fullurl"`
			} `json:"pages"`
		} `json:"query"`
	}
	number := fmt.Sprint(limit)
	err := w.api[lang].ask(ctx, join(w.in(lang), "/w/api.php", url.Values{
		"action": {"query"}, "format": {"json"}, "formatversion": {"2"}, "generator": {"search"}, "gsrsearch": {query}, "gsrlimit": {number},
		"prop": {"extracts|info"}, "inprop": {"url"}, "exintro": {"1"}, "explaintext": {"1"}, "exchars": {"1200"}, "exlimit": {number},
		"redirects": {"1"}, "utf8": {"1"},
	}), nil, nil, &answer)
	if err != nil {
		return nil, err
	}
	found := make([]article, min(limit, len(answer.Query.Pages)))
	for i, p := range answer.Query.Pages { // they come in the order of their ids
		at := p.Index - 1
		if at < 0 || at >= len(found) {
			at = min(i, len(found)-1)
		}
		found[at] = article{p.Title, p.URL, strings.TrimSpace(p.Extract)}
	}
	return found, nil
}

// maxExtract bounds the text of one article or page, in bytes.
const maxExtract = 3 << 10

// listed renders what was found, numbered, with its addresses.
func listed(articles []article) tool.Result {
	var text strings.Builder
	var sources []tool.Source
	for _, a := range articles {
		if a.Title == "" && a.Text == "" {
			continue
		}
		address := a.URL
		if u, err := url.Parse(address); err != nil || (u.Scheme != "https" && u.Scheme != "http") || len(address) > 2000 {
			address = ""
		}
		sources = append(sources, tool.Source{Title: tool.Bound(a.Title, 300), URL: address})
		fmt.Fprintf(&text, "[%d] %s\n%s\n%s\n\n", len(sources), tool.Bound(a.Title, 300), address, tool.Bound(strings.TrimSpace(a.Text), maxExtract))
	}
	return tool.Result{Text: strings.TrimSpace(text.String()), Sources: sources}
}
