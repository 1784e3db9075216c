package config

func toolSettings() []Setting {
	return append([]Setting{
		{Var: "AUTO_TOOL_DETECTION", Key: "tools.auto_detection", Default: "true", Help: "detect changed tools of MCP servers",
			into: func(c *Config) any { return &c.Tools.AutoDetect }},
		{Var: "TOOL_CHECK_INTERVAL", Key: "tools.check_interval", Default: "5m", Help: "interval of that check; a bare number is in seconds",
			into: func(c *Config) any { return &c.Tools.CheckInterval }, rule: lasting("1s", "24h")},
		{Var: "MARU_TOOL_TIMEOUT", Key: "tools.timeout", Default: "30s", Help: "time limit of one tool call",
			into: func(c *Config) any { return &c.Tools.Timeout }, rule: lasting("1s", "1h")},
		{Var: "MARU_TOOL_ROUNDS", Key: "tools.rounds", Default: "5", Help: "maximum rounds of tool calls in one turn",
			into: func(c *Config) any { return &c.Tools.Rounds }, rule: between(1, 100)},
		{Var: "MARU_DISABLED_TOOLS", Key: "tools.disabled", Help: "tools that are never offered to the model, separated by commas",
			into: func(c *Config) any { return &c.Tools.Disabled }, rule: each(name)},
	}, append(keyedToolSettings(), pythonSettings()...)...)
}

func keyedToolSettings() []Setting {
	return []Setting{
		{Var: "OPENWEATHER_API_KEY", Key: "tools.openweather_api_key", Secret: true, Help: "API key of OpenWeather; enables the weather tool",
			into: func(c *Config) any { return &c.Tools.OpenWeatherKey }, rule: oneWord},
		{Var: "OPENWEATHER_BASE_URL", Key: "tools.openweather_base_url", Default: "https://api.openweathermap.org", Help: "base URL of OpenWeather",
			into: func(c *Config) any { return &c.Tools.OpenWeatherBaseURL }, rule: webURL},
		{Var: "TAVILY_API_KEY", Key: "tools.tavily_api_key", Secret: true, Help: "API key of Tavily; enables web search",
			into: func(c *Config) any { return &c.Tools.TavilyKey }, rule: oneWord},
		{Var: "TAVILY_BASE_URL", Key: "tools.tavily_base_url", Default: "https://api.tavily.com", Help: "base URL of Tavily",
			into: func(c *Config) any { return &c.Tools.TavilyBaseURL }, rule: webURL},
		{Var: "GOOGLE_API_KEY", Key: "tools.google_api_key", Secret: true, Help: "API key of Google; enables web search together with GOOGLE_CSE_ID, unless Tavily is configured",
			into: func(c *Config) any { return &c.Tools.GoogleKey }, rule: oneWord},
		{Var: "GOOGLE_CSE_ID", Key: "tools.google_cse_id", Help: "ID of the programmable search engine",
			into: func(c *Config) any { return &c.Tools.GoogleCSE }, rule: oneWord},
		{Var: "GOOGLE_BASE_URL", Key: "tools.google_base_url", Default: "https://www.googleapis.com", Help: "base URL of Google's search API",
			into: func(c *Config) any { return &c.Tools.GoogleBaseURL }, rule: webURL},
		{Var: "WIKIPEDIA_BASE_URL", Key: "tools.wikipedia_base_url", Default: "https://{lang}.wikipedia.org", Help: "base URL of Wikipedia; {lang} becomes ko or en",
			into: func(c *Config) any { return &c.Tools.WikipediaBaseURL }, rule: webURL},
	}
}

func pythonSettings() []Setting {
	return []Setting{
		{Var: "MARU_PYTHON", Key: "tools.python", Default: "auto", Help: "Python tool: `auto` (if the sandbox works), `on` (required at start) or `off`",
			into: func(c *Config) any { return &c.Tools.Python }, rule: oneOf("auto", "on", "off"), fold: true},
		{Var: "MARU_PYTHON_PATH", Key: "tools.python_path", Default: "/usr/bin/python3", Help: "interpreter in the sandbox, below /usr",
			into: func(c *Config) any { return &c.Tools.PythonPath }, rule: under("/usr/")},
		{Var: "MARU_PYTHON_TIMEOUT", Key: "tools.python_timeout", Default: "5s", Help: "time limit of one program",
			into: func(c *Config) any { return &c.Tools.PythonTimeout }, rule: lasting("1s", "5m")},
		{Var: "MARU_PYTHON_MEMORY", Key: "tools.python_memory", Default: "512MiB", Help: "memory limit of one process in the sandbox",
			into: func(c *Config) any { return &c.Tools.PythonMemory }, rule: sized("64MiB", "16GiB")},
	}
}
