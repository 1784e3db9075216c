package config

import (
	"maps"
	"slices"
)

// checkRole finds what cannot work in a role that is complete.
func (l *loader) checkRole(c *Config, d draft, m Model) {
	fault := func(bad bool, member, wrong, fix string) {
		if !bad {
			return
		}
		at := d.at[member]
		if at == "" {
			at = d.at[""]
		}
		l.fault(d.key+"."+member, at, wrong, fix)
	}
	keyless := m.APIKey == "" && m.BaseURL == openAI
	fault(keyless && !d.has("endpoint"), "endpoint", "is not set, and there is no answer model to take it from", "give it an endpoint, or set OPENAI_API_KEY or models.answer")
	fault(keyless && d.has("endpoint"), "key", "is not set", "OpenAI needs one")
	fault(!d.role.Chats() && !d.has("name"), "name", "is not set", "name the model: the answer's cannot do this")
	fault(slices.Contains(m.Fallbacks, m.Name), "fallbacks", "contains the model itself", "name other models")
	fault(m.Context > 0 && m.MaxTokens >= m.Context, "limits.output", "is not smaller than limits.context", "leave room for the prompt")
	fault(d.has("limits.in_flight") && m.BaseURL == c.Model.BaseURL && m.InFlight != c.Model.InFlight, "limits.in_flight", "is not the answer's at the same endpoint",
		"set it once, at models.answer")
	if m.Azure {
		fault(m.BaseURL == openAI, "endpoint", "is not set while api_type is azure", "set it to https://YOUR-RESOURCE.openai.azure.com")
		fault(m.APIKey == "", "key", "is not set while api_type is azure", "set the key of the resource")
		fault(m.APIVersion == "", "api_version", "is not set while api_type is azure", "set it, e.g. 2024-10-21")
	}
	member := map[string]string{"OPENAI_BASE_URL": "endpoint", "OPENAI_API_TYPE": "api_type"}
	checkAzureAddress(m, func(bad bool, variable, wrong, fix string) {
		fault(bad, member[variable], wrong, roleWords.Replace(fix))
	})
	l.setPrice(c, d, m.Name)
	warn := func(bad bool, member, wrong, fix string) {
		if bad {
			c.Warnings = append(c.Warnings, Fault{Variable: d.key + member, Source: d.at[""], Wrong: wrong, Fix: fix})
		}
	}
	warn(m.APIVersion != "" && !m.Azure, ".api_version", "is set but api_type is not azure", "it is not used")
	warn(m.APIKey != "" && clearText(m.BaseURL), ".endpoint", "sends a secret to another machine without TLS", "use https://")
}

// setPrice puts a role's price into the one table, by the model's name.
func (l *loader) setPrice(c *Config, d draft, model string) {
	if d.price == nil {
		return
	}
	if has, ok := c.Model.Prices[model]; ok && has != *d.price {
		l.fault(d.key+".price", d.at["price"], "is not that of the same model elsewhere", "give a model one price, here or in MODEL_PRICES: usage is counted by its name")
		return
	}
	prices := maps.Clone(c.Model.Prices)
	if prices == nil {
		prices = map[string]Price{}
	}
	prices[model] = *d.price
	c.Model.Prices = prices
}
