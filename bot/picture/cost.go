package picture

import (
	"encoding/binary"
	"image"
	"image/color"
)

// cost returns the memory per pixel during decoding, in bytes.
func cost(cfg image.Config, format string, data []byte) float64 {
	if format == "jpeg" {
		return costJPEG(data)
	}
	if _, ok := cfg.ColorModel.(color.Palette); ok {
		return 1
	}
	switch cfg.ColorModel {
	case color.GrayModel, color.AlphaModel:
		return 1
	case color.Gray16Model, color.Alpha16Model:
		return 2
	case color.YCbCrModel:
		return 3
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	return 4
}

// costJPEG reads the cost from the frame header: chroma may have fewer samples than luma, and of a progressive picture
// the coefficients are held as well, four bytes each.
func costJPEG(data []byte) float64 {
	const most = 4 * 5
	for at := 2; at+4 <= len(data) && data[at] == 0xFF; {
		marker, size := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xFF { // padding
			at++
			continue
		}
		if size < 2 || at+2+size > len(data) || marker == 0xDA {
			return most
		}
		if body := data[at+4 : at+2+size]; marker >= 0xC0 && marker <= 0xC2 {
			n := 0
			if len(body) > 5 {
				n = int(body[5])
			}
			if n == 0 || n > 4 || len(body) < 6+3*n {
				return most
			}
			samples, h, v := 0, 1, 1
			for i := range n {
				x, y := int(body[7+3*i]>>4), int(body[7+3*i]&15)
				samples, h, v = samples+x*y, max(h, x), max(v, y)
			}
			each := max(float64(samples)/float64(h*v), 1)
			if n == 4 {
				each += 4 // turned into CMYK
			}
			if marker == 0xC2 {
				each *= 5
			}
			return each
		}
		at += 2 + size
	}
	return most
}
