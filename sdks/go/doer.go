// Package earshot adds to generated code what a document cannot say: retries, errors, pages and the verification of webhooks.
package earshot

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"regexp"
	"time"
)

const (
	firstBackoff = 250 * time.Millisecond
	maxBackoff   = 8 * time.Second
	// maxWait is the longest wait that Retry-After may ask for; a longer one is for the caller to decide.
	maxWait = time.Minute
)

// withoutKey are the POSTs that take no idempotency key: they could run twice, or use up a code.
var withoutKey = regexp.MustCompile(`/api/auth/|/api/v1/me/(password|mfa)/|/webhooks/[^/]+/test/$`)

// Doer sends the requests of generated code: api.NewClientWithResponses(url, api.WithHTTPClient(earshot.NewDoer(token))).
// A response that is no success becomes an error, an *APIError if the service refused.
type Doer struct {
	// Token is a personal access token, or empty for public operations.
	Token string
	// MaxRetries is how often a request is repeated that failed on the way, or with 429, 502, 503 or 504.
	MaxRetries int
	// HTTP sends one request.
	HTTP *http.Client
	// Sleep waits between retries; a test may replace it.
	Sleep func(ctx context.Context, duration time.Duration) error
}

// NewDoer returns a Doer that retries twice, and that waits for a response for 30 seconds.
func NewDoer(token string) *Doer {
	return &Doer{Token: token, MaxRetries: 2, HTTP: &http.Client{Timeout: 30 * time.Second}, Sleep: sleep}
}

// Do sends a request until its outcome is final. Each try of a POST carries the same Idempotency-Key.
func (d *Doer) Do(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	if d.Token != "" {
		request.Header.Set("Authorization", "Bearer "+d.Token)
	}
	takesKey := request.Method == http.MethodPost && !withoutKey.MatchString(request.URL.Path)
	if takesKey && request.Header.Get("Idempotency-Key") == "" {
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	isRepeatable := takesKey || (request.Method != http.MethodPost && (request.Body == nil || request.GetBody != nil))
	for retries := 0; ; retries++ {
		response, err := d.HTTP.Do(request)
		if err == nil && response.StatusCode < 300 {
			return response, nil
		}
		wait, failure := outcomeOf(response, err, retries)
		if wait < 0 || wait > maxWait || !isRepeatable || retries >= d.MaxRetries {
			return nil, failure
		}
		if err := d.Sleep(request.Context(), wait); err != nil {
			return nil, failure
		}
		if err := rewind(request); err != nil {
			return nil, err
		}
	}
}

// outcomeOf returns the error of a failed try, and how long to wait before the next; a negative wait if it is final.
func outcomeOf(response *http.Response, err error, retries int) (time.Duration, error) {
	if err != nil {
		return backoff(retries), fmt.Errorf("earshot: the service is not reachable: %w", err)
	}
	failure := errorOf(response)
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if asked := retryAfterOf(response); asked > 0 {
			return asked, failure
		}
		return backoff(retries), failure
	}
	return -1, failure
}

// rewind makes the body readable again.
func rewind(request *http.Request) error {
	if request.Body == nil || request.Body == http.NoBody {
		return nil
	}
	if request.GetBody == nil {
		return io.ErrUnexpectedEOF
	}
	body, err := request.GetBody()
	request.Body = body
	return err
}

// backoff grows with each try, and varies, so that clients that failed together do not retry together.
func backoff(retries int) time.Duration {
	longest := min(maxBackoff, firstBackoff<<min(retries, 10))
	return longest/2 + mathrand.N(longest/2)
}

func sleep(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
