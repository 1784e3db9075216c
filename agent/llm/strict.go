package llm

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of what [StrictJSON] accepts.
const (
	MaxJSON  = 1 << 20 // bytes
	MaxDepth = 64      // nested objects and arrays
)

// StrictJSON decodes one JSON value that a model, a person or a stranger wrote:
// names match fields exactly (encoding/json takes "ACTION" for "action"), a
// name given twice is an error (there, the last one wins), so are invalid
// UTF-8, anything after the value, and more than MaxJSON bytes or MaxDepth
// levels. Members that out does not have are ignored: a schema forbids them.
func StrictJSON(data []byte, out any) error {
	if len(data) > MaxJSON {
		return fmt.Errorf("%d bytes of JSON, at most %d are allowed", len(data), MaxJSON)
	}
	if err := checkDepth(data); err != nil {
		return err
	}
	return json.Unmarshal(data, out)
}

// checkDepth reads all tokens, which also finds everything that is not JSON.
func checkDepth(data []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for n := 0; ; n++ {
		tok, err := dec.ReadToken()
		if err != nil {
			if errors.Is(err, io.EOF) && n > 0 {
				return nil
			}
			if errors.Is(err, io.EOF) {
				return errors.New("no JSON value")
			}
			return err
		}
		if k := tok.Kind(); (k == '{' || k == '[') && dec.StackDepth() > MaxDepth {
			return fmt.Errorf("JSON nested deeper than %d levels", MaxDepth)
		}
	}
}
