package config

import "strings"

// perPrice is how many tokens a price is for.
const perPrice = 1_000_000

// Cost returns the price of a model call by the price table, 0 for an unknown model. cached is the number of cached input
// tokens.
func (m Model) Cost(model string, input, output, cached int) float64 {
	p, _ := m.priceOf(model)
	cached = min(max(cached, 0), input)
	return (float64(input-cached)*p.Input + float64(cached)*p.Cached + float64(output)*p.Output) / perPrice
}

// Priced reports whether the price table has a model.
func (m Model) Priced(model string) bool {
	_, ok := m.priceOf(model)
	return ok
}

// priceOf finds a model's price. Services answer with versioned names, such as gpt-4.1-mini-2025-04-14: without a
// price of its own such a name has the price of the longest model name before a "-".
func (m Model) priceOf(model string) (Price, bool) {
	for name := model; ; {
		if p, ok := m.Prices[name]; ok {
			return p, true
		}
		i := strings.LastIndex(name, "-")
		if i < 0 {
			return Price{}, false
		}
		name = name[:i]
	}
}
