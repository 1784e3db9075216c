package slackfake

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

// upload is a file being uploaded: Slack has returned its upload address.
type upload struct {
	file   *File
	length int
	came   bool // the bytes have
	shared bool
}

func (s *Server) uploadURL(a args) (map[string]any, string) {
	n, err := strconv.Atoi(a["length"])
	if err != nil || n < 1 {
		return nil, "invalid_arguments: length must be a positive number"
	}
	id := s.id("F")
	kind := first(mime.TypeByExtension(path.Ext(a["filename"])), "application/octet-stream")
	s.uploads[id] = &upload{file: &File{ID: id, Name: a["filename"], MIME: kind}, length: n}
	return map[string]any{"upload_url": s.base + "/upload/v1/" + id, "file_id": id}, ""
}

// serveUpload receives a file's bytes, raw or in a form.
func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(r.URL.Path, "/upload/v1/")
	var body io.Reader = r.Body
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && kind == "multipart/form-data" {
		form, err := r.MultipartReader()
		if err == nil {
			body, err = form.NextPart()
		}
		if err != nil {
			http.Error(w, "bad form", http.StatusBadRequest)
			return
		}
	}
	data, err := io.ReadAll(io.LimitReader(body, 64<<20))
	s.mu.Lock()
	f := s.fault("upload", "")
	s.mu.Unlock()
	s.wait(r.Context(), f)
	s.mu.Lock()
	defer s.mu.Unlock()
	u, status := s.uploads[id], http.StatusOK
	switch {
	case f != nil && f.Status != 0:
		status = f.Status
	case err != nil || r.Method != http.MethodPost:
		status = http.StatusBadRequest
	case u == nil || u.shared:
		status = http.StatusNotFound
	case len(data) != u.length:
		status = http.StatusBadRequest
	default:
		u.file.Data, u.came = data, true
	}
	s.record(Call{Method: "upload", Args: args{"file": id, "bytes": strconv.Itoa(len(data))}, Status: status, At: s.opt.Now()})
	if status != http.StatusOK {
		http.Error(w, "not taken", status)
		return
	}
	_, _ = io.WriteString(w, "OK - "+strconv.Itoa(len(data)))
}

// uploadDone shares uploaded files as one message.
func (s *Server) uploadDone(a args) (map[string]any, string) {
	var list []struct{ ID, Title string }
	if json.Unmarshal([]byte(a["files"]), &list) != nil || len(list) == 0 || len(list) > 10 {
		return nil, "invalid_arguments: files"
	}
	var ids []string
	var out []any
	for _, f := range list {
		u := s.uploads[f.ID]
		switch {
		case u == nil:
			return nil, "file_not_found"
		case !u.came:
			return nil, "file_upload_size_restricted" // as if the bytes had never arrived
		case u.shared || slices.Contains(ids, f.ID):
			return nil, "file_already_shared"
		}
		ids = append(ids, f.ID)
		out = append(out, map[string]any{"id": f.ID, "title": f.Title})
	}
	if a["channel_id"] == "" {
		return nil, "invalid_arguments: a file that is shared nowhere"
	}
	ch, code := s.place(a["channel_id"])
	if code != "" {
		return nil, code
	}
	if th := a["thread_ts"]; th != "" {
		if root := s.message(ch.ID, th); root == nil || root.Thread != "" && root.Thread != root.TS {
			return nil, "invalid_thread_ts"
		}
	}
	m := &Message{TS: s.ts(), Thread: a["thread_ts"], User: "UBOT", BotID: "BMARU", Subtype: "file_share", Text: a["initial_comment"], Files: ids}
	for _, id := range ids {
		u := s.uploads[id]
		u.shared, s.files[id] = true, u.file
	}
	ch.messages = append(ch.messages, m)
	if !s.opt.NoEcho {
		ev := s.json(m, false)
		ev["channel"], ev["event_ts"], ev["channel_type"] = ch.ID, m.TS, channelType(ch.ID)
		s.emitEvent(ev)
	}
	return map[string]any{"files": out}, ""
}

// fileDelete removes a file from the workspace and from the messages that share it.
func (s *Server) fileDelete(a args) (map[string]any, string) {
	id := a["file"]
	if s.files[id] == nil {
		return nil, "file_not_found"
	}
	delete(s.files, id)
	for _, ch := range s.channels {
		for _, m := range ch.messages {
			m.Files = slices.DeleteFunc(m.Files, func(f string) bool { return f == id })
		}
	}
	return map[string]any{}, ""
}

// Uploaded returns the files of a message, with their bytes.
func (s *Server) Uploaded(m Message) []File {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []File
	for _, id := range m.Files {
		out = append(out, *s.files[id])
	}
	return out
}
