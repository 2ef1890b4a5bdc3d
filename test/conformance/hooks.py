"""Data that no schema can name. Nothing here hides a response: every request is checked as it was sent."""

import json
import os
import re
import unicodedata
from datetime import datetime, timedelta, timezone
from uuid import uuid4

import requests
import schemathesis

RECORDS = json.loads(os.environ["CONFORMANCE_RECORDS"])
AUTHORIZATION = {"Authorization": f"Bearer {os.environ['CONFORMANCE_TOKEN']}"}
MOST_TAGS = 20
SIGN_INS = ("/api/auth/session/", "/api/auth/token/")


def text_key(key, index):
    return key.replace("\0", "")[:190] + str(index)


OWN_KEYS = {
    "metadata": text_key,
    "properties": text_key,
    "hidden": text_key,
    "mapping": text_key,
    "options": lambda key, index: key.replace("\0", "")[:90] + str(index),
    "translations": lambda key, index: "de-" + format(index, "03"),
    "questions": lambda key, index: "question_" + str(index),
    "headers": lambda key, index: "X-Own-" + str(index),
}
MADE_FROM = {
    "team_id": {"name": "Spare"},
    "project_id": {"name": "Spare"},
    "public_key_id": {"label": "Spare"},
    "submission_id": {"body": "Spare words.", "author": {"name": "Ada"}},
    "testimonial_id": {"body": "Spare words.", "author": {"name": "Ada"}},
    "survey_id": {"name": "Spare"},
    "response_id": RECORDS["response"],
    "widget_id": {"name": "Spare", "layout": "wall"},
    "webhook_id": {"url": RECORDS["receiver"], "events": ["video.ready"]},
    "token_id": {"name": "Spare", "scopes": ["read:profile"]},
}


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.method == "DELETE":
        spare_what_the_run_works_with(case)
    if case.meta is not None and case.meta.generation.mode.is_positive:
        say_what_schemas_cannot(case)


def spare_what_the_run_works_with(case):
    """Instead of its own team, project or token, one of its kind is deleted that was made for it."""
    names = list(case.path_parameters or {})
    if names and all(case.path_parameters[name] in RECORDS["kept"] for name in names):
        last = max(names, key=lambda name: case.operation.path.index("{%s}" % name))
        # A DELETE where the API has none, such as of a whole collection, deletes nothing.
        if case.operation.path.endswith("{%s}/" % last):
            case.path_parameters[last] = spare(case, last)


def spare(case, name):
    """A new record, or the oldest that may go when the plan has no room for more."""
    collection = RECORDS["url"] + case.operation.path.removesuffix("{%s}/" % name).format(**case.path_parameters)
    made = requests.post(collection, json=MADE_FROM[name], headers=AUTHORIZATION, timeout=30)
    if made.status_code == 201:
        return made.json()["id"]
    listed = requests.get(collection, params={"limit": 100}, headers=AUTHORIZATION, timeout=30)
    # Coverage sends DELETE where the API has none, also where there is no such collection to list.
    others = [record["id"] for record in listed.json()["results"] if record["id"] not in RECORDS["kept"]] if listed.ok else []
    return others[-1] if others else str(uuid4())


def survey_exists(case):
    survey = RECORDS["url"] + case.operation.path.removesuffix("responses/").format(**case.path_parameters)
    return requests.get(survey, headers=AUTHORIZATION, timeout=30).status_code == 200


def with_room(case):
    """As many tags as fit beside those that the submission keeps: no schema can say how many it has."""
    kept = case.body.get("tags")
    if kept is None:
        submission = requests.get(RECORDS["url"] + case.operation.path.format(**case.path_parameters), headers=AUTHORIZATION, timeout=30)
        kept = submission.json()["tags"] if submission.ok else []
    return case.body["add_tags"][: MOST_TAGS - len(kept)]


