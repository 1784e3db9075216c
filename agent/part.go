package agent

import "strings"

// Part is the usage of a run by one model for one purpose.
type Part struct {
	Purpose string `json:"purpose"`
	Usage
}

// maxName bounds the names of models and hosts, in bytes.
const maxName = 200

// name returns a name that others gave, as it is kept: short, and without the character that separates names.
func name(s string) string {
	return strings.ToValidUTF8(separators.Replace(s[:min(len(s), maxName)]), "")
}

var separators = strings.NewReplacer("\t", " ", "\x00", "")

// maxParts bounds the parts of a run: a gateway may answer with a new model name each time.
const maxParts = 50

// AddPart adds parts to a list, each to the one of the same model and purpose if there is one.
func AddPart(list []Part, parts ...Part) []Part {
	for _, p := range parts {
		if p.Usage != (Usage{Model: p.Model, Host: p.Host}) { // something was spent
			list = addPart(list, p)
		}
	}
	return list
}

func addPart(list []Part, p Part) []Part {
	p.Purpose, p.Model, p.Host = name(p.Purpose), name(p.Model), name(p.Host)
	for i := range list {
		if o := &list[i]; o.Purpose == p.Purpose && o.Model == p.Model && o.Host == p.Host {
			o.Add(p.Usage)
			return list
		}
	}
	if len(list) == maxParts {
		last := &list[maxParts-1]
		p.Model = ""
		last.Add(p.Usage)
		last.Purpose, last.Model, last.Host = "other", "", ""
		return list
	}
	return append(list, p)
}
