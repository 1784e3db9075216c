package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"maru/bot"
	"maru/config"
	"maru/phrase"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/load"
	"maru/rag/local"
	"maru/rag/opensearch"
	"maru/rag/vec"
)

func (d *examination) documents(ctx context.Context) {
	own := d.cfg.Documents.Index == config.IndexLocal
	if own && d.kept.record == nil && d.cfg.Store.DatabaseURL == "" {
		return // a running program has the index open
	}
	if d.kept.record == nil && d.cfg.Documents.Index != config.IndexOpenSearch && d.cfg.Documents.IndexURL == "" {
		d.note("documents", "not looked at: their changes are in the record", "")
		return
	}
	lib, err := openLibrary(ctx, d.base, d.vectors)
	if errors.Is(err, local.ErrInUse) { // its record is in PostgreSQL, its index here
		d.note("documents", "in use by a running maru: "+localIndex(d.cfg.Store), "")
		return
	}
	if err != nil {
		fix := ""
		if !own {
			fix = "check MARU_INDEX_URL or DATABASE_URL, and that the server has the database and accepts this user; MARU_INDEX=local needs no server"
		}
		d.bad("documents", err.Error(), fix)
		return
	}
	d.library = lib
	docs, err := lib.Documents(ctx, []string{bot.ScopePublic})
	if err != nil {
		d.bad("documents", err.Error(), "")
		return
	}
	search := "by keywords"
	if name := d.cfg.Model.Embedding.Model; name != "" {
		search = "by keywords and vectors of " + name
	}
	d.good("documents", fmt.Sprintf("%d public documents in %s, searched %s", len(docs), indexName(d.cfg, lib.Index), search))
	if x, ok := lib.Index.(*opensearch.Index); ok {
		for _, what := range x.Lacks() {
			d.note("documents", what, "")
		}
	}
	d.vectorsOf(ctx, lib.Index)
	d.folder(ctx, lib, docs)
}

// vectorsOf prints how many passages have a vector, if the index supports it.
func (d *examination) vectorsOf(ctx context.Context, index rag.Index) {
	x, ok := index.(vec.Covered)
	if !ok || !d.cfg.Model.Embeds() {
		return
	}
	// A question shows whether the model's vectors still match the stored ones.
	_, asked := index.Search(ctx, rag.Query{Text: "annual leave", Scopes: []string{bot.ScopePublic, rag.ScopeSample}, Exam: true})
	c, err := x.Embedded(ctx)
	switch err = errors.Join(err, asked); {
	case err != nil:
		d.bad("vectors", err.Error(), "")
	case c.Complete():
		d.good("vectors", c.String())
	default:
		d.note("vectors", oneLine(c.String()), "`maru serve` makes the others in the background; until then keywords find the rest")
	}
}

// pdf reads a PDF, which also fills the cache of the reader.
func (d *examination) pdf(ctx context.Context) {
	start := time.Now()
	if err := tryPDF(ctx, &d.cfg, d.log); err != nil {
		d.bad("pdf", oneLine(err.Error()), "the reader needs 512 MiB of memory once, while it is compiled, and a DATA_DIR that it can write to")
		return
	}
	d.good("pdf", fmt.Sprintf("a small one is read in %s", time.Since(start).Round(time.Millisecond)))
}

// folder reads the watched folder's new files, and prints those that cannot become documents.
func (d *examination) folder(ctx context.Context, lib *library.Library, docs []rag.Document) {
	dir := d.cfg.Documents.Folder
	if dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	files, err := library.FindFiles([]string{dir})
	if err != nil {
		d.bad("folder", err.Error(), "check MARU_DOCUMENTS_DIR, and that it is mounted")
		return
	}
	have := map[string]rag.Document{}
	for _, doc := range docs {
		have[doc.Source] = doc
	}
	refused, within := 0, 0
	for _, f := range files {
		data, err := lib.ReadFile(f)
		doc := have[f.Name]
		if sum := sha256.Sum256(data); err == nil && doc.Hash != hex.EncodeToString(sum[:]) {
			doc, _, err = lib.Load(ctx, f.Name, data)
		}
		if ctx.Err() != nil {
			d.note("folder", fmt.Sprintf("has more than could be looked through in %s", patience), "the running program shows it: /maru docs")
			return
		}
		if err != nil {
			refused++
			d.note("folder", oneLine(library.Sentence(err, phrase.Fallback)), "")
			continue
		}
		for _, unread := range load.Unread(doc) {
			within++
			d.note("folder", oneLine(library.Sentence(unread, phrase.Fallback)), "")
		}
	}
	what := fmt.Sprintf("files: %d, of them not readable: %d", len(files), refused)
	if within > 0 {
		what += fmt.Sprintf("; not readable within archives: %d", within)
	}
	d.good("folder", what)
}
