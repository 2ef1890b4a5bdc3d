"""Checks messages for Slack with Slack's SDK: slack_messages.py FILE, a JSON list of messages. Fails with the first problem."""

import json
import sys

from slack_sdk.models.blocks import Block

with open(sys.argv[1]) as file:
    messages = json.load(file)
checked = 0
for message in messages:
    for raw in message["blocks"]:
        block = Block.parse(raw)
        texts = [getattr(block, "text", None), *(getattr(block, "fields", None) or []), *(getattr(block, "elements", None) or [])]
        for part in [block, *filter(None, texts)]:
            part.validate_json()
        checked += 1
print(f"{len(messages)} messages for Slack with {checked} blocks")
