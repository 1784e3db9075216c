package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	_ "image/jpeg" // what the real endpoint takes
	_ "image/png"
	"strings"
)

// A part of a message's content, as the endpoint takes it: text, or a picture as a data URL.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL *struct {
		URL    string `json:"url"`
		Detail string `json:"detail,omitempty"`
	} `json:"image_url,omitempty"`
}

// maxPicture is the largest picture that a provider takes, in bytes before base64, and in either direction.
const (
	maxPicture     = 5 << 20
	maxPictureSide = 8000
)

// checkParts applies the endpoint's rules for a content in parts: pictures are a person's, whole, and of a known format.
func checkParts(m Message, at string) *refusal {
	dec := json.NewDecoder(bytes.NewReader(m.Content))
	dec.DisallowUnknownFields()
	var parts []part
	if dec.Decode(&parts) != nil || len(parts) == 0 {
		return refuse(at+".content", "Invalid type for 'content'")
	}
	for _, p := range parts {
		switch {
		case p.Type == "text" && p.Text != "" && p.ImageURL == nil:
		case p.Type == "image_url" && p.Text == "" && p.ImageURL != nil:
			if m.Role != "user" {
				return refuse(at+".content", "Image URLs are only allowed for messages with role 'user'")
			}
			if _, err := p.picture(); err != "" {
				return refuse(at+".content", "%s", err)
			}
		default:
			return refuse(at+".content", "Invalid value for a content part: %q", p.Type)
		}
	}
	return nil
}

// picture decodes what a part shows; fault is why the endpoint would not.
func (p part) picture() (shown Picture, fault string) {
	kind, data, ok := strings.Cut(strings.TrimPrefix(p.ImageURL.URL, "data:"), ";base64,")
	raw, err := base64.StdEncoding.DecodeString(data)
	if !ok || err != nil || kind != "image/png" && kind != "image/jpeg" {
		return Picture{}, "Invalid base64 image_url"
	}
	cfg, format, err := image.DecodeConfig(bytes.NewReader(raw))
	switch {
	case err != nil || "image/"+format != kind:
		return Picture{}, "Invalid image: the data is not what the media type says"
	case len(raw) > maxPicture || cfg.Width > maxPictureSide || cfg.Height > maxPictureSide:
		return Picture{}, "The image is too large"
	}
	return Picture{MIME: kind, Width: cfg.Width, Height: cfg.Height, Data: raw}, ""
}

// Picture is a picture that came with a message.
type Picture struct {
	MIME          string
	Width, Height int
	Data          []byte
}

// Pictures returns the pictures of a message that was taken.
func (m Message) Pictures() []Picture {
	var parts []part
	if json.Unmarshal(m.Content, &parts) != nil {
		return nil
	}
	var out []Picture
	for _, p := range parts {
		if p.ImageURL != nil {
			one, _ := p.picture()
			out = append(out, one)
		}
	}
	return out
}

// checkPictures refuses pictures for a model that sees none.
func (s *Server) checkPictures(r Request) *refusal {
	for _, m := range r.Messages {
		if s.lacks("pictures") && len(m.Pictures()) > 0 {
			return refuse("messages", "Invalid content type. image_url is only supported by certain models.")
		}
	}
	return nil
}
