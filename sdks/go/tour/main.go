// Command tour takes the tour of the README against a running service, with the generated client and what this module adds to it.
// It needs EARSHOT_URL, EARSHOT_TOKEN and EARSHOT_TEAM, and a service that may deliver webhooks to this machine.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"example.com/earshot"
	"example.com/earshot/api"
	"github.com/google/uuid"
)

const (
	patience = 30 * time.Second
	csv      = "Customer Name,Text,Customer Tagline,Rating\nGrace,\"Praise, quoted.\",CTO,5\nAlan,Fine.,,4\nJoan,,,3\n"
)

// tour is where the steps leave what later ones need.
type tour struct {
	client, visitor *api.ClientWithResponses
	team, project   uuid.UUID
	publicKey       string
	keys            []string
	events          chan *earshot.Event
	submission      uuid.UUID
}

func main() {
	log.SetFlags(0)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	t := &tour{events: make(chan *earshot.Event, 100), team: uuid.MustParse(os.Getenv("EARSHOT_TEAM"))}
	t.client, t.visitor = connect(os.Getenv("EARSHOT_TOKEN")), connect("")
	steps := []struct {
		name string
		take func(context.Context) error
	}{
		{"sign in", t.signIn},
		{"create a project and its key", t.createProject},
		{"submit as a visitor", t.submit},
		{"register a webhook", t.registerWebhook},
		{"approve", t.approve},
		{"ask a question", t.askQuestion},
		{"move in", t.moveIn},
		{"walk pages", t.walkPages},
		{"be refused", t.beRefused},
	}
	for _, step := range steps {
		if err := step.take(ctx); err != nil {
			log.Fatalf("%s: %v", step.name, err)
		}
		fmt.Println("tour:", step.name)
	}
}

func connect(token string) *api.ClientWithResponses {
	client, err := api.NewClientWithResponses(os.Getenv("EARSHOT_URL"), api.WithHTTPClient(earshot.NewDoer(token)))
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func (t *tour) signIn(ctx context.Context) error {
	me, err := t.client.MeRetrieveWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	return expect(me.JSON200.User.Email != "", me.JSON200)
}

func (t *tour) createProject(ctx context.Context) error {
	name := fmt.Sprintf("Engines %d", time.Now().UnixNano())
	project, err := t.client.ProjectsCreateWithResponse(ctx, t.team, nil, api.ProjectsCreateRequest{Name: name})
	if err != nil {
		return err
	}
	t.project = project.JSON201.Id
	key, err := t.client.PublicKeysCreateWithResponse(ctx, t.team, t.project, nil, api.PublicKeysCreateRequest{})
	if err != nil {
		return err
	}
	t.publicKey = key.JSON201.Key
	return nil
}

func (t *tour) submit(ctx context.Context) error {
	rating := 5
	words := api.PublicSubmissionsCreateRequest{
		Body: "It saved us a week.", Rating: &rating,
		Author:   api.VisitorInput{Name: "Charles"},
		Consent:  api.VisitorConsentInput{Granted: true},
		Metadata: &map[string]any{"order": "A-1", "deep": map[string]any{"list": []any{1, nil}}},
	}
	receipt, err := t.visitor.PublicSubmissionsCreateWithResponse(ctx, t.publicKey, nil, words)
	if err != nil {
		return err
	}
	t.submission = receipt.JSON201.Id
	items, err := t.visitor.PublicItemsListWithResponse(ctx, t.publicKey, nil)
	if err != nil {
		return err
	}
	return expect(len(items.JSON200.Results) == 0, items.JSON200)
}

// registerWebhook starts a receiver that verifies each delivery with both keys.
func (t *tour) registerWebhook(ctx context.Context) error {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var event *earshot.Event
		for _, key := range t.keys {
			var err error
			if event, err = earshot.Verify(body, r.Header, key); err != nil {
				log.Println(err)
				w.WriteHeader(http.StatusBadRequest)
				return
			}
		}
		w.WriteHeader(http.StatusNoContent)
		t.events <- event
	}))
	selected := []api.EventSelector{api.EventSelectorSubmissionCreated, api.EventSelectorSubmissionApproved, api.EventSelectorNpsLowScore}
	body := api.WebhooksCreateRequest{Url: receiver.URL, Events: selected, ProjectId: &t.project}
	webhook, err := t.client.WebhooksCreateWithResponse(ctx, t.team, nil, body)
	if err != nil {
		return err
	}
	t.keys = []string{webhook.JSON201.Secret, *webhook.JSON201.PublicKey}
	return nil
}

