package mcp

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/agent"
	"maru/agent/tool"
)

// maxContents bounds the parts of one result that are read.
const maxContents = 200

// maxText bounds the text of one result, in bytes.
const maxText = tool.MaxResult - 200

// parts is a result as a model reads it, and the files that people get of it.
type parts struct {
	lines   []string
	sources []tool.Source
	files   []agent.Artifact
	texts   []int // lines that are the text of a document, each below the note about its file
}

// contents reads the parts of a result. Pictures, recordings and resources become files, and so do tables and texts that are
// longer than a result may be. The model reads the text of documents. What a link points at is not fetched.
func (r *remote) contents(ctx context.Context, all []mcp.Content) parts {
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
				out.document(ctx, r, p.Resource)
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
	out.fit()
	return out
}

// inline lists the media types of texts that are not shown as files.
var inline = map[string]bool{"": true, "text/plain": true, "text/markdown": true, "application/json": true}

// text adds a text. The note about its file precedes it, because the text may be cut.
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

// document adds a resource as a file, and its text where it can be read.
func (p *parts) document(ctx context.Context, r *remote, of *mcp.ResourceContents) {
	text := ""
	if kind := base(of.MIMEType); r.server.pool.cfg.Read != nil && len(of.Blob) > 0 && len(of.Blob) <= agent.MaxArtifactBytes &&
		!strings.HasPrefix(kind, "image/") && !strings.HasPrefix(kind, "audio/") && !strings.HasPrefix(kind, "video/") {
		text, _ = r.server.pool.cfg.Read(ctx, r.fileName(of.URI, kind), of.Blob) // what cannot be read is a file all the same
	}
	if text == "" {
		p.file(r, of.URI, of.MIMEType, of.Blob)
		return
	}
	p.add(r, of.URI, of.MIMEType, of.Blob, "the person gets it; its text follows")
	p.texts = append(p.texts, len(p.lines))
	p.lines = append(p.lines, r.server.mask(clean(text))) // before it is cut: half a secret is not found
}

// leastText is the length in bytes below which a document's text is not cut, however long the rest of the result is.
const leastText = 1 << 10

// cutNote is added to the note about a document whose text is cut.
const cutNote = ", cut"

// fit cuts the texts of documents so that a long one does not displace what comes after it. They share what the rest of the
// result leaves; what a short one does not need goes to the longer ones.
func (p *parts) fit() {
	room := maxText - len(cutNote)*len(p.texts)
	for i, line := range p.lines {
		if room--; !slices.Contains(p.texts, i) {
			room -= len(line)
		}
	}
	slices.SortFunc(p.texts, func(a, b int) int { return cmp.Compare(len(p.lines[a]), len(p.lines[b])) })
	for i, at := range p.texts {
		if share := max(room/(len(p.texts)-i), leastText); len(p.lines[at]) > share {
			p.lines[at] = tool.Bound(p.lines[at], share)
			p.lines[at-1] = strings.TrimSuffix(p.lines[at-1], "]") + cutNote + "]"
		}
		room -= len(p.lines[at])
	}
}

// file adds a file, and a note about it for the model.
func (p *parts) file(r *remote, uri, kind string, data []byte) {
	p.add(r, uri, kind, data, "the person gets it, you do not see it")
}

func (p *parts) add(r *remote, uri, kind string, data []byte, end string) {
	kind = base(kind)
	name := r.fileName(uri, kind)
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
