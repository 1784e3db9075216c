package linked

import (
	"bytes"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"maru/phrase/pattern"
)

const (
	maxSignIn  = 1500 // letters of a page that is nothing but a form to sign in
	maxScanned = 2 << 20
)

// signIn matches hosts and paths where people sign in.
var (
	signInHost = pattern.New(`(?i)^(?:accounts\.google\.com|login\.microsoftonline\.com|login\.live\.com|id\.atlassian\.com|nid\.naver\.com|accounts\.kakao\.com|(?:login|signin|sso|auth|idp)\..+|.+\.okta\.com)$`)
	signInPath = pattern.New(`(?i)/(?:login|log-in|signin|sign-in|sign_in|sso|saml2?|oauth2?|authenticate|wp-login\.php)(?:[/.?]|$)`)
)

// signsIn reports whether an address is one where people sign in.
func signsIn(u *url.URL) bool {
	return signInHost.MatchString(u.Hostname()) || signInPath.MatchString(u.Path)
}

// looks is the result of a pass over a page's tags.
type looks struct {
	letters  int  // of its text
	password bool // it asks for a password
}

// look scans a page's tags without building a tree.
func look(data []byte) (l looks) {
	z := html.NewTokenizer(bytes.NewReader(data[:min(len(data), maxScanned)]))
	silent := atom.Atom(0) // the element within which no text is shown
	for {
		switch z.Next() {
		case html.ErrorToken:
			return l
		case html.TextToken:
			if silent == 0 {
				for _, r := range string(z.Text()) {
					if unicode.IsLetter(r) || unicode.IsDigit(r) {
						l.letters++
					}
				}
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			switch t := z.Token(); t.DataAtom {
			case atom.Script, atom.Style, atom.Noscript, atom.Title, atom.Template:
				if silent == 0 && t.Type == html.StartTagToken {
					silent = t.DataAtom
				}
			case atom.Input:
				for _, a := range t.Attr {
					l.password = l.password || a.Key == "type" && strings.EqualFold(a.Val, "password")
				}
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); atom.Lookup(name) == silent {
				silent = 0
			}
		}
	}
}

// pageRefusal returns the error for people of a page without content.
func pageRefusal(l looks, at, lang string) error {
	switch {
	case l.password && l.letters <= maxSignIn:
		return refuse(lang, "linked.login", nil, at)
	case l.letters == 0:
		return refuse(lang, "linked.no_text", nil, at)
	}
	return nil
}
