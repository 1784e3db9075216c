package discordfake

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"maru/phrase/pattern"
)

// part is an uploaded file of a request.
type part struct {
	n    int
	name string
	data []byte
}

var filePart = pattern.New(`^files\[(\d)\]$`)

const (
	maxFile  = 10 << 20
	tooLarge = 40005
)

// readForm parses a multipart form: the body in payload_json, and the files.
func (q *request) readForm(boundary string) bool {
	r := multipart.NewReader(bytes.NewReader(q.raw), boundary)
	q.raw = nil
	for {
		p, err := r.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			q.invalid("form: " + err.Error())
			return false
		}
		data, err := io.ReadAll(p)
		m := filePart.FindStringSubmatch(p.FormName())
		switch {
		case err != nil:
			q.invalid("form: " + err.Error())
			return false
		case p.FormName() == "payload_json":
			q.raw = data
		case m != nil && p.FileName() != "":
			n, _ := strconv.Atoi(m[1])
			q.files = append(q.files, part{n: n, name: p.FileName(), data: data})
		default:
			q.invalid("form: a part named " + p.FormName())
			return false
		}
	}
	if q.raw == nil {
		q.invalid("a form without payload_json")
		return false
	}
	return true
}

// checkFiles compares the uploaded files with those that the body names.
func (q *request) checkFiles() bool {
	named, _ := q.body["attachments"].([]any)
	if len(named) != len(q.files) {
		q.invalid(fmt.Sprintf("%d attachments named, %d files came", len(named), len(q.files)))
		return false
	}
	for _, f := range q.files {
		if len(f.data) > maxFile {
			q.fail(http.StatusRequestEntityTooLarge, tooLarge, "Request entity too large")
			return false
		}
		ok := false
		for _, a := range named {
			m, _ := a.(map[string]any)
			id := fmt.Sprint(m["id"])
			ok = ok || id == strconv.Itoa(f.n) && m["filename"] == f.name
		}
		if !ok || strings.HasPrefix(f.name, "SPOILER_") {
			q.invalid("attachment " + f.name)
			return false
		}
	}
	return true
}

// storeFiles stores the files of a message.
func (q *request) storeFiles() []File {
	var out []File
	for _, p := range q.files {
		id := q.f.id()
		q.f.files[id] = p.data
		out = append(out, File{ID: id, Name: p.name, Size: len(p.data), URL: "http://" + q.f.addr + "/attachments/" + id + "/" + p.name})
	}
	return out
}

// FileData returns the bytes of a file that a message carries.
func (f *Fake) FileData(id string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files[id]
}
