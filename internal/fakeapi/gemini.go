package fakeapi

import "net/http"

// gemini answers as Google's Gemini API does.
func (a answer) gemini(w http.ResponseWriter, r *http.Request, model string, stream bool) {
	if a.reply.fault != none {
		a.refuseGoogle(w)
		return
	}
	var parts []any
	for _, b := range a.reply.blocks {
		if b.tool == "" {
			parts = append(parts, map[string]any{"text": b.text})
			continue
		}
		name, args := a.call(b)
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": name, "args": args}})
	}
	candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
	content := map[string]any{"candidates": []any{candidate}, "modelVersion": model}
	if a.reply.fate != complete {
		if stream && len(parts) > 0 {
			w.Header().Set("Content-Type", "text/event-stream")
			sse(w, "", content)
		}
		a.meetFate(r)
		return
	}
	candidate["finishReason"] = "STOP"
	content["usageMetadata"] = map[string]any{"promptTokenCount": InputTokens + CacheReadTokens, "candidatesTokenCount": OutputTokens,
		"cachedContentTokenCount": CacheReadTokens, "totalTokenCount": InputTokens + CacheReadTokens + OutputTokens}
	if stream {
		w.Header().Set("Content-Type", "text/event-stream")
		sse(w, "", content)
		return
	}
	writeJSON(w, http.StatusOK, content)
}

// refuseGoogle writes an error as Google's APIs do.
func (a answer) refuseGoogle(w http.ResponseWriter) {
	refuse := func(code int, status, message string, details ...any) {
		writeJSON(w, code, map[string]any{"error": map[string]any{"code": code, "status": status, "message": message, "details": details}})
	}
	switch a.reply.fault {
	case unauthorized:
		refuse(http.StatusUnauthorized, "UNAUTHENTICATED", "API key not valid. Please pass a valid API key.")
	case overloaded:
		refuse(http.StatusServiceUnavailable, "UNAVAILABLE", "The model is overloaded. Please try again later.")
	case limited:
		refuse(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.",
			map[string]any{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []any{map[string]any{
				"quotaMetric": "generativelanguage.googleapis.com/generate_content_paid_tier_requests", "quotaId": "GenerateRequestsPerDayPerProjectPerModel"}}})
	default:
		refuse(a.reply.status, a.reply.class, a.reply.message)
	}
}
