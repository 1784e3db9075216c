package link_test

import (
	"strings"
	"testing"

	"maru/phrase/link"
)

func TestWhereLinksMayLead(t *testing.T) {
	t.Parallel()
	for raw, host := range map[string]string{
		"https://example.com/a?b=c#d":       "example.com",
		"  HTTP://EXAMPLE.com  ":            "example.com",
		"https://аpple.com/":                "xn--pple-43d.com",
		"https://xn--pple-43d.com/":         "xn--pple-43d.com",
		"https://한글.kr/길":                   "xn--bj0bj06e.kr",
		"http://build_server.corp:8080/x":   "build_server.corp",
		"http://[2001:db8::1]/":             "2001:db8::1",
		"mailto:me@example.com":             "me@example.com",
		"":                                  "",
		"example.com":                       "",
		"//example.com":                     "",
		"https://":                          "",
		"https://bank.com@evil.example/":    "",
		"https://user:pw@example.com/":      "",
		"https://exa\u200bmple.com/":        "",
		"https://example.com/a b":           "",
		"https://example.com/\u202egpj.exe": "",
		"mailto:":                           "",
		"javascript:alert(1)":               "",
		"java\nscript:alert(1)":             "",
		"data:text/html,x":                  "",
		"file:///etc/passwd":                "",
		"ftp://example.com/":                "",
	} {
		a, ok := link.Parse(raw)
		if ok != (host != "") || ok && a.Host != host {
			t.Errorf("Parse(%q) = %q, %t; want %q", raw, a.Host, ok, host)
		}
	}
}

func TestNoteSaysWhatTheLabelDoesNot(t *testing.T) {
	t.Parallel()
	const host = "xn--pple-43d.com"
	for label, want := range map[string]string{
		"apple": host, "https://apple.com": host, "apple.com": host, "see " + host: host,
		host: "", "https://аpple.com/": "", "https://" + host + "/elsewhere": "", "apple (" + host + ")": "",
		"https://" + host + " at https://apple.com": host,
	} {
		a, ok := link.Parse("https://аpple.com/")
		if got := a.Note(label); !ok || got != want {
			t.Errorf("Note(%q) = %q, want %q", label, got, want)
		}
	}
	mail, _ := link.Parse("mailto:me@example.com")
	for label, want := range map[string]string{"write to us": "me@example.com", "me@example.com": "", "mailto:me@example.com": ""} {
		if got := mail.Note(label); got != want {
			t.Errorf("Note(%q) of mail = %q, want %q", label, got, want)
		}
	}
}

// FuzzParse holds whatever is let through against what a reader of the result does
// with it: nothing ends the address early, and the host is what is in it.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"https://example.com/a(b)[c]*~`<>|\"", "mailto:a@b", "https://evil.example\\@bank.com", "http://[::1]:80/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		a, ok := link.Parse(raw)
		if !ok {
			return
		}
		if md := a.Markdown(); strings.ContainsAny(md, "<>|()\"\\`[]*~ \n\t") {
			t.Errorf("%q is %q in Markdown", raw, md)
		}
		if strings.IndexFunc(a.Host, func(r rune) bool { return r > 127 }) >= 0 && !a.Mail {
			t.Errorf("%q: the host %q is not ASCII", raw, a.Host)
		}
		if again, ok := link.Parse(a.Canonical()); !ok || again.Host != a.Host {
			t.Errorf("%q leads to %q, its canonical form %q to %q", raw, a.Host, a.Canonical(), again.Host)
		}
	})
}
