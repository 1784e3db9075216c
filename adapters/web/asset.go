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

// assets are the stylesheet, the script's modules and the icon. Their URLs contain a hash of
// all of them, so that a browser may cache them forever and never mixes modules of two
// versions.
type assets struct {
	version string
	bodies  map[string][]byte
	modules []string // names of the script's modules
}

func newAssets() assets {
	a := assets{bodies: make(map[string][]byte)}
	files, err := assetFiles.ReadDir("assets") // sorted by name
	if err != nil {
		panic("web: " + err.Error())
	}
	sum := sha256.New()
	for _, f := range files {
		body, err := assetFiles.ReadFile("assets/" + f.Name())
		if err != nil {
			panic("web: " + err.Error())
		}
		a.bodies[f.Name()] = body
		_, _ = io.WriteString(sum, f.Name()) // a hash takes everything
		_, _ = sum.Write(body)
		if path.Ext(f.Name()) == ".js" {
			a.modules = append(a.modules, f.Name())
		}
	}
	a.version = hex.EncodeToString(sum.Sum(nil)[:8])
	return a
}

// address returns a file's URL.
func (a assets) address(name string) string { return "/assets/" + a.version + "/" + name }

// preloads lists the modules that a browser would otherwise discover one after another.
func (a assets) preloads() []string {
	out := make([]string, len(a.modules))
	for i, name := range a.modules {
		out[i] = a.address(name)
	}
	return slices.DeleteFunc(out, func(at string) bool { return at == a.address("app.js") }) // the page links it itself
}

// assetKinds maps file extensions to media types.
var assetKinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// asset serves a file. A page of another version, rendered by another replica during an
// update, gets this version's file, uncached.
func (a *Adapter) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	body, ok := allPages().assets.bodies[name]
	if !ok {
		a.noPage(w, r)
		return
	}
	w.Header().Set("Content-Type", assetKinds[path.Ext(name)])
	if r.PathValue("version") == allPages().assets.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(body) // the client may be gone
}
