package earshot

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	secretPrefix    = "whsec_"
	publicKeyPrefix = "whpk_"
	tolerance       = 300 * time.Second
)

// Reasons why a delivery must not be trusted.
var (
	ErrMissingHeader       = errors.New("earshot: a header of the webhook is missing or repeated")
	ErrBadTimestamp        = errors.New("earshot: webhook-timestamp is not a number of seconds")
	ErrTimestampOutOfRange = errors.New("earshot: webhook-timestamp is 300 seconds off or more")
	ErrBadSignature        = errors.New("earshot: no signature matches this key and body")
	ErrBadBody             = errors.New("earshot: the signed body is not an event")
)

var unixSeconds = regexp.MustCompile(`^[0-9]{1,12}$`)

// Event is what a webhook carries. Decode Body as the model of its Type, such as api.SubmissionApprovedEvent. Respond with 2xx to a
// type that you do not know.
type Event struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
	// Body is the whole event.
	Body json.RawMessage `json:"-"`
}

// Verify verifies a delivery by the rules of Standard Webhooks, and returns its event. Pass the raw body. The key is the secret of the
// endpoint (whsec_…), or its public key (whpk_…). After a rotation, a signature by the previous one is valid too.
func Verify(body []byte, header http.Header, key string) (*Event, error) {
	return VerifyAt(body, header, key, time.Now())
}

// VerifyAt is Verify at another time than now.
func VerifyAt(body []byte, header http.Header, key string, now time.Time) (*Event, error) {
	id, timestamp, signatures := header.Values("webhook-id"), header.Values("webhook-timestamp"), header.Values("webhook-signature")
	if len(id) != 1 || len(timestamp) != 1 || len(signatures) != 1 {
		return nil, ErrMissingHeader
	}
	if err := requireRecent(timestamp[0], now); err != nil {
		return nil, err
	}
	check, err := checkOf(key, append([]byte(id[0]+"."+timestamp[0]+"."), body...))
	if err != nil {
		return nil, err
	}
	for _, entry := range strings.Split(signatures[0], " ") {
		if check(entry) {
			return eventOf(body)
		}
	}
	return nil, ErrBadSignature
}

// checkOf returns what verifies one signature of the list, and passes over those of other versions.
func checkOf(key string, message []byte) (func(entry string) bool, error) {
	prefix, version := secretPrefix, "v1"
	if strings.HasPrefix(key, publicKeyPrefix) {
		prefix, version = publicKeyPrefix, "v1a"
	}
	encoded, hasPrefix := strings.CutPrefix(key, prefix)
	bytes, err := base64.StdEncoding.DecodeString(encoded)
	if !hasPrefix || err != nil || (version == "v1a" && len(bytes) != ed25519.PublicKeySize) {
		return nil, fmt.Errorf("earshot: a key is %s or %s and base64", secretPrefix, publicKeyPrefix)
	}
	return func(entry string) bool {
		name, text, _ := strings.Cut(entry, ",")
		signature, err := base64.StdEncoding.DecodeString(text)
		if name != version || err != nil {
			return false
		}
		if version == "v1a" {
			return ed25519.Verify(bytes, message, signature)
		}
		mac := hmac.New(sha256.New, bytes)
		mac.Write(message)
		return hmac.Equal(mac.Sum(nil), signature)
	}, nil
}

func requireRecent(timestamp string, now time.Time) error {
	if !unixSeconds.MatchString(timestamp) {
		return ErrBadTimestamp
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	if now.Sub(time.Unix(seconds, 0)).Abs() >= tolerance {
		return ErrTimestampOutOfRange
	}
	return nil
}

func eventOf(body []byte) (*Event, error) {
	event := Event{Body: body}
	if err := json.Unmarshal(body, &event); err != nil || event.ID == "" || event.Type == "" || event.Data == nil {
		return nil, ErrBadBody
	}
	return &event, nil
}
