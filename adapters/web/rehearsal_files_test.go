//go:build !race

package web_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"maru/adapters/web"
)

// rehearses posts the form that tries new documents, as a page without scripts does.
func (p *person) rehearses(token, name, content string) answer {
	p.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for _, f := range [][2]string{{"csrf", token}, {"rehearse", "documents"}, {"to", "public"}} {
		if err := form.WriteField(f[0], f[1]); err != nil {
			p.t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err != nil || form.Close() != nil {
		p.t.Fatal(err)
	}
	r := p.request("POST", "/rehearsals", b.String())
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Del("X-CSRF-Token")
	return p.do(r)
}

// TestFilesToRehearse: only signed-in people upload files for a rehearsal, with the token of the page and up to the size limit of uploads.
func TestFilesToRehearse(t *testing.T) {
	t.Parallel()
	s := &staffed{}
	c := startStaffed(t, s, func(c *web.Config) { c.MaxUpload = 3 << 20 })
	p := c.person(t)
	large := strings.Repeat("maru ", 1<<19) // 2.5 MiB: more than any other form may have
	if got := p.rehearses(p.token, "휴가 규정.md", large); got.status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if len(s.drafts) != 1 || len(s.drafts[0].Files) != 1 || s.drafts[0].To != "public" || s.drafts[0].Files[0].Name != "휴가 규정.md" || string(s.drafts[0].Files[0].Data) != large {
		t.Errorf("the draft is of %d files to %q", len(s.drafts[0].Files), s.drafts[0].To)
	}
	if got := p.rehearses("wrong", "a.md", "x"); got.status != http.StatusForbidden {
		t.Errorf("without the token: %d", got.status)
	}
	if got := p.rehearses(p.token, "a.md", large+large); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %d", got.status)
	}
	locked := startStaffed(t, &staffed{}, func(c *web.Config) { c.MaxUpload, c.Login = 3<<20, "a long password" })
	if got := locked.person(t).rehearses("", "a.md", large); got.status != http.StatusForbidden && got.status != http.StatusSeeOther && got.status != http.StatusUnauthorized {
		t.Errorf("without a sign-in: %d", got.status)
	}
	if n := len(s.drafts); n != 1 {
		t.Errorf("%d drafts", n)
	}
}
