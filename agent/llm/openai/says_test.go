package openai_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/openai"
)

// TestRefusalsByTheirWords: services call a wrong key, a missing model, used-up credit and a filter a bad request, a missing
// permission or a success. Bodies as in reports of their users.
func TestRefusalsByTheirWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		class  llm.Class
	}{
		"gemini_key":           {400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, llm.Auth},
		"gemini_no_key":        {403, `{"error":{"code":403,"message":"Method doesn't allow unregistered callers. Please use API Key.","status":"PERMISSION_DENIED"}}`, llm.Auth},
		"dashscope_key":        {400, `{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","code":"invalid_api_key"}}`, llm.Auth},
		"deepseek_model":       {400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error","code":"invalid_request_error"}}`, llm.NotFound},
		"openrouter_model":     {400, `{"error":{"message":"acme/none is not a valid model ID","code":400}}`, llm.NotFound},
		"cloudflare_model":     {400, `{"success":false,"errors":[{"code":5007,"message":"No such model @cf/x or task"}],"messages":[],"result":{}}`, llm.NotFound},
		"azure_model":          {400, `{"error":{"code":"unknown_model","message":"Unknown model: gpt-9"}}`, llm.NotFound},
		"mistral_model":        {400, `{"object":"error","message":"Invalid model: open-9","type":"invalid_model","code":"1500"}`, llm.NotFound},
		"retired":              {410, `{"error":"The requested model is deprecated and no longer supported"}`, llm.NotFound},
		"wrong_path":           {405, `<h1>405 Not Allowed</h1>`, llm.NotFound},
		"anthropic_credit":     {400, `{"error":{"message":"Your credit balance is too low to access the Anthropic API.","type":"invalid_request_error"}}`, llm.Quota},
		"xai_credit":           {403, `{"code":"The caller does not have permission","error":"Your team abc has used all available credits or reached its monthly spending limit."}`, llm.Quota},
		"dashscope_arrears":    {400, `{"error":{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}}`, llm.Quota},
		"siliconflow_balance":  {403, `{"code":30001,"message":"Sorry, your account balance is insufficient","data":null}`, llm.Quota},
		"dashscope_filter":     {400, `{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}`, llm.ContentFilter},
		"moonshot_filter":      {400, `{"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter"}}`, llm.ContentFilter},
		"zhipu_filter":         {400, `{"contentFilter":[{"level":1,"role":"user"}],"error":{"code":"1301","message":"..."}}`, llm.ContentFilter},
		"openrouter_filter":    {403, `{"error":{"message":"Your chosen model requires moderation and your input was flagged for \"violence\"","code":403}}`, llm.ContentFilter},
		"error_in_success":     {200, `{"code":500,"msg":"404 NOT_FOUND","success":false}`, llm.Overloaded},
		"no_region":            {403, `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported"}}`, llm.Auth},
		"a_model_s_limit":      {400, `{"error":{"message":"max_output is too large for this model"}}`, llm.BadRequest},
		"of_a_file":            {400, `{"error":{"message":"file not found: model input 2"}}`, llm.BadRequest},
		"of_a_key_of_an_item":  {400, `{"error":{"message":"messages[2]: missing key 'content'"}}`, llm.BadRequest},
		"of_a_tool":            {400, `{"error":{"message":"tool_call_id call_1 does not exist"}}`, llm.BadRequest},
		"of_a_balanced_string": {400, `{"error":{"message":"insufficient data: unbalanced quotes"}}`, llm.BadRequest},
		"of_a_prompt":          {400, `{"error":{"message":"the prompt was not accepted"}}`, llm.BadRequest},
		"openai_no_access":     {403, `{"error":{"message":"Project proj_x does not have access to model gpt-4o","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, llm.NotFound},
		"zhipu_balance":        {429, `{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}`, llm.Quota},
		"zhipu_chinese":        {400, `{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}`, llm.Quota},
		"moonshot_balance":     {429, `{"error":{"type":"exceeded_current_quota_error","message":"Your account is suspended, please recharge"}}`, llm.Quota},
		"limit_of_the_rate":    {429, `{"error":{"message":"Rate limit reached for model x: no such model tier"}}`, llm.RateLimited},
		"limit_within_data":    {200, `{"error":{"code":429,"message":"rate limit"},"data":{"choices":[]}}`, llm.RateLimited},
		"vllm_repeats":         {400, `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body','tools'), 'msg': 'Extra inputs are not permitted', 'input': [{'role': 'user', 'content': 'Why does my script say invalid API key?'}]}]","type":"BadRequestError","code":400}`, llm.BadRequest},
		"vllm_repeats_one":     {400, `{"object":"error","message":"1 validation error: {'type': 'extra_forbidden', 'input': 'Why does my script say invalid API key?'}","code":400}`, llm.BadRequest},
		"pydantic_repeats":     {400, `{"error":{"message":"1 validation error for Request\ncontent\n  Input should be a list [type=list_type, input_value='no such model', input_type=str]"}}`, llm.BadRequest},
		"fastapi_repeats":      {422, `{"detail":[{"type":"extra_forbidden","loc":["body","parallel_tool_calls"],"msg":"Extra inputs are not permitted","input":{"messages":[{"role":"user","content":"The bank said insufficient funds for invoice 12"}]}}]}`, llm.BadRequest},
		"of_a_call":            {400, `{"error":{"message":"Tool call arguments: insufficient funds"}}`, llm.BadRequest},
		"of_a_call_s_value":    {400, `{"error":{"message":"Failed to parse arguments of tool 'pay': \"no such model\""}}`, llm.BadRequest},
		"of_a_message":         {400, `{"error":{"message":"messages[2].content: 'invalid API key' is not a list"}}`, llm.BadRequest},
		"of_a_wrapper":         {400, `{"error":{"message":"Upstream error: insufficient balance, please recharge"}}`, llm.Quota},
		"of_a_finish":          {400, `{"error":{"message":"messages.3.finish_reason: Input should be 'stop', 'length' or 'content_filter'"}}`, llm.BadRequest},
		"of_an_argument":       {400, `{"error":{"message":"Unrecognized request argument supplied: content_filter_results"}}`, llm.BadRequest},
		"of_a_format":          {400, `{"error":{"message":"Invalid value: response_format for model: gpt-4 is not available"}}`, llm.BadRequest},
		"of_an_adapter":        {400, `{"error":{"message":"The adapter of model llama-3 does not exist"}}`, llm.BadRequest},
		// LiteLLM 1.108.7 before a server that refuses, as recorded (policy and budget: as its source writes them).
		"litellm_context":      {400, `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - request (2424 tokens) exceeds the available context size (512 tokens), try increasing it\nmodel=capped. context_window_fallbacks=None. fallbacks=None.\n\nSet 'context_window_fallback' - https://docs.litellm.ai/docs/routing#fallbacks\n\nLiteLLM: model group 'capped' failed with the error above. No fallback was attempted.","type":"invalid_request_error","param":null,"code":"400"}}`, llm.ContextLength},
		"litellm_filter":       {400, `{"error":{"message":"litellm.BadRequestError: OpenAIException - Your request was rejected as a result of our safety system. Your prompt may contain text that is not allowed by our safety system.\n\nLiteLLM: model group 'filter' failed with the error above. No fallback was attempted.","type":"invalid_request_error","param":null,"code":"400"}}`, llm.ContentFilter},
		"litellm_policy":       {400, `{"error":{"message":"litellm.ContentPolicyViolationError: litellm.BadRequestError: ContentPolicyViolationError: AzureException - The prompt was not taken.\nmodel=a-group. content_policy_fallbacks=None. fallbacks=None.\n\nSet 'content_policy_fallback' - https://docs.litellm.ai/docs/routing#fallbacks\n\nLiteLLM: model group 'a-group' failed with the error above. No fallback was attempted.","type":"invalid_request_error","param":null,"code":"400"}}`, llm.ContentFilter},
		"litellm_key":          {400, `{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}`, llm.Auth},
		"litellm_model":        {400, `{"error":{"message":"/chat/completions: Invalid model name passed in model=nosuch. Call ` + "`/v1/models`" + ` to view available models for your key.","type":"invalid_request_error","param":null,"code":"400"}}`, llm.NotFound},
		"litellm_denied":       {403, `{"error":{"message":"The requested model 'gpt-x' is not available for this API key, or the model name is invalid. Check the models available to you and try again.","type":"key_model_access_denied","param":"model","code":"403"}}`, llm.NotFound},
		"litellm_no_access":    {403, `{"error":{"message":"litellm.APIError: APIError: OpenAIException - Project proj_x does not have access to model gpt-x\n\nLiteLLM: model group 'noaccess' failed with the error above. No fallback was attempted.","type":"permission_error","param":null,"code":"403"}}`, llm.NotFound},
		"litellm_budget":       {429, `{"error":{"message":"Budget has been exceeded! Current cost: 1.2, Max budget: 1.0","type":"budget_exceeded","param":null,"code":"429"}}`, llm.Quota},
		"litellm_rate":         {429, `{"error":{"message":"litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached for gpt-x","type":"throttling_error","param":null,"code":"429"}}`, llm.RateLimited},
		"vllm_context":         {400, `{"object":"error","message":"This model's maximum context length is 2048 tokens. However, you requested 6100 tokens in the messages, Please reduce the length of the messages.","type":"BadRequestError","param":null,"code":400}`, llm.ContextLength},
		"sglang_context":       {400, `{"object":"error","message":"The input (5000 tokens) is longer than the model's context length (4096 tokens).","type":"BadRequestError","param":null,"code":400}`, llm.ContextLength},
		"anthropic_context":    {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 214315 tokens > 200000 maximum"}}`, llm.ContextLength},
		"gemini_context":       {400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, llm.ContextLength},
		"mistral_context":      {400, `{"object":"error","message":"Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}`, llm.ContextLength},
		"xai_context":          {400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, llm.ContextLength},
		"llamacpp_text":        {500, `{"error":{"code":500,"message":"input (1002 tokens) is too large to process. increase the physical batch size (current batch size: 512)","type":"server_error"}}`, llm.ContextLength},
		"tei_text":             {413, `{"error":"Input validation error: ` + "`inputs`" + ` must have less than 512 tokens. Given: 600","error_type":"Validation"}`, llm.ContextLength},
		"of_a_server":          {500, `{"error":{"code":500,"message":"The model does not exist in memory","type":"server_error"}}`, llm.Overloaded},
		"of_a_reply_s_limit":   {400, `{"object":"error","message":"'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 30 input tokens (8000 > 4096 - 30).","type":"BadRequestError","code":400}`, llm.BadRequest},
		"of_a_message_s_words": {400, `{"error":{"message":"messages[2].content: 'the maximum context length is 2048 tokens' is not a list"}}`, llm.BadRequest},
		"of_words_on_access":   {400, `{"error":{"message":"messages[2].content: 'we do not have access to model 3' is not a list"}}`, llm.BadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer srv.Close()
			m, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "fake"})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if _, err := m.Generate(t.Context(), ask("2+3?"), nil); llm.ClassOf(err) != c.class {
				t.Errorf("%v: %s, want %s", err, llm.ClassOf(err), c.class)
			}
		})
	}
}

