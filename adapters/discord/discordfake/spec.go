package discordfake

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// spec is Discord's OpenAPI file. Its schemas are JSON Schema 2020-12.
type spec struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

const specURL = "https://discord.example/openapi.json"

// openSpec reads the file at path, or that of the nearest shared/ folder above;
// without one, and with "-", bodies are held against the hand-written rules only.
func openSpec(path string) (*spec, error) {
	switch path {
	case "":
		return foundSpec()
	case "-":
		return nil, nil
	}
	return readSpec(path)
}

// foundSpec reads the file once for all fakes of a test program: it is large.
var foundSpec = sync.OnceValues(func() (*spec, error) {
	path := findSpec()
	if path == "" {
		return nil, nil
	}
	return readSpec(path)
})

func readSpec(path string) (*spec, error) {
	raw, err := os.ReadFile(path) //nolint:gosec // G304: the path comes from the test
	if err != nil {
		return nil, fmt.Errorf("read OpenAPI file: %w", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("parse OpenAPI file: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(specURL, doc); err != nil {
		return nil, fmt.Errorf("load OpenAPI file: %w", err)
	}
	return &spec{compiler: c, schemas: map[string]*jsonschema.Schema{}}, nil
}

func findSpec() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		p := filepath.Join(dir, "shared", "discord-api-spec", "openapi.json")
		if _, err := os.Stat(p); err == nil {
			return p
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// check validates a body against the schema of its endpoint.
func (s *spec) check(method, path string, raw []byte) error {
	schema, err := s.schema(method, path)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if err := schema.Validate(v); err != nil {
		return fmt.Errorf("%s", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return nil
}

func (s *spec) schema(method, path string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := method + " " + path
	if got, ok := s.schemas[key]; ok {
		return got, nil
	}
	pointer := strings.NewReplacer("~", "~0", "/", "~1").Replace(path)
	pointer = strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer)
	got, err := s.compiler.Compile(specURL + "#/paths/" + pointer + "/" + strings.ToLower(method) + "/requestBody/content/application~1json/schema")
	if err != nil {
		return nil, fmt.Errorf("no schema for %s: %w", key, err)
	}
	s.schemas[key] = got
	return got, nil
}
