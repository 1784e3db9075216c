package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"maru/cmd/maru/sight"
	"maru/config"
	"maru/rag/load"
	"maru/rag/load/ocr"
	"maru/rag/load/pdf"
)

// childCommand is the hidden subcommand that parses files.
const childCommand = "parse-child"

// pictureCommand is the hidden subcommand that decodes pictures.
const pictureCommand = "picture-child"

func pictureChild(_ context.Context, inv invocation) error { return sight.Child(inv.stdin, inv.stdout) }

// parseChild runs the child process: files in, passages out.
func parseChild(_ context.Context, inv invocation) error {
	return load.Child(inv.stdin, inv.stdout)
}

// newLoader returns the loader of documents. Files are read by this program run again as
// a child.
func newLoader(cfg *config.Config, log *slog.Logger) (*load.Loader, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("locate the executable for parsing files: %w", err)
	}
	var engine pdf.Config
	if dir := cfg.Store.DataDir; dir == "" {
		log.Warn("no DATA_DIR for the PDF engine's cache, compiling for every PDF")
	} else if engine.Cache, err = filepath.Abs(filepath.Join(dir, "pdfium")); err != nil { // the child is in another folder
		return nil, fmt.Errorf("locate the PDF engine's cache: %w", err)
	}
	scans, err := ocr.Find(context.Background(), ocr.Mode(cfg.Documents.OCR), cfg.Documents.OCRLanguages)
	if err != nil {
		return nil, err
	}
	return load.New(load.Config{
		Command: []string{self, childCommand}, MaxBytes: int(cfg.Documents.MaxFile), Timeout: cfg.Documents.Timeout,
		MaxPassages: cfg.Documents.MaxPassages,
		PDF:         engine, OCR: scans, Log: log,
	}), nil
}

// tryPDF reads a small PDF, which also compiles the reader if necessary.
func tryPDF(ctx context.Context, cfg *config.Config, log *slog.Logger) error {
	loader, err := newLoader(cfg, log)
	if err != nil {
		return err
	}
	return loader.TryPDF(ctx)
}
