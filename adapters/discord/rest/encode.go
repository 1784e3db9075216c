package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
)

const kindJSON = "application/json"

// payload is an encoded request body.
type payload struct {
	raw  []byte
	kind string
}

// encode returns a call's body: JSON, or a multipart form with files.
func (c Call) encode() (payload, error) {
	if c.Body == nil {
		return payload{}, nil
	}
	raw, err := json.Marshal(c.Body)
	if err != nil || len(c.Files) == 0 {
		return payload{raw: raw, kind: kindJSON}, err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	head, err := w.CreateFormField("payload_json")
	if err == nil {
		_, err = head.Write(raw)
	}
	for i, f := range c.Files {
		if err != nil {
			break
		}
		to, ferr := w.CreateFormFile(fmt.Sprintf("files[%d]", i), f.Name)
		if err = ferr; err == nil {
			_, err = to.Write(f.Data)
		}
	}
	if err == nil {
		err = w.Close()
	}
	return payload{raw: b.Bytes(), kind: w.FormDataContentType()}, err
}
