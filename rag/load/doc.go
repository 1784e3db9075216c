// Package load converts files to documents and passages: Markdown, text, programs, HTML, XML, JSON, CSV, PDF, DOCX, PPTX,
// XLSX, HWP, HWPX, OpenDocument, EPUB, RTF, mails, and ZIP archives of these. Every loader yields blocks (headings, paragraphs, list items, table rows with
// their header); one splitter makes passages of them.
//
// Files are read in a child process with limits on memory, time, nesting, passages and output: the program runs
// itself with Config.Command, which calls [Child]. The package must not know indexes, scopes or people.
package load

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"slices"
	"strings"
	"time"

	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/load/hwp"
	"maru/rag/load/mail"
	"maru/rag/load/ocr"
	"maru/rag/load/office"
	"maru/rag/load/outline"
	"maru/rag/load/pdf"
	"maru/rag/load/plain"
)

// Config configures a Loader. The zero value of a field means its default.
type Config struct {
	// Command starts the child that reads files, as in []string{os.Executable(), "parse-child"}. Without it they are
	// read in this process, under the same limits but without isolation: for tests and the program's own files only.
	Command []string

	MaxBytes    int           // of a file; default 50 MiB
	MaxText     int           // bytes of extracted text; default 20 MiB
	MaxPages    int           // of a PDF or slides; default 5,000
	MaxPassages int           // of a file; default 20,000
	Memory      int           // bytes a child may use; default 512 MiB
	Timeout     time.Duration // for one file; default 60 s
	Passage     int           // size of a passage in half-width characters (한 counts two); default 900
	Overlap     int           // overlap of neighbours when a long section is cut; default 120

	OCR *ocr.Config  // of pictures and scanned pages; nil: they are refused
	PDF pdf.Config   // of the engine that reads PDFs; default: half of Memory, no cache
	Log *slog.Logger // receives faults of the engine's cache; default: no log
}

