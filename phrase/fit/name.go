package fit

import "path"

// Name clips a file name to limit characters and keeps its ending.
func Name(name string, limit int) string {
	ending := path.Ext(name)
	if len(ending) > 16 || len(ending) >= limit {
		ending = ""
	}
	if short := Clip(name, limit); short == name {
		return name
	}
	return Clip(name[:len(name)-len(ending)], limit-len(ending)) + ending
}
