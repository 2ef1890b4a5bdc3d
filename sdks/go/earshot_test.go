package earshot

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const body = `{"id":"e1","type":"moon.rose","data":{}}`

var (
	now        = time.Unix(1_790_000_000, 0)
	hmacKey    = []byte(strings.Repeat("k", 32))
	privateKey = ed25519.NewKeyFromSeed([]byte(strings.Repeat("p", 32)))
	secret     = "whsec_" + base64.StdEncoding.EncodeToString(hmacKey)
	publicKey  = "whpk_" + base64.StdEncoding.EncodeToString(privateKey.Public().(ed25519.PublicKey))
)

func signed(text string) http.Header {
	message := []byte("d1." + strconv.FormatInt(now.Unix(), 10) + "." + text)
	mac := hmac.New(sha256.New, hmacKey)
	mac.Write(message)
	v1, v1a := base64.StdEncoding.EncodeToString(mac.Sum(nil)), base64.StdEncoding.EncodeToString(ed25519.Sign(privateKey, message))
	return http.Header{
		"Webhook-Id":        {"d1"},
		"Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)},
		"Webhook-Signature": {"v1,AAAA v1," + v1 + " v1a," + v1a},
	}
}

func TestADeliveryIsVerifiedByEitherKey(t *testing.T) {
	for _, key := range []string{secret, publicKey} {
		event, err := VerifyAt([]byte(body), signed(body), key, now.Add(299*time.Second))
		if err != nil || event.ID != "e1" || event.Type != "moon.rose" || string(event.Body) != body {
			t.Errorf("%v %v", event, err)
		}
	}
}

func TestWhatIsNotAuthenticIsRefused(t *testing.T) {
	for _, key := range []string{secret, publicKey} {
		without := signed(body)
		without.Del("Webhook-Id")
		late := signed(body)
		late.Set("Webhook-Timestamp", "soon")
		cases := []struct {
			body   string
			header http.Header
			at     time.Time
			want   error
		}{
			{body + " ", signed(body), now, ErrBadSignature},
			{body, signed("{}"), now, ErrBadSignature},
			{body, signed(body), now.Add(300 * time.Second), ErrTimestampOutOfRange},
			{body, signed(body), now.Add(-300 * time.Second), ErrTimestampOutOfRange},
			{body, without, now, ErrMissingHeader},
			{body, late, now, ErrBadTimestamp},
			{"[]", signed("[]"), now, ErrBadBody},
		}
		for _, each := range cases {
			if _, err := VerifyAt([]byte(each.body), each.header, key, each.at); !errors.Is(err, each.want) {
				t.Errorf("%s: %v instead of %v", each.body, err, each.want)
			}
		}
	}
	if _, err := VerifyAt([]byte(body), signed(body), "", now); err == nil {
		t.Error("an empty key was taken")
	}
}

// exchange sends one request to a server that answers with these statuses in turn.
func exchange(t *testing.T, method, path string, statuses ...int) (keys []string, waits []time.Duration, err error) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		status := statuses[len(keys)-1]
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "7")
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"code":"moon_in_the_way","detail":"No.","request_id":"r","phase":"full"}`))
	}))
	defer server.Close()
	doer := NewDoer("svc_x")
	doer.Sleep = func(_ context.Context, duration time.Duration) error {
		waits = append(waits, duration)
		return nil
	}
	request, _ := http.NewRequest(method, server.URL+path, strings.NewReader("{}"))
	response, err := doer.Do(request)
	if err == nil {
		response.Body.Close()
	}
	return keys, waits, err
}

func TestAPostIsSentAgainWithTheSameKey(t *testing.T) {
	keys, waits, err := exchange(t, "POST", "/api/v1/teams/", 503, 429, 201)
	if err != nil || len(keys) != 3 || keys[0] == "" || keys[0] != keys[2] || waits[1] != 7*time.Second {
		t.Errorf("%v %v %v", keys, waits, err)
	}
}

func TestWhatCouldRunTwiceIsSentOnce(t *testing.T) {
	keys, _, err := exchange(t, "POST", "/api/auth/token/refresh/", 503)
	if err == nil || !slices.Equal(keys, []string{""}) {
		t.Errorf("%v %v", keys, err)
	}
}

func TestARefusalIsFinalAndKeepsACodeThatIsUnknownHere(t *testing.T) {
	keys, _, err := exchange(t, "PATCH", "/api/v1/teams/", 409)
	var refusal *APIError
	if len(keys) != 1 || !errors.As(err, &refusal) || !HasCode(err, "moon_in_the_way") || refusal.Status != 409 || refusal.RequestID != "r" {
		t.Errorf("%v %v", keys, err)
	}
}

func TestAListEndsAtItsLastPageAndAFeedAtItsEmptyOne(t *testing.T) {
	pages := [][]int{{1, 2}, {}, {3}}
	fetch := func(cursor *string) ([]int, *string, error) {
		index := 0
		if cursor != nil {
			index, _ = strconv.Atoi(*cursor)
		}
		next := strconv.Itoa(index + 1)
		if index == len(pages)-1 {
			return pages[index], nil, nil
		}
		return pages[index], &next, nil
	}
	var all, news []int
	for item, err := range Items(fetch) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, item)
	}
	for item := range Feed(fetch) {
		news = append(news, item)
	}
	if !slices.Equal(all, []int{1, 2, 3}) || !slices.Equal(news, []int{1, 2}) {
		t.Errorf("%v %v", all, news)
	}
}

// The document says which operations take a key.
func TestKeysAreSentWhereTheDocumentTakesThem(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal("openapi.json is missing: fetch it from /api/schema/ of a service")
	}
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Ref string `json:"$ref"`
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		post, hasPost := methods["post"]
		takesKey := false
		for _, parameter := range post.Parameters {
			takesKey = takesKey || strings.HasSuffix(parameter.Ref, "/IdempotencyKey")
		}
		if hasPost && takesKey == withoutKey.MatchString(path) {
			t.Errorf("%s: takes a key: %v", path, takesKey)
		}
	}
}
