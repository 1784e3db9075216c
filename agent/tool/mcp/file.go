package mcp

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/agent"
	"maru/agent/tool"
)

// maxContents bounds the parts of one result that are read.
const maxContents = 200

// parts is a result as a model reads it, and the files that people get of it.
type parts struct {
	lines   []string
	sources []tool.Source
	files   []agent.Artifact
}

// contents reads the parts of a result. Pictures, recordings and resources become files, and so do tables and texts that are
// longer than a result may be. What a link points at is not fetched.
func (r *remote) contents(all []mcp.Content) parts {
	var out parts
	for _, part := range all[:min(len(all), maxContents)] {
		switch p := part.(type) {
		case *mcp.TextContent:
			out.text(r, "", "", p.Text)
		case *mcp.ImageContent:
			out.file(r, "", p.MIMEType, p.Data)
		case *mcp.AudioContent:
			out.file(r, "", p.MIMEType, p.Data)
		case *mcp.EmbeddedResource:
			switch {
			case p.Resource == nil:
			case p.Resource.Text != "":
				out.text(r, p.Resource.URI, p.Resource.MIMEType, p.Resource.Text)
			default:
				out.file(r, p.Resource.URI, p.Resource.MIMEType, p.Resource.Blob)
			}
		case *mcp.ResourceLink:
			out.lines = append(out.lines, fmt.Sprintf("[link: %.200s %.500s]", p.Name, p.URI))
			if s, ok := linked(p); ok {
				out.sources = append(out.sources, s)
			}
		}
	}
	if len(all) > maxContents {
		out.lines = append(out.lines, fmt.Sprintf("[… %d more parts were left out]", len(all)-maxContents))
	}
	return out
}

// inline lists the media types of texts that are no files of their own.
var inline = map[string]bool{"": true, "text/plain": true, "text/markdown": true, "application/json": true}

// text adds a text. The note about its file stands above it: the text may be cut.
func (p *parts) text(r *remote, uri, kind, text string) {
	if !inline[base(kind)] || len(text) > tool.MaxResult {
		data := []byte(text)
		if len(text) <= agent.MaxArtifactBytes { // a larger one is only named
			data = []byte(r.server.mask(clean(text)) + "\n")
		}
		p.file(r, uri, cmp.Or(kind, "text/plain"), data)
	}
	p.lines = append(p.lines, text)
}

// file adds a file, and a note about it for the model.
func (p *parts) file(r *remote, uri, kind string, data []byte) {
	kind = base(kind)
	name := r.fileName(uri, kind)
	end := "the person gets it, you do not see it"
	switch {
	case len(data) == 0:
		end = "empty, so nobody gets it"
	case len(data) > agent.MaxArtifactBytes:
		end = "too large, so nobody gets it"
	}
	p.lines = append(p.lines, fmt.Sprintf("[file %.80s, %.40s, %d bytes: %s]", name, kind, len(data), end))
	p.files = append(p.files, agent.Artifact{Name: name, MIME: kind, Data: data})
}

// base returns a media type without its parameters.
func base(kind string) string {
	kind, _, _ = strings.Cut(kind, ";")
	return strings.ToLower(clean(kind))
}

// fileName names a file after the last part of its address, else after the tool. The bot makes it safe for platforms.
func (r *remote) fileName(uri, kind string) string {
	name := ""
	if u, err := url.Parse(uri); err == nil && u.Scheme != "data" {
		name = strings.Trim(path.Base("/"+cmp.Or(u.Path, u.Opaque)), "/.")
	}
	name = strings.Join(strings.Fields(r.server.mask(clean(cmp.Or(name, r.offer.remote)))), " ")
	if path.Ext(name) == "" {
		name += extension(kind)
	}
	return name
}

// extensions are the usual endings of files whose media type does not name them.
var extensions = map[string]string{
	"image/jpeg": ".jpg", "image/svg+xml": ".svg", "audio/mpeg": ".mp3", "audio/mp4": ".m4a", "audio/x-wav": ".wav",
	"text/plain": ".txt", "text/markdown": ".md", "text/tab-separated-values": ".tsv",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   ".docx",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         ".xlsx",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
}

// extension returns the usual ending of files of a media type.
func extension(kind string) string {
	if known := extensions[kind]; known != "" {
		return known
	}
	if _, sub, ok := strings.Cut(kind, "/"); ok && len(sub) <= 5 && !strings.ContainsAny(sub, "+.-") {
		return "." + sub
	}
	return ".bin"
}