def say_what_schemas_cannot(case):
    """Cursors and form tokens were given out by the service, imports have one source, people to erase are strangers, receivers can be reached, ends lie in the future, replays in the last hour, time zones are the world's, ranges of days begin before they end, passwords are good, accounts are there, excerpts are parts of the text, questions fit together, answers fit their questions, tags fit beside those that are there."""
    for name, key in (case.headers or {}).items():
        if name.lower() == "idempotency-key":
            # A key that came before would bring back its answer, which may tell of what was deleted since.
            case.headers[name] = key[:200] + uuid4().hex
    if case.query:
        say_what_queries_mean(case)
    if not isinstance(case.body, dict):
        return
    if "url" in case.body:
        case.body["url"] = RECORDS["receiver"]
    if case.body.get("form_token"):
        case.body["form_token"] = RECORDS["form_token"]
    for name, value in free_json_of(case.body):
        value[name] = within_limits(value[name], name)
    for name in ("password", "new_password"):
        if name in case.body:
            # No schema can say which passwords are tried first.
            case.body[name] = "words that nobody tries " + uuid4().hex
    if case.operation.path in SIGN_INS:
        # Whoever signs in has an account.
        case.body.update(RECORDS["account"])
    if case.operation.path.startswith("/api/auth/token/") and "refresh" in case.body:
        # A refresh token works once.
        pair = requests.post(RECORDS["url"] + "/api/auth/token/", json=RECORDS["account"], timeout=30)
        case.body["refresh"] = pair.json()["refresh"]
    for settings in (case.body, case.body.get("settings")):
        if isinstance(settings, dict) and "timezone" in settings:
            settings["timezone"] = "Europe/Berlin"
    if case.operation.path.endswith("/replay/"):
        now = datetime.now(timezone.utc)
        case.body.update({"from": (now - timedelta(hours=1)).isoformat(), "to": now.isoformat()})
    if case.body.get("add_tags"):
        case.body["add_tags"] = with_room(case)
    if "answers" in case.body:
        if case.path_parameters.get("survey_id") not in RECORDS["kept"] and survey_exists(case):
            # Questions of a survey that the run made have other ids.
            case.path_parameters.update({name: RECORDS[name] for name in case.path_parameters})
        # To the version that never changes, by somebody who has not answered yet.
        case.body.update({**RECORDS["response"], "respondent": {"external_id": uuid4().hex}})
    if case.body.get("excerpt"):
        case.body["excerpt"] = case.body["body"][:20] if "body" in case.body else None
    if case.body.get("questions"):
        case.body["questions"] = fitting(case.body["questions"])
    if case.operation.path.endswith("/imports/"):
        # The rows of an import have one source, and only a dry run that has ended is another one.
        case.body.pop("dry_run_id", None)
        if "csv" in case.body:
            case.body.pop("size_bytes", None)
        elif "size_bytes" not in case.body:
            case.body["csv"] = "name,text\nAda,Saved us a week.\n"
    if "/privacy/" in case.operation.path:
        # Nobody is erased whose records the run works with.
        case.body["email"] = uuid4().hex + "@example.com"
        case.body.pop("cursor", None)
    if isinstance(case.body.get("vtt"), str) and not case.body["vtt"].startswith("WEBVTT"):
        # The document asks for it. Schemathesis makes texts of a length and a pattern by the length alone.
        case.body["vtt"] = "WEBVTT\n\n" + case.body["vtt"].replace("\0", "")
    if case.body.get("expires_at"):
        case.body["expires_at"] = "2100-01-01T00:00:00Z"
    if case.body.get("project_id"):
        # A webhook endpoint's project is one of the same team.
        is_own_team = case.path_parameters.get("team_id") == RECORDS["team_id"]
        case.body["project_id"] = RECORDS["project_id"] if is_own_team else None


def free_json_of(body):
    """Objects with keys of the caller's own, at any depth: their rules are said in words, because many generators of clients fail at them."""
    for name, value in list(body.items()):
        if name in OWN_KEYS and isinstance(value, dict):
            yield name, body
        elif isinstance(value, dict):
            yield from free_json_of(value)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    yield from free_json_of(item)


def within_limits(value, name):
    """The same JSON without NUL characters and inexact numbers, with keys as they may be."""
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value if abs(value) <= 2**53 - 1 else 0
    if isinstance(value, list):
        return [within_limits(item, None) for item in value]
    if isinstance(value, dict):
        made = OWN_KEYS.get(name, lambda key, index: key.replace("\0", ""))
        return {made(key, index): within_limits(item, key) for index, (key, item) in enumerate(value.items())}
    return value


def folded(text):
    """As the service compares words: without accents."""
    return re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text))


def say_what_queries_mean(case):
    path, query = case.operation.path, case.query
    for index, name in enumerate([name for name in query if name.startswith("metadata[")]):
        value = query.pop(name)
        query["metadata[%s]" % text_key(name[9:-1], index)] = value
    if "cursor" in query:
        names = {"/events/": "feed_cursor", "/tags/": "tag_cursor"}
        query["cursor"] = RECORDS[next((name for end, name in names.items() if path.endswith(end)), "cursor")]
    if not folded(str(query.get("search", "word"))).strip():
        # A search has a word, and an accent alone is none. The document cannot say so now: the pattern of a released field never changes.
        query["search"] = "word"
    now = datetime.now(timezone.utc)
    for name, ago in {"from": 10, "to": 1}.items():
        if name in query and path.endswith("/stats/"):
            query[name] = (now - timedelta(hours=ago)).isoformat()
        elif name in query:
            query[name] = str(now.date() - timedelta(days=ago))
    if path.endswith("/results/"):
        if "survey_version" in query:
            query["survey_version"] = RECORDS["response"]["survey_version"]
        asked = [name for name in ("question_id", "texts_cursor") if name in query]
        if asked and case.path_parameters["survey_id"] in RECORDS["kept"]:
            # Of the version that never changes.
            query["survey_version"] = RECORDS["response"]["survey_version"]
            query["question_id"] = RECORDS["response"]["answers"][0]["question_id"]
            query["texts_cursor"] = RECORDS["cursor"]
        else:
            # A survey that the run made has no such question.
            for name in asked:
                query.pop(name)


def fitting(questions):
    """Questions with names of their own, options that differ, bounds that allow answers and at most one NPS question."""
    kept = [question for index, question in enumerate(questions) if question["type"] != "nps" or index == 0]
    for index, question in enumerate(kept):
        question.pop("id", None)
        question.update({"ref": f"question_{index}", "show_if": None})
        if "options" in question:
            question["options"] = list({option["value"]: option for option in question["options"]}.values())
        for bound in {"number": ("min", "max"), "date": ("min", "max"), "multiple_choice": ("min_choices", "max_choices")}.get(question["type"], ()):
            question[bound] = None
    return kept
