package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"maru/config"
	"maru/rag/load"
	"maru/rag/load/pdfium"
)

// childCommand is the hidden subcommand in which foreign files are parsed.
const childCommand = "parse-child"

// parseChild is the whole of such a process: one file in, its passages out.
func parseChild(_ context.Context, inv invocation) error {
	return load.Child(inv.stdin, inv.stdout)
}

// newLoader returns the loader of documents. Foreign formats are parsed by this
// program run again as a child.
func newLoader(cfg *config.Config, log *slog.Logger) (*load.Loader, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, to run it for parsing files: %w", err)
	}
	module, sum, err := pdfiumModule(cfg)
	switch {
	case err != nil:
		log.Warn("MARU_PDFIUM cannot be used; the program's own extractor reads PDFs", "err", err)
	case module.Module != "":
		log.Info("PDFium reads PDFs", "module", module.Module, "hash", sum)
	}
	return load.New(load.Config{
		Command: []string{self, childCommand}, MaxBytes: int(cfg.Documents.MaxFile), Timeout: cfg.Documents.Timeout,
		PDFium: module, Log: log,
	}), nil
}

// pdfiumModule is where PDFium's module is and its sum; nothing if none is set, or
// with an error if it cannot be one. It is not compiled before a PDF is read.
func pdfiumModule(cfg *config.Config) (pdfium.Config, string, error) {
	if cfg.Documents.PDFium == "" {
		return pdfium.Config{}, "", nil
	}
	module, err := filepath.Abs(cfg.Documents.PDFium) // the child is in another folder
	if err != nil {
		return pdfium.Config{}, "", err
	}
	sum, err := pdfium.Sum(module)
	if err != nil {
		return pdfium.Config{}, "", err
	}
	cache, err := filepath.Abs(filepath.Join(cfg.Store.DataDir, "pdfium"))
	return pdfium.Config{Module: module, Cache: cache}, sum, err
}
