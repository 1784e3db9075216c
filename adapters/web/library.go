package web

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"maru/adapters/lanes/body"
	"maru/bot"
	"maru/bot/cited"
	"maru/phrase/fit"
)

// uploadTime bounds a whole upload: the largest document over a slow line, and its parsing.
const uploadTime = 10 * time.Minute

func (d *door) apiDocuments(w http.ResponseWriter, r *http.Request) {
	docs, err := d.documents(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if docs == nil {
		docs = []bot.DocumentInfo{}
	}
	reply(w, http.StatusOK, map[string]any{"documents": docs})
}

func (d *door) documents(r *http.Request) ([]bot.DocumentInfo, error) {
	t, err := d.placeOf(r)
	if err != nil {
		return nil, err
	}
	docs, err := d.desk.Documents(r.Context(), t, visitOf(r).user())
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	return docs, nil
}

// apiUpload adds a document: the part "file" of a multipart body, or the body itself with its
// name in the query. It is streamed.
func (d *door) apiUpload(w http.ResponseWriter, r *http.Request) {
	t, err := d.placeOf(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if sizeHint(r) > d.cfg.MaxUpload { // a page that announces the size sends no content
		d.failUpload(w, r, nameHint(r), bot.ErrTooLarge)
		return
	}
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(uploadTime))  // not supported by a recorder in tests
	_ = c.SetWriteDeadline(time.Now().Add(uploadTime)) // likewise
	if r.ContentLength > d.cfg.MaxUpload+maxBody {
		// The client reads the answer only after sending: drain up to a limit.
		_, _ = io.CopyN(io.Discard, r.Body, 2*(d.cfg.MaxUpload+maxBody))
		w.Header().Set("Connection", "close")
		d.failUpload(w, r, nameHint(r), bot.ErrTooLarge)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, d.cfg.MaxUpload+maxBody)
	up, err := upload(r)
	if err != nil {
		d.failUpload(w, r, nameHint(r), err)
		return
	}
	body := body.New(up.Body, d.cfg.MaxUpload)
	up.Thread, up.User, up.Tags, up.Body = t, visitOf(r).user(), tagsOf(r), body
	if d.shows(t, up) {
		d.hold(w, r, t, up)
		return
	}
	info, err := d.desk.Ingest(r.Context(), up)
	switch {
	case body.Over(): // takes precedence over the bot's error for the truncated end
		d.failUpload(w, r, up.Name, bot.ErrTooLarge)
	case err != nil:
		d.failUpload(w, r, up.Name, err)
	default:
		d.noteUpload(r, up.Name, "")
		if t.ID != "" {
			d.hub.put(t, item{ID: "d" + d.newID(), Note: &note{Document: info}, At: d.cfg.Now()})
		}
		reply(w, http.StatusCreated, info)
	}
}

// failUpload reports a rejected file, in the answer and on the page of documents.
func (d *door) failUpload(w http.ResponseWriter, r *http.Request, name string, err error) {
	err = d.tooBig(r, name, err)
	told := d.tell(r, err)
	if r.Context().Err() == nil { // otherwise the client cancelled it
		d.noteUpload(r, name, told.text)
	}
	d.explain(w, r, told.status, told.code, told.text)
}

// upload returns the file of a request.
func upload(r *http.Request) (bot.Upload, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return bot.Upload{}, refusal{http.StatusBadRequest, "file_missing"}
	}
	if kind != "multipart/form-data" {
		name := r.URL.Query().Get("name")
		if name == "" {
			return bot.Upload{}, refusal{http.StatusBadRequest, "file_missing"}
		}
		return bot.Upload{Name: baseName(name), MIME: kind, Size: max(r.ContentLength, 0), Body: r.Body}, nil
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return bot.Upload{}, refusal{http.StatusBadRequest, "bad_request"}
	}
	for range 10 {
		part, err := parts.NextPart()
		if err != nil {
			break
		}
		if part.FormName() == "file" && part.FileName() != "" {
			return bot.Upload{
				Name: baseName(fileName(part)), MIME: part.Header.Get("Content-Type"),
				Size: sizeHint(r), Body: part,
			}, nil
		}
	}
	return bot.Upload{}, refusal{http.StatusBadRequest, "file_missing"}
}

// fileName returns a file's name as sent. Browsers escape only quotes and line breaks in it.
func fileName(part *multipart.Part) string {
	return strings.NewReplacer("%22", `"`, "%0D", "", "%0A", "").Replace(part.FileName())
}

// sizeHint returns the file size announced by the page.
func sizeHint(r *http.Request) int64 {
	n, err := strconv.ParseInt(r.URL.Query().Get("size"), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// tagsOf returns the tags for a file, nil if the page names none.
func tagsOf(r *http.Request) (tags []string) {
	for tag := range strings.SplitSeq(r.URL.Query().Get("tags"), ",") {
		if tag = strings.TrimLeft(tag, "# \t"); !fit.Blank(tag) {
			tags = append(tags, strings.TrimSpace(tag))
		}
	}
	return tags
}

// nameHint returns the file name announced by the page, "" for none.
func nameHint(r *http.Request) string {
	if name := r.URL.Query().Get("name"); name != "" {
		return baseName(name)
	}
	return ""
}

// baseName strips folders and invisible characters from a file's name.
func baseName(name string) string {
	name = path.Base(strings.ReplaceAll(fit.Clean(name), `\`, "/"))
	name = strings.TrimSpace(strings.NewReplacer("\n", " ", "\t", " ").Replace(name))
	if name == "." || name == "/" || name == "" {
		return "file"
	}
	if r := []rune(name); len(r) > 200 {
		return string(r[:100]) + "…" + string(r[len(r)-99:])
	}
	return name
}

// tooBig replaces the error of an oversized body by a sentence with the announced size.
func (d *door) tooBig(r *http.Request, name string, err error) error {
	var large *http.MaxBytesError
	var told *bot.Error
	if errors.As(err, &told) || !errors.Is(err, bot.ErrTooLarge) && !errors.As(err, &large) {
		return err
	}
	return bot.TooBig(visitOf(r).Lang, name, cmp.Or(sizeHint(r), r.ContentLength), d.cfg.MaxUpload)
}

func (d *door) apiRemove(w http.ResponseWriter, r *http.Request) {
	t, err := d.placeOf(r)
	if err == nil {
		err = d.desk.RemoveDocument(r.Context(), t, visitOf(r).user(), r.PathValue("document"))
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (d *door) passage(r *http.Request) (bot.Thread, cited.View, error) {
	t, err := d.placeOf(r)
	if err != nil {
		return t, cited.View{}, err
	}
	p, err := d.desk.Passage(r.Context(), t, visitOf(r).user(), r.PathValue("chunk"))
	if err != nil {
		return t, p, fmt.Errorf("read passage: %w", err)
	}
	return t, p, nil
}

func (d *door) apiPassage(w http.ResponseWriter, r *http.Request) {
	_, p, err := d.passage(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, p)
}

func (d *door) apiRun(w http.ResponseWriter, r *http.Request) {
	run, err := entrance{d}.trace(r, r.PathValue("run"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, run)
}
