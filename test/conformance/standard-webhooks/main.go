// A receiver that verifies deliveries with the Go package of Standard Webhooks.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	target, err := url.Parse(os.Getenv("RECEIVER_URL"))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", target.Host)
	if err != nil {
		log.Fatal(err)
	}
	var done sync.Map
	log.Fatal(http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		rawBody, err := io.ReadAll(request.Body)
		if err == nil {
			err = webhook.Verify(rawBody, request.Header)
		}
		var event struct{ ID, Type string }
		if err == nil {
			err = json.Unmarshal(rawBody, &event)
		}
		if err != nil {
			fmt.Println("receiver: refused:", err)
			http.Error(response, "refused", http.StatusBadRequest)
			return
		}
		word := "verified"
		if _, has := done.LoadOrStore(request.Header.Get("webhook-id"), true); has {
			word = "already has"
		}
		fmt.Println("receiver:", word, event.Type, event.ID)
	})))
}
