package picture

import (
	"encoding/binary"
	"image"
)

// orientation reads how a camera was held from a JPEG's EXIF data: 1 is upright, 2 to 8 as the EXIF standard numbers
// turns and mirrors.
func orientation(data []byte) int {
	for at := 2; at+4 <= len(data) && data[at] == 0xFF; {
		marker, size := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xDA || size < 2 || at+2+size > len(data) { // the picture itself begins
			return 1
		}
		if body := data[at+4 : at+2+size]; marker == 0xE1 && len(body) > 14 && string(body[:6]) == "Exif\x00\x00" {
			return tagged(body[6:])
		}
		at += 2 + size
	}
	return 1
}

// tagged reads the orientation from TIFF data.
func tagged(tiff []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	if string(tiff[:2]) == "MM" {
		order = binary.BigEndian
	}
	at := int(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > len(tiff) {
		return 1
	}
	entries := int(order.Uint16(tiff[at:]))
	for i := range entries {
		e := at + 2 + 12*i
		if e+12 > len(tiff) {
			return 1
		}
		if order.Uint16(tiff[e:]) == 0x0112 {
			if v := int(order.Uint16(tiff[e+8:])); v >= 1 && v <= 8 {
				return v
			}
			return 1
		}
	}
	return 1
}

// turned returns a picture upright.
func turned(img *image.NRGBA, how int) *image.NRGBA {
	if how == 1 {
		return img
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	to := image.Rect(0, 0, w, h)
	if how >= 5 {
		to = image.Rect(0, 0, h, w)
	}
	out := image.NewNRGBA(to)
	for y := range h {
		for x := range w {
			tx, ty := x, y
			switch how {
			case 2:
				tx = w - 1 - x
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				ty = h - 1 - y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			copy(out.Pix[out.PixOffset(tx, ty):], img.Pix[img.PixOffset(x, y):img.PixOffset(x, y)+4])
		}
	}
	return out
}
