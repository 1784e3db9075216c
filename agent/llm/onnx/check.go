//go:build !race

package onnx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/onnx-gomlx/onnx"
)

// check refuses what the library would run and get wrong without a word, or in a way that
// nobody can recover from. What it does not know at all it says itself.
func check(m *onnx.Model) error {
	edition := int64(0)
	for _, o := range m.Proto.GetOpsetImport() {
		if o.Domain == "" || o.Domain == "ai.onnx" {
			edition = o.Version
		}
	}
	foreign := map[string]bool{}
	below := map[string]bool{} // the constants with a number below zero
	for _, t := range m.Proto.Graph.GetInitializer() {
		below[t.Name] = negative(t)
		if t.DataType == 10 || t.DataType == 16 {
			return fmt.Errorf("its weights %s are numbers of half the precision, which are not known: take the model with the whole one; %s", t.Name, instead)
		}
	}
	for _, n := range m.Proto.Graph.GetNode() {
		set := map[string]float32{"alpha": 1, "beta": 1, "axis": 1} // what is meant where nothing is said, until opset 13
		for _, a := range n.Attribute {
			set[a.Name] = a.F + float32(a.I)
			if n.OpType == "Constant" && len(n.Output) > 0 {
				below[n.Output[0]] = a.I < 0 || len(a.Ints) > 0 && slices.Min(a.Ints) < 0 || negative(a.T)
			}
		}
		switch {
		case strings.Contains(n.OpType, "Quantize") || strings.Contains(n.OpType, "Integer") || strings.HasPrefix(n.OpType, "QLinear"):
			return fmt.Errorf("it is quantized (%s), which would end this program: take the model that is not; %s", n.OpType, instead)
		case n.Domain != "" && n.Domain != "ai.onnx":
			foreign[n.Domain+":"+n.OpType] = true
		case n.OpType == "Gather" && len(n.Input) > 1 && below[n.Input[1]]:
			return fmt.Errorf("its operator Gather %s counts from the end, which is not known; %s", n.Name, instead)
		case n.OpType == "Gemm" && (set["alpha"] != 1 || set["beta"] != 1):
			return fmt.Errorf("its operator Gemm %s has factors, which are not known; %s", n.Name, instead)
		case n.OpType == "Softmax" && edition < 13 && set["axis"] == 1:
			return fmt.Errorf("its operator Softmax %s is over all axes behind the first, which is not known; %s", n.Name, instead)
		}
	}
	if len(foreign) > 0 {
		return fmt.Errorf("it was optimized for another runtime and has operators of its own (%s): export it without that; %s",
			strings.Join(slices.Sorted(maps.Keys(foreign)), ", "), instead)
	}
	return nil
}

// tensor is one of a model.
type tensor interface {
	GetDataType() int32
	GetRawData() []byte
	GetInt64Data() []int64
	GetInt32Data() []int32
}

// negative tells whether a tensor of integers has one below zero.
func negative(t tensor) bool {
	size := map[int32]int{6: 4, 7: 8}[t.GetDataType()] // int32, int64
	for raw := t.GetRawData(); size > 0 && len(raw) >= size; raw = raw[size:] {
		if raw[size-1] >= 0x80 { // little-endian
			return true
		}
	}
	return len(t.GetInt64Data()) > 0 && slices.Min(t.GetInt64Data()) < 0 || len(t.GetInt32Data()) > 0 && slices.Min(t.GetInt32Data()) < 0
}