// TestRetryAfter: a wait is a number of seconds or a time, and LiteLLM hands the service's header on under a name of its own.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_772_500_000, 0)
	for _, c := range []struct {
		header, value string
		want          time.Duration
	}{
		{"llm_provider-retry-after", "6", 6 * time.Second},
		{"Retry-After", "6", 6 * time.Second},
		{"X-Other-Retry-After", "6", 0},
		{"Retry-After", "1772500006", 6 * time.Second},
		{"Retry-After", "1772500006000", 6 * time.Second},
		{"Retry-After", "1772400000", 0},
		{"Retry-After", "99999999", 0},
		{"Retry-After", "2026-03-03T01:06:46Z", 6 * time.Second},
		{"Retry-After", "2026-03-03T10:06:46.5+09:00", 6500 * time.Millisecond},
		{"Retry-After", "Tue, 03 Mar 2026 01:06:46 GMT", 6 * time.Second},
	} {
		t.Run(c.header+" "+c.value, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set(c.header, c.value)
				w.WriteHeader(http.StatusTooManyRequests)
			}))
			defer srv.Close()
			m, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "fake", Now: func() time.Time { return now }})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			_, err = m.Generate(t.Context(), ask("2+3?"), nil)
			if e, ok := errors.AsType[*llm.Error](err); !ok || e.Class != llm.RateLimited || e.After != c.want {
				t.Errorf("%v, want to wait for %s", err, c.want)
			}
		})
	}
}
