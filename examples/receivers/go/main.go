package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"
)

const (
	tolerance    = 300 * time.Second
	maxBodyBytes = 1 << 20
)

// In your application, keep these in the database under a unique index, written in the transaction that does the work.
var done sync.Map

func main() {
	address := os.Getenv("RECEIVER_URL")
	if address == "" {
		address = "http://127.0.0.1:9000/"
	}
	secret := []byte(os.Getenv("WEBHOOK_SECRET"))
	if len(secret) == 0 {
		log.Fatal("receiver: WEBHOOK_SECRET is not set")
	}
	target, err := url.Parse(address)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", target.Host)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("receiver: listening at", address)
	log.Fatal(http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		receive(response, request, secret)
	})))
}

func receive(response http.ResponseWriter, request *http.Request, secret []byte) {
	rawBody, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
	if err != nil || !isAuthentic(rawBody, request.Header, secret) {
		fmt.Println("receiver: refused")
		http.Error(response, "refused", http.StatusBadRequest)
		return
	}
	var event struct{ ID, Type string }
	if err := json.Unmarshal(rawBody, &event); err != nil {
		http.Error(response, "no event", http.StatusBadRequest)
		return
	}
	if _, has := done.LoadOrStore(request.Header.Get("X-Service-Delivery"), true); has {
		fmt.Println("receiver: already has", event.Type, event.ID)
	} else {
		fmt.Println("receiver: verified", event.Type, event.ID)
	}
	fmt.Fprint(response, "thank you")
}

func isAuthentic(rawBody []byte, header http.Header, secret []byte) bool {
	timestamp := header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil || math.Abs(time.Since(time.Unix(int64(seconds), 0)).Seconds()) >= tolerance.Seconds() {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	expected := mac.Sum(nil)
	// For 24 hours after a rotation the previous secret signs too.
	for _, name := range []string{"X-Service-Signature", "X-Service-Signature-Previous"} {
		given, err := hex.DecodeString(header.Get(name))
		if err == nil && hmac.Equal(expected, given) {
			return true
		}
	}
	return false
}
