package openai

import (
	"encoding/base64"

	sdk "github.com/sashabaranov/go-openai"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// Vision says whether the endpoint's models are sent pictures.
type Vision string

// The ways of sending pictures.
const (
	VisionAuto Vision = "auto" // once to each model; one that refuses them is sent none for a day
	VisionOn   Vision = "on"   // always; a request that is refused is made again without
	VisionOff  Vision = "off"  // never
)

// start returns what a call begins with: what was learned of the model, and what the operator says of pictures.
func (v Vision) start(known quirks) quirks {
	switch v {
	case VisionOn:
		known.NoPictures = false
	case VisionOff:
		known.NoPictures = true
	}
	return known
}

// keeps reports whether a lesson is worth remembering: not one that the operator decides.
func (v Vision) keeps(what string) bool { return v != VisionOn || what != pictures.what }

var pictures = reduction{"pictures", nil,
	func(a attempt) bool { return !a.quirks.NoPictures && llm.HasPictures(a.req.Messages) },
	func(q *quirks, _ attempt) { q.NoPictures = true }}

// shows reports whether the attempt's request has pictures and sends them.
func (a attempt) shows() bool { return pictures.asked(a) }

// picturesRefused matches how servers say that a model sees none: OpenAI ("Invalid content type. image_url is only
// supported by certain models"), OpenRouter ("No endpoints found that support image input"), llama.cpp ("image input is
// not supported - hint: … mmproj"), vLLM ("… is not a multimodal model"), and those that take words alone for a content.
var picturesRefused = pattern.New(`image|vision|picture|multi-?modal|mmproj|modalit|content.{0,80}string|string.{0,80}content`)

func refusesPictures(says string) bool { return picturesRefused.MatchString(says) }

// pictureFaulty matches refusals of one picture by a model that sees.
var pictureFaulty = pattern.New(`too (?:large|big|small|many)|exceed|dimension|corrupt|truncated|damaged|malformed|invalid (?:image|base64)|` +
	`(?:could not|couldn't|cannot|can't|unable to|failed to) (?:process|decode|parse|read|load|download|open)|unsafe|moderation|safety`)

func faultsPicture(says string) bool { return pictureFaulty.MatchString(says) }

// parts returns a message's words and pictures on the wire.
func parts(text string, pictures []llm.Picture) []sdk.ChatMessagePart {
	out := []sdk.ChatMessagePart{{Type: sdk.ChatMessagePartTypeText, Text: text}}
	for _, p := range pictures {
		out = append(out, sdk.ChatMessagePart{Type: sdk.ChatMessagePartTypeImageURL, ImageURL: &sdk.ChatMessageImageURL{
			URL: "data:" + p.MIME + ";base64," + base64.StdEncoding.EncodeToString(p.Data),
		}})
	}
	return out
}
