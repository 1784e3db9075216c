package install

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	tags "golang.org/x/text/language"

	"maru/phrase"
)

// installPage shows an installation's result and the next step in every language, the
// browser's first. It loads no other resource.
var installPage = template.Must(template.New("install").Parse(`<!DOCTYPE html>
<html lang="{{(index . 0).Lang}}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Maru · Slack</title></head>
<body><main><h1>Maru · Slack</h1>
{{range .}}<p lang="{{.Lang}}">{{.Text}}</p>
{{end}}</main></body></html>
`))

// said is one sentence in one language.
type said struct{ Lang, Text string }

// page answers with a sentence in every language, the browser's first.
func (p *Pages) page(w http.ResponseWriter, r *http.Request, status int, key string, args ...any) {
	langs := phrase.Languages()
	own := phrase.Fallback
	if wanted, _, err := tags.ParseAcceptLanguage(r.Header.Get("Accept-Language")); err == nil {
		for _, t := range slices.Backward(wanted) {
			if lang, ok := phrase.Match(t.String()); ok {
				own = lang
			}
		}
	}
	slices.SortStableFunc(langs, func(a, b string) int {
		switch own {
		case a:
			return -1
		case b:
			return 1
		}
		return strings.Compare(a, b)
	})
	list := make([]said, len(langs))
	for i, lang := range langs {
		list[i] = said{Lang: lang, Text: phrase.Say(lang, key, args...)}
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the URL contains a code
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if err := installPage.Execute(w, list); err != nil {
		p.cfg.Log.DebugContext(r.Context(), "slack installation page", "err", err.Error())
	}
}
