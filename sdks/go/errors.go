package earshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// APIError is a refusal by the service. Code is text, such as "state_conflict": expect codes that you do not know.
type APIError struct {
	Status    int
	Code      string
	Detail    string
	RequestID string
	// Errors are the invalid fields of a validation_error.
	Errors []FieldError
	// RetryAfter is zero without that header.
	RetryAfter time.Duration
	// Body is the body as it came, with fields of its own for some codes.
	Body json.RawMessage
}

// FieldError says what is wrong with one field.
type FieldError struct {
	Field  string `json:"field"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func (e *APIError) Error() string {
	return fmt.Sprintf("%s (%s)", e.Detail, e.Code)
}

// HasCode returns whether an error is a refusal with this code.
func HasCode(err error, code string) bool {
	var refusal *APIError
	return errors.As(err, &refusal) && refusal.Code == code
}

// errorOf reads the error of a response, and closes its body.
func errorOf(response *http.Response) error {
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("earshot: the response broke off: %w", err)
	}
	var fields struct {
		Code      string       `json:"code"`
		Detail    string       `json:"detail"`
		RequestID string       `json:"request_id"`
		Errors    []FieldError `json:"errors"`
	}
	if json.Unmarshal(body, &fields) != nil || fields.Code == "" {
		return fmt.Errorf("earshot: %s responded %d, and not as the service does", response.Request.URL, response.StatusCode)
	}
	return &APIError{
		Status: response.StatusCode, Code: fields.Code, Detail: fields.Detail, RequestID: fields.RequestID,
		Errors: fields.Errors, RetryAfter: retryAfterOf(response), Body: body,
	}
}

func retryAfterOf(response *http.Response) time.Duration {
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
