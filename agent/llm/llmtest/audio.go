package llmtest

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
)

// Recording is a recording as it came over the wire.
type Recording struct {
	Name  string // of the file in the form
	Model string
	Data  []byte
}

// Hearing says what is said in a recording; a fault is answered instead of words.
type Hearing func(r Recording) (words string, fault *Fault)

// maxRecording is the endpoint's own limit.
const maxRecording = 25 << 20

// transcribe answers a form as strictly as the real endpoint: one file of a format that it knows by its name, a model,
// no field that it does not know and none twice.
func (s *Server) transcribe(w http.ResponseWriter, r *http.Request, e *Entry) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		s.refuse(w, e, http.StatusBadRequest, refuse("", "Expected a multipart/form-data request"))
		return
	}
	var rec Recording
	fields := map[string]string{}
	form := multipart.NewReader(bytes.NewReader(e.Body), params["boundary"])
	for {
		part, err := form.NextPart()
		if err == io.EOF { //nolint:errorlint // the form's end is EOF itself
			break
		}
		if err != nil {
			s.refuse(w, e, http.StatusBadRequest, refuse("", "Could not parse multipart form: %v", err))
			return
		}
		data, _ := io.ReadAll(part)
		name := part.FormName()
		if _, twice := fields[name]; twice || !slices.Contains([]string{"file", "model", "response_format", "language", "prompt", "temperature"}, name) {
			s.refuse(w, e, http.StatusBadRequest, refuse(name, "Unknown or repeated field: %s", name))
			return
		}
		if fields[name] = string(data); name == "file" {
			rec.Name, rec.Data = part.FileName(), data
		}
	}
	rec.Model = fields["model"]
	switch {
	case rec.Model == "":
		s.refuse(w, e, http.StatusBadRequest, refuse("model", "you must provide a model parameter"))
	case len(rec.Data) == 0:
		s.refuse(w, e, http.StatusBadRequest, refuse("file", "Audio file is too short or empty"))
	case len(rec.Data) > maxRecording:
		s.refuse(w, e, http.StatusRequestEntityTooLarge, refuse("file", "Maximum content size limit (26214400) exceeded"))
	case !slices.Contains([]string{".flac", ".m4a", ".mp3", ".mp4", ".mpeg", ".mpga", ".oga", ".ogg", ".wav", ".webm"}, path.Ext(rec.Name)):
		s.refuse(w, e, http.StatusBadRequest, refuse("file", "Invalid file format. Supported formats: ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']"))
	case fields["response_format"] != "" && fields["response_format"] != "json":
		s.refuse(w, e, http.StatusBadRequest, refuse("response_format", "response_format '%s' is not compatible with this model", fields["response_format"]))
	default:
		words, fault := s.cfg.Hear(rec)
		if fault != nil {
			e.Status = fault.Status
			s.write(*e)
			s.failBy(w, *fault)
			return
		}
		s.write(*e)
		reply(w, map[string]any{"text": words})
	}
}
