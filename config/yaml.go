package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"maru/config/network"
)

// maxFile bounds the YAML file in bytes.
const maxFile = 1 << 20

// file reads the YAML file into a layer. It is walked as a tree rather than
// decoded into a struct, so that every fault of the file is found at once, each
// with its line.
func (l *loader) file(at raw) layer {
	found := layer{}
	data, err := l.src.Read(at.value)
	if err != nil {
		l.fault(configVar, at.from, "names a file that cannot be read ("+reason(err)+")", "check the path and who may read it")
		return found
	}
	if len(data) > maxFile {
		l.fault(configVar, at.from, "names a file of more than 1 MiB", "name a file of settings")
		return found
	}
	w := &walker{loader: l, name: filepath.Base(at.value), found: found, keys: keyVariables()}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return found // an empty file
	case err != nil:
		l.fault(configVar, at.from, "names a file that is not YAML ("+syntax(err)+")", "correct it")
		return found
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		l.fault(configVar, at.from, "names a file with more than one document", "keep one, without a second ---")
	}
	w.walk("", doc.Content[0], 0)
	return found
}

// syntax keeps the line of a YAML error and drops its quotations of the file.
func syntax(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	where, _, ok := strings.Cut(text, ":")
	if ok && strings.HasPrefix(where, "line ") {
		return where
	}
	return "broken syntax"
}

// keyVariables maps YAML keys to variables.
func keyVariables() map[string]string {
	keys := map[string]string{}
	for _, s := range all() {
		keys[s.Key] = s.Var
		if s.Secret {
			keys[s.Key+"_file"] = s.Var + "_FILE"
		}
	}
	return keys
}

// walker turns a YAML tree into a layer.
type walker struct {
	*loader
	name  string // of the file
	found layer
	keys  map[string]string
}

// at names a place in the file.
func (w *walker) at(n *yaml.Node) string { return fmt.Sprintf("%s:%d", w.name, n.Line) }

// walk visits the mapping under a dotted key.
func (w *walker) walk(key string, n *yaml.Node, depth int) {
	n = resolveAlias(n)
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return // a heading with everything under it commented out
	}
	if n.Kind != yaml.MappingNode || depth > 4 {
		what := cmp.Or(key, configVar)
		w.fault(what, w.at(n), "is not a group of settings", "write its settings below it, indented, as key: value")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		full := strings.TrimPrefix(key+"."+name.Value, ".")
		if seen[name.Value] {
			w.fault(full, w.at(name), "is given twice", "give it once")
			continue
		}
		seen[name.Value] = true
		w.visit(full, name, value, depth)
	}
}

// visit handles one key of a mapping.
func (w *walker) visit(full string, name, value *yaml.Node, depth int) {
	if full == mcpKey {
		w.servers(resolveAlias(value))
		return
	}
	if full == sourcesKey {
		w.sources(resolveAlias(value))
		return
	}
	if full == tokensKey {
		w.tokens(resolveAlias(value))
		return
	}
	if full == modelsKey {
		w.models(resolveAlias(value))
		return
	}
	if variable, ok := w.keys[full]; ok {
		text, expected := scalar(variable, resolveAlias(value))
		if expected != "" {
			w.fault(full, w.at(value), "is a list or a group", "write "+expected)
		} else if strings.TrimSpace(text) != "" {
			if _, twice := w.found[variable]; twice { // under models
				w.fault(full, w.at(name), "is given under "+modelsKey+", too", "give it once")
				return
			}
			w.found[variable] = raw{text, w.at(name)}
		}
		return
	}
	known := append(slices.Sorted(maps.Keys(w.keys)), mcpKey, sourcesKey, tokensKey, modelsKey)
	if slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, full+".") }) {
		w.walk(full, value, depth+1)
		return
	}
	w.fault(quoteKey(full), w.at(name), "is unknown", guess(full, known))
}

// quoteKey shows a key of the file, which may be anything.
func quoteKey(key string) string { return strings.Trim(quote(key), `"`) }

// guess returns the key that was probably meant.
func guess(full string, known []string) string {
	if near, ok := nearest(full, known, 2); ok {
		return "did you mean " + near + "?"
	}
	for _, s := range all() { // the variable's name instead of the key
		if strings.EqualFold(full, s.Var) {
			return "in the file it is called " + s.Key
		}
	}
	_, last, _ := cutLast(full, ".")
	last = cmp.Or(last, full)
	for _, k := range known {
		if _, tail, _ := cutLast(k, "."); tail == last {
			return "did you mean " + k + "?"
		}
	}
	var groups []string
	for _, k := range known {
		group, _, _ := strings.Cut(k, ".")
		groups = append(groups, group)
	}
	if near, ok := nearest(full, slices.Compact(groups), 2); ok {
		return "did you mean " + near + "?"
	}
	return "take it away, or see --help for the keys there are"
}

func resolveAlias(n *yaml.Node) *yaml.Node {
	for range 8 {
		if n.Kind != yaml.AliasNode {
			break
		}
		n = n.Alias
	}
	return n
}

// scalar renders a value of the file as one would write it in a variable, so
// that one parser serves all sources. expected is set when it cannot be.
func scalar(variable string, n *yaml.Node) (text, expected string) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return "", ""
		}
		return n.Value, ""
	case yaml.SequenceNode:
		return scalars(variable, n)
	case yaml.MappingNode:
		if variable == "MODEL_PRICES" {
			return prices(n)
		}
	}
	return "", "one value"
}

// scalars joins a list for the settings that are lists.
func scalars(variable string, n *yaml.Node) (text, expected string) {
	if !isList(variable) {
		return "", "one value"
	}
	var parts []string
	for _, entry := range n.Content {
		if entry = resolveAlias(entry); entry.Kind != yaml.ScalarNode || strings.Contains(entry.Value, ",") {
			return "", "a list of plain values"
		}
		parts = append(parts, entry.Value)
	}
	return strings.Join(parts, ","), ""
}

func isList(variable string) bool {
	for _, s := range all() {
		if s.Var == variable {
			switch s.into(new(Config)).(type) {
			case *[]string, *network.Set:
				return true
			}
			return false
		}
	}
	return false
}

// prices renders {model: {input: 1, output: 2, cached: 0.5}}.
func prices(n *yaml.Node) (text, expected string) {
	const shape = "model: {input: 0.4, output: 1.6, cached: 0.1}"
	var entries []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		value := resolveAlias(n.Content[i+1])
		var p struct{ Input, Output, Cached *float64 }
		data, err := yaml.Marshal(value)
		if err != nil || value.Kind != yaml.MappingNode {
			return "", shape
		}
		strict := yaml.NewDecoder(bytes.NewReader(data))
		strict.KnownFields(true)
		if strict.Decode(&p) != nil || p.Input == nil || p.Output == nil {
			return "", shape
		}
		entry := fmt.Sprintf("%s=%v/%v", n.Content[i].Value, *p.Input, *p.Output)
		if p.Cached != nil {
			entry += fmt.Sprintf("/%v", *p.Cached)
		}
		entries = append(entries, entry)
	}
	return strings.Join(entries, ","), ""
}
