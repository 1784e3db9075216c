package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"slices"
)

//go:embed assets/*
var assetFiles embed.FS

// assets are the stylesheet, the script's modules and the icon. They are served
// under a name for all of them together, so that a browser may keep them for good
// and never mixes modules of two versions of the program.
type assets struct {
	version string
	bodies  map[string][]byte
	modules []string // names of the script's modules
}

func newAssets() (assets, error) {
	a := assets{bodies: make(map[string][]byte)}
	files, err := assetFiles.ReadDir("assets") // sorted by name
	if err != nil {
		return a, err
	}
	sum := sha256.New()
	for _, f := range files {
		body, err := assetFiles.ReadFile("assets/" + f.Name())
		if err != nil {
			return a, err
		}
		a.bodies[f.Name()] = body
		_, _ = io.WriteString(sum, f.Name()) // a hash takes everything
		_, _ = sum.Write(body)
		if path.Ext(f.Name()) == ".js" {
			a.modules = append(a.modules, f.Name())
		}
	}
	a.version = hex.EncodeToString(sum.Sum(nil)[:8])
	return a, nil
}

// address is where a page finds a file.
func (a assets) address(name string) string { return "/assets/" + a.version + "/" + name }

// preloads are the addresses of the modules that a browser would find out about one
// after the other.
func (a assets) preloads() []string {
	out := make([]string, len(a.modules))
	for i, name := range a.modules {
		out[i] = a.address(name)
	}
	return slices.DeleteFunc(out, func(at string) bool { return at == a.address("app.js") }) // the page names it itself
}

// assetKinds are the media types of the files, by their ending.
var assetKinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// asset serves a file. A page of another version, which another replica made while
// the program is being updated, is given this one's, and keeps it for that once.
func (a *Adapter) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	body, ok := a.pages.assets.bodies[name]
	if !ok {
		a.noPage(w, r)
		return
	}
	w.Header().Set("Content-Type", assetKinds[path.Ext(name)])
	if r.PathValue("version") == a.pages.assets.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(body) // who went away does not miss it
}
