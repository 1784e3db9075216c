// Package picture prepares posted pictures for a model: decoded within limits, upright, scaled down, and encoded
// again, so that no metadata, such as a photo's location, leaves the platform. It knows no platform and no model.
package picture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // the first frame of an animation
	"image/jpeg"
	"image/png"

	_ "golang.org/x/image/bmp" // formats that models reject, converted to others
	"golang.org/x/image/draw"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"maru/agent"
)

// Limits of a picture.
const (
	maxPixels = 50_000_000 // that are decoded
	maxMemory = 192 << 20  // bytes of a decoded picture
	maxSide   = 2048       // pixels sent to a model: all providers scale larger ones down
	maxBytes  = 4 << 20    // bytes sent to a model, before base64
)

// Errors of [Fit].
var (
	ErrUnknown = errors.New("picture: unknown format")
	ErrBroken  = errors.New("picture: the file is broken")
)

// HugeError is the error of [Fit] for a picture with too many pixels.
type HugeError struct {
	Pixels int   // limit for its format; 0 if its memory, not its size, is too large
	Err    error // nil: rejected before decoding
}

// Error implements error.
func (e *HugeError) Error() string {
	if e.Pixels == 0 {
		return "picture: it takes too much memory"
	}
	return fmt.Sprintf("picture: more than %d pixels", e.Pixels)
}

// Unwrap returns the cause.
func (e *HugeError) Unwrap() error { return e.Err }

// Reader decodes a picture as [Fit] does.
type Reader func(ctx context.Context, name string, data []byte) (agent.Picture, error)

// Here is a Reader that decodes in this process, with only the memory limits of [Fit].
func Here(_ context.Context, name string, data []byte) (agent.Picture, error) { return Fit(name, data) }

// Fit reads a picture and returns it as a model gets it.
func Fit(name string, data []byte) (agent.Picture, error) {
	cfg, format, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case errors.Is(err, image.ErrFormat):
		return agent.Picture{}, ErrUnknown
	case err != nil:
		return agent.Picture{}, fmt.Errorf("%w: %w", ErrBroken, err)
	case cfg.Width <= 0 || cfg.Height <= 0:
		return agent.Picture{}, ErrBroken
	}
	if most := min(maxPixels, int(maxMemory/cost(cfg, format, data))); cfg.Width > most/cfg.Height {
		return agent.Picture{}, &HugeError{Pixels: most}
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return agent.Picture{}, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	turn := 1
	if format == "jpeg" {
		turn = orientation(data)
	}
	out, kind, err := written(turned(scaled(img, maxSide), turn), format)
	if err != nil {
		return agent.Picture{}, err
	}
	return agent.Picture{Name: name, MIME: kind, Digest: Digest(out), Data: out}, nil
}

// Digest identifies the bytes of a picture.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// scaled returns img with no side longer than most.
func scaled(img image.Image, most int) *image.NRGBA {
	from := img.Bounds()
	w, h := from.Dx(), from.Dy()
	if long := max(w, h); long > most {
		w, h = max(w*most/long, 1), max(h*most/long, 1)
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(out, out.Bounds(), img, from, draw.Src, nil)
	return out
}

// written encodes a picture: as PNG if that is small, as for screenshots and drawings, otherwise as JPEG on white.
func written(img *image.NRGBA, format string) (data []byte, kind string, err error) {
	var b bytes.Buffer
	if format != "jpeg" {
		if err := png.Encode(&b, img); err != nil {
			return nil, "", fmt.Errorf("encode picture: %w", err)
		}
		if b.Len() <= maxBytes/2 {
			return b.Bytes(), "image/png", nil
		}
	}
	flat := image.NewRGBA(img.Bounds())
	draw.Draw(flat, flat.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), img, image.Point{}, draw.Over)
	for quality := 88; ; quality -= 20 { // at 28 no picture of this size is larger than 4 MB
		b.Reset()
		if err := jpeg.Encode(&b, flat, &jpeg.Options{Quality: quality}); err != nil {
			return nil, "", fmt.Errorf("encode picture: %w", err)
		}
		if b.Len() <= maxBytes || quality <= 28 {
			return b.Bytes(), "image/jpeg", nil
		}
	}
}
