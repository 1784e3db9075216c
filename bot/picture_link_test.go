package bot_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"maru/bot/linked"
	"maru/bot/service"
)

// TestPicturesBehindLinks: a model that sees gets the picture that the words ask about, as an outsider's; one that cannot be
// opened is told of, and counts like the others.
func TestPicturesBehindLinks(t *testing.T) {
	t.Parallel()
	whole := pngBytes(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		switch r.URL.Path {
		case "/bomb.png":
			_, _ = w.Write(huge())
		case "/broken.png":
			_, _ = w.Write(whole[:20])
		default:
			_, _ = w.Write(whole)
		}
	}))
	t.Cleanup(site.Close)
	for name, c := range map[string]struct {
		text     string
		files    int
		pictures []string
		want     string
	}{
		"what_it_shows": {"what does LINK/shot.png show?", 0, []string{"shot.png"}, "echo: what does"},
		"korean":        {"LINK/shot.png 설명해 줘", 0, []string{"shot.png"}, "설명해 줘"},
		"alone":         {"LINK/shot.png", 0, []string{"shot.png"}, "What does this picture show?"},
		"a_bomb":        {"compare LINK/shot.png with LINK/bomb.png", 0, []string{"shot.png"}, "bomb.png is too large to open"},
		"broken":        {"compare LINK/shot.png with LINK/broken.png", 0, []string{"shot.png"}, "broken.png"},
		"one_too_many":  {"compare them with LINK/shot.png", 5, []string{"f.png", "f.png", "f.png", "f.png", "f.png"}, "up to 5 pictures"},
		"not_asked_for": {"our logo is at LINK/shot.png, who made it?", 0, nil, "echo:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			w.stop()
			w.change = func(cfg *service.Config) {
				cfg.Sees = true
				cfg.Links = &linked.Config{Client: site.Client(), Private: func(error) bool { return false }, Agent: "Maru/test", Synced: func(string) bool { return false }}
			}
			w.start()
			m := w.platform.Message("U1", strings.ReplaceAll(c.text, "LINK", site.URL), w.platform.Thread("C1", "root"))
			for range c.files {
				m.Files = append(m.Files, w.platform.PutFile("f.png", whole))
			}
			w.deliver(m)
			if text := w.replies(m.Thread, 1)[0].Card.Text; !strings.Contains(text, c.want) {
				t.Errorf("reply %q", text)
			}
			asked := w.agent.asked()
			if len(asked) != 1 {
				t.Fatalf("%d runs", len(asked))
			}
			var names []string
			for _, p := range asked[0].Pictures {
				names = append(names, p.Name)
			}
			if !slices.Equal(names, c.pictures) || asked[0].Outsiders != (c.pictures != nil) || len(asked[0].Files) > 0 {
				t.Errorf("the agent sees %q, outsiders' words: %v, files %v", names, asked[0].Outsiders, asked[0].Files)
			}
		})
	}
}