func (c Config) withDefaults() Config {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&c.MaxBytes, 50<<20)
	def(&c.MaxText, 20<<20)
	def(&c.MaxPages, 5000)
	def(&c.MaxPassages, 20_000)
	def(&c.Memory, 512<<20)
	def(&c.Passage, 900)
	def(&c.Overlap, 120)
	c.Overlap = min(c.Overlap, c.Passage/3)
	if c.Timeout <= 0 {
		c.Timeout = time.Minute
	}
	if c.PDF.Memory <= 0 {
		c.PDF.Memory = c.Memory / 2
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Loader implements [rag.Loader]. It is safe for concurrent use.
type Loader struct {
	cfg Config
	pdf *pdfCache
}

var _ rag.Loader = (*Loader)(nil)

// New returns a loader.
func New(cfg Config) *Loader { return &Loader{cfg.withDefaults(), newPDFCache()} }

// Recognises reports whether text in pictures is read.
func (l *Loader) Recognises() bool { return l.cfg.OCR != nil }

// Load reads a file in a child of its own. The error is an [*Error] unless ctx ended.
func (l *Loader) Load(ctx context.Context, name string, data []byte) (rag.Document, []rag.Chunk, error) {
	b := &batch{Loader: l}
	defer b.close()
	return b.Load(ctx, name, data)
}

// Batch returns a loader whose files share children, and a function that ends it. It is safe for concurrent use.
func (l *Loader) Batch() (rag.Loader, func()) {
	b := &batch{Loader: l}
	return b, b.close
}

// Trusted returns a loader that reads files in this process.
func (l *Loader) Trusted() rag.Loader {
	here := *l
	here.cfg.Command = nil
	return &here
}

// TooMany returns the error of a file with more passages than the limit.
func TooMany(name string, passages, limit int) *Error {
	return &Error{Code: Passages, Name: name, Size: int64(passages), Limit: int64(limit)}
}

// load reads a file with read.
func (l *Loader) load(name string, data []byte, read func(format) (result, error)) (rag.Document, []rag.Chunk, error) {
	if len(data) == 0 {
		return rag.Document{}, nil, fault(Empty, name, nil)
	}
	if len(data) > l.cfg.MaxBytes {
		return rag.Document{}, nil, LargerThan(name, int64(len(data)), int64(l.cfg.MaxBytes))
	}
	kind, err := detect(name, data)
	if err != nil && l.cfg.OCR != nil && unreadable(name) == Picture {
		kind, err = picture, nil
	}
	if err != nil {
		return rag.Document{}, nil, err
	}
	out, err := read(kind)
	if err != nil {
		return rag.Document{}, nil, err
	}
	if out.Passages > l.cfg.MaxPassages {
		return rag.Document{}, nil, TooMany(name, out.Passages, l.cfg.MaxPassages)
	}
	if len(out.chunks) == 0 && l.cfg.reads(kind) {
		return rag.Document{}, nil, fault(Illegible, name, nil)
	} else if len(out.chunks) == 0 {
		return rag.Document{}, nil, fault(cmp.Or(map[format]Code{markdown: Blank, prose: Blank, rst: Blank, csvFile: Blank, webPage: BlankPage}[kind], NoText), name, nil)
	}
	title := outline.TitleOf(out.Title, name, maxHeading)
	inContext(title, out.chunks)
	sum := sha256.Sum256(data)
	doc := rag.Document{Title: title, Source: name, MIME: kind.mime(), Hash: hex.EncodeToString(sum[:]), Size: int64(len(data)), Chunks: len(out.chunks)}
	for _, u := range out.Unread {
		if !u.Code.known() || u.Code == TooLarge || u.Code == Passages {
			u.Code = Broken // the child's output is untrusted
		}
		doc.Unread = append(doc.Unread, rag.Unread{Name: fit.Clip(fit.OneLine(fit.Clean(u.Name)), maxHeading), Why: string(u.Code)})
	}
	return doc, out.chunks, nil
}

// inContext sets the context of passages: title > headings. Neighbours below the same headings share it.
func inContext(title string, chunks []rag.Chunk) {
	for i := range chunks {
		c := &chunks[i]
		if i > 0 && slices.Equal(c.Heading, chunks[i-1].Heading) {
			c.Context = chunks[i-1].Context
			continue
		}
		c.Context = strings.Join(slices.Compact(append([]string{title}, c.Heading...)), " > ")
	}
}

// result is the outcome of reading a file.
type result struct {
	Title    string   `json:"title,omitempty"`
	Unread   []unread `json:"unread,omitempty"`
	Passages int      `json:"passages"` // including those beyond the limit, which chunks lacks
	chunks   []rag.Chunk
}

// readHere reads a file in this process.
func (l *Loader) readHere(ctx context.Context, kind format, name string, data []byte) (out result, err error) {
	lim := l.cfg.limits()
	lim.pdf, lim.ocr = newPDFReader(ctx, l.cfg.PDF), ocr.New(ctx, l.cfg.OCR)
	defer lim.pdf.close()
	var chunks []rag.Chunk
	out, err = read(kind, data, lim, func(c rag.Chunk) { chunks = append(chunks, c) })
	out.chunks = chunks
	if ctx.Err() != nil {
		return result{}, ctx.Err()
	}
	if err != nil {
		return result{}, named(err, name)
	}
	return out, nil
}

// read parses a file and passes its passages on, up to the limit.
func read(kind format, data []byte, lim limits, emit func(rag.Chunk)) (result, error) {
	s := newSink(lim)
	if err := parser(kind)(data, lim, s); err != nil {
		return result{}, coded(err)
	}
	title := plain.Shown(s.Title)
	if isFileName(title) { // it may be an old name of the file
		title = ""
		if i := slices.IndexFunc(s.Blocks, func(b block) bool { return b.Kind == heading }); i >= 0 {
			title = s.Blocks[i].Text
		}
	}
	n := split(s.Blocks, lim, emit)
	return result{Title: title, Unread: s.Unread, Passages: n}, nil
}

// limits holds a parser's limits, the passage sizes, and the PDF engine.
type limits struct {
	Text     int        `json:"text"`
	Pages    int        `json:"pages"`
	Passages int        `json:"passages"`
	Passage  int        `json:"passage"`
	Overlap  int        `json:"overlap"`
	pdf      *pdfReader // set in the parsing process
	ocr      *ocr.Reader
}

func (c Config) limits() limits {
	return limits{Text: c.MaxText, Pages: c.MaxPages, Passages: c.MaxPassages, Passage: c.Passage, Overlap: c.Overlap}
}

// parsed is a parser's result.
type parsed struct {
	Title  string
	Blocks []block
	Unread []unread
}

// unread is an unreadable file of an archive, or line of a file.
type unread struct {
	Name string `json:"name"` // of the file; for a line its number, as in ":3"
	Code Code   `json:"code"`
}

type block = outline.Block

const (
	para    = outline.Para
	heading = outline.Heading
	item    = outline.Item
	row     = outline.Row
	code    = outline.Code
)

// maxBlocks limits the headings, paragraphs, items and rows of a file: no text by people has more, and each costs
// more memory than its characters.
const maxBlocks = 500_000

// sink collects blocks up to the limits.
type sink struct {
	parsed
	left int
}

func newSink(l limits) *sink { return &sink{left: l.Text} }

func (s *sink) add(b block) error {
	b.Text = fit.Clean(plain.Shown(b.Text))
	if b.Kind != code {
		b.Text = strings.TrimSpace(b.Text)
	}
	if strings.TrimSpace(b.Text) == "" {
		return nil
	}
	if s.left -= len(b.Text); s.left < 0 {
		return fault(TooComplex, "", errTextLimit)
	}
	if len(s.Blocks) == maxBlocks {
		return fault(TooComplex, "", errBlockLimit)
	}
	s.Blocks = append(s.Blocks, b)
	return nil
}

// parsers maps formats to parsers.
var parsers = map[format]func([]byte, limits, *sink) error{
	markdown: parseMarkup(plain.Markdown), prose: parseText, csvFile: textual(plain.CSV), jsonFile: parseJSON, jsonLines: parseJSONLines,
	source: textual(plain.Source), notebook: parseMarkup(plain.Notebook), calendarFile: parseMarkup(plain.Calendar), xmlFile: textual(plain.XML), rst: parseMarkup(plain.RST),
	odf: parseODF, rtf: outlined(office.RTF),
	hwp5: outlined(hwp.Read), htmlFile: parseHTML, webPage: parseWebPage, pdfFile: parsePDF, docx: parseDOCX, pptx: parsePPTX, xlsx: parseXLSX, hwpx: parseHWPX, picture: parsePicture,
}

// parser returns the parser of a format; nil if there is none. Archives and mails are not in the table because their
// parsers read the table.
func parser(kind format) func([]byte, limits, *sink) error {
	switch kind {
	case archive:
		return parseZip
	case eml:
		return parseMails(mail.Box)
	case msg:
		return parseMails(outlookMail)
	case epub:
		return parseEPUB
	}
	return parsers[kind]
}
