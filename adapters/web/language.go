package web

import (
	"net/http"
	"time"

	"maru/phrase"

	"golang.org/x/text/language"
)

// Cookies with the person's preferences.
const (
	langCookie  = "maru_lang"
	themeCookie = "maru_theme"
	zoneCookie  = "maru_zone" // set by the script
)

// languageOf returns a page's language: the person's choice, else the browser's, else the
// configured one.
func (a *Adapter) languageOf(r *http.Request) string {
	if c, err := r.Cookie(langCookie); err == nil {
		if lang, ok := phrase.Match(c.Value); ok {
			return lang
		}
	}
	wanted, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		return a.cfg.Language
	}
	for _, t := range wanted {
		if lang, ok := phrase.Match(t.String()); ok {
			return lang
		}
	}
	return a.cfg.Language
}

// ownName is a language's name in that language.
type ownName struct{ Code, Name string }

// Languages lists the available languages.
func (view) Languages() []ownName {
	var out []ownName
	for _, code := range phrase.Languages() {
		out = append(out, ownName{Code: code, Name: phrase.Say(code, "language.name")})
	}
	return out
}

func themeOf(r *http.Request) string {
	if c, err := r.Cookie(themeCookie); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}

// zoneOf returns the time zone of the browser, "" if it is unknown.
func zoneOf(r *http.Request) string {
	if c, err := r.Cookie(zoneCookie); err == nil {
		return zoneNamed(c.Value)
	}
	return ""
}

// zoneNamed returns the name of a time zone, "" for others.
func zoneNamed(name string) string {
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return ""
	}
	return name
}

// preferences stores the person's language and theme.
func (a *Adapter) preferences(w http.ResponseWriter, r *http.Request) {
	if l, ok := phrase.Match(r.PostFormValue("lang")); ok {
		a.setCookie(w, langCookie, l, 12*sessionAge)
	}
	switch t := r.PostFormValue("theme"); t {
	case "light", "dark":
		a.setCookie(w, themeCookie, t, 12*sessionAge)
	case "auto":
		a.setCookie(w, themeCookie, "", 0)
	}
	http.Redirect(w, r, localPath(r.PostFormValue("next")), http.StatusSeeOther)
}
