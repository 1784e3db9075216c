//go:build !race

package main

import "maru/agent/llm/onnx"

func openEncoder(folder string) (encoder, error) { return onnx.Open(folder) }
