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

// childCommand is the hidden subcommand in which files are read.
const childCommand = "parse-child"

// pictureCommand is the hidden subcommand in which a picture is decoded.
const pictureCommand = "picture-child"

func pictureChild(_ context.Context, inv invocation) error { return sight.Child(inv.stdin, inv.stdout) }

// parseChild is the whole of such a process: files in, their passages out.
func parseChild(_ context.Context, inv invocation) error {
	return load.Child(inv.stdin, inv.stdout)
}

// newLoader returns the loader of documents. Files are read by this program run again as
// a child.
func newLoader(cfg *config.Config, log *slog.Logger) (*load.Loader, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, to run it for parsing files: %w", err)
	}
	var engine pdf.Config
	if dir := cfg.Store.DataDir; dir == "" {
		log.Warn("Without DATA_DIR the PDF reader is compiled for every PDF, which takes seconds")
	} else if engine.Cache, err = filepath.Abs(filepath.Join(dir, "pdfium")); err != nil { // the child is in another folder
		return nil, fmt.Errorf("find the PDF reader's cache: %w", err)
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
