"""Events as webhooks and streams carry them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import models

KnownEvent = (
    models.SubmissionCreatedEvent
    | models.SubmissionApprovedEvent
    | models.SubmissionRejectedEvent
    | models.TestimonialCreatedEvent
    | models.SurveyResponseCreatedEvent
    | models.NpsLowScoreEvent
    | models.VideoReadyEvent
    | models.ImportCompletedEvent
    | models.TeamMemberAddedEvent
    | models.TeamInvitationCreatedEvent
    | models.UserProfileUpdatedEvent
    | models.WebhookEndpointDisabledEvent
    | models.WebhookDeliveryExhaustedEvent
    | models.WebhookTestEvent
)


@dataclass(frozen=True)
class UnknownEvent:
    """An event that this version does not know: of a newer type, or of a shape that changed. Respond with 2xx, and ignore it."""

    id: str
    type_: str
    body: dict[str, Any]


Event = KnownEvent | UnknownEvent

_PARSERS: dict[str, Callable[[Mapping[str, Any]], KnownEvent]] = {
    "submission.created": models.SubmissionCreatedEvent.from_dict,
    "submission.approved": models.SubmissionApprovedEvent.from_dict,
    "submission.rejected": models.SubmissionRejectedEvent.from_dict,
    "testimonial.created": models.TestimonialCreatedEvent.from_dict,
    "survey.response.created": models.SurveyResponseCreatedEvent.from_dict,
    "nps.low_score": models.NpsLowScoreEvent.from_dict,
    "video.ready": models.VideoReadyEvent.from_dict,
    "import.completed": models.ImportCompletedEvent.from_dict,
    "team.member.added": models.TeamMemberAddedEvent.from_dict,
    "team.invitation.created": models.TeamInvitationCreatedEvent.from_dict,
    "user.profile.updated": models.UserProfileUpdatedEvent.from_dict,
    "webhook.endpoint.disabled": models.WebhookEndpointDisabledEvent.from_dict,
    "webhook.delivery.exhausted": models.WebhookDeliveryExhaustedEvent.from_dict,
    "webhook.test": models.WebhookTestEvent.from_dict,
}


def parse_event(body: dict[str, Any]) -> Event:
    """Returns the event of a JSON object with `id`, `type` and `data`."""
    kind = str(body["type"])
    unknown = UnknownEvent(str(body["id"]), kind, body)
    parse = _PARSERS.get(kind)
    if parse is None:
        return unknown
    try:
        return parse(body)
    except (TypeError, ValueError, KeyError, AttributeError):
        return unknown