func (t *tour) approve(ctx context.Context) error {
	approved, err := t.client.SubmissionsApproveWithResponse(ctx, t.team, t.project, t.submission, nil, api.SubmissionsApproveRequest{})
	if err != nil {
		return err
	}
	event, err := t.await("submission.approved")
	if err != nil {
		return err
	}
	var known api.SubmissionApprovedEvent
	if err := json.Unmarshal(event.Body, &known); err != nil {
		return err
	}
	items, err := t.visitor.PublicItemsListWithResponse(ctx, t.publicKey, nil)
	if err != nil {
		return err
	}
	isPublic := len(items.JSON200.Results) == 1 && known.Data.Submission.Id == t.submission
	return expect(isPublic && approved.JSON200.State == api.SubmissionStateApproved, items.JSON200)
}

func (t *tour) askQuestion(ctx context.Context) error {
	var question api.QuestionInput
	nps := api.NpsQuestionInput{Ref: "recommend", Title: "How likely are you to recommend us?"}
	if err := question.FromNpsQuestionInput(nps); err != nil {
		return err
	}
	body := api.SurveysCreateRequest{Name: "After onboarding", Questions: &[]api.QuestionInput{question}}
	survey, err := t.client.SurveysCreateWithResponse(ctx, t.team, t.project, nil, body)
	if err != nil {
		return err
	}
	id := survey.JSON201.Id
	published, err := t.client.SurveysPublishWithResponse(ctx, t.team, t.project, id, nil)
	if err != nil {
		return err
	}
	stored, err := published.JSON200.Questions[0].AsNpsQuestion()
	if err != nil {
		return err
	}
	for _, score := range []float64{10, 9, 4} {
		var value api.AnswerValueInput
		if err := value.FromAnswerValueInput1(score); err != nil {
			return err
		}
		answers := api.PublicResponsesCreateRequest{Answers: []api.AnswerInput{{QuestionId: stored.Id, Value: &value}}}
		if _, err := t.visitor.PublicResponsesCreateWithResponse(ctx, id, nil, answers); err != nil {
			return err
		}
	}
	if _, err := t.await("nps.low_score"); err != nil {
		return err
	}
	results, err := t.client.SurveysResultsWithResponse(ctx, t.team, t.project, id, nil)
	if err != nil {
		return err
	}
	return expect(*results.JSON200.Questions[0].Nps.Score == 33.3, results.JSON200)
}

func (t *tour) moveIn(ctx context.Context) error {
	file := csv
	body := api.ImportsCreateRequest{
		Target: api.ImportTargetTestimonials, FileName: "senja.csv", Csv: &file, Consent: &api.ConsentInput{Granted: true},
	}
	created, err := t.client.ImportsCreateWithResponse(ctx, t.team, t.project, nil, body)
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		read, err := t.client.ImportsRetrieveWithResponse(ctx, t.team, t.project, created.JSON202.Id, nil)
		if err != nil {
			return err
		}
		if read.JSON200.State == api.ImportStateCompleted {
			return expect(read.JSON200.Totals.Created == 2 && read.JSON200.Totals.Failed == 1, read.JSON200.Totals)
		}
		if time.Now().After(deadline) {
			return expect(false, read.JSON200)
		}
	}
}

func (t *tour) walkPages(ctx context.Context) error {
	limit, count := 1, 0
	for submission, err := range earshot.Items(func(cursor *string) ([]api.Submission, *string, error) {
		params := &api.SubmissionsListParams{Cursor: cursor, Limit: &limit}
		page, err := t.client.SubmissionsListWithResponse(ctx, t.team, t.project, params)
		if err != nil {
			return nil, nil, err
		}
		return page.JSON200.Results, page.JSON200.NextCursor, nil
	}) {
		if err != nil {
			return err
		}
		if submission.Id == t.submission && submission.Metadata["order"] != "A-1" {
			return expect(false, submission.Metadata)
		}
		count++
	}
	wanted := map[string]string{"order": "A-1"}
	found, err := t.client.SubmissionsListWithResponse(ctx, t.team, t.project, &api.SubmissionsListParams{Metadata: &wanted})
	if err != nil {
		return err
	}
	return expect(count == 3 && len(found.JSON200.Results) == 1, count)
}

func (t *tour) beRefused(ctx context.Context) error {
	pending := api.SubmissionStatePending
	body := api.SubmissionsRejectRequest{ExpectedState: &pending}
	_, err := t.client.SubmissionsRejectWithResponse(ctx, t.team, t.project, t.submission, nil, body)
	if !earshot.HasCode(err, "state_conflict") {
		return expect(false, err)
	}
	_, err = t.client.ProjectsRetrieveWithResponse(ctx, t.team, uuid.New(), nil)
	return expect(earshot.HasCode(err, "not_found"), err)
}

// await waits for an event of a type, and passes over others.
func (t *tour) await(kind string) (*earshot.Event, error) {
	timeout := time.After(patience)
	for {
		select {
		case event := <-t.events:
			if event.Type == kind {
				return event, nil
			}
		case <-timeout:
			return nil, fmt.Errorf("no %s arrived", kind)
		}
	}
}

func expect(holds bool, found any) error {
	if holds {
		return nil
	}
	text, _ := json.Marshal(found)
	return fmt.Errorf("found %s %v", text, found)
}
