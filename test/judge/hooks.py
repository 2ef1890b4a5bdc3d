"""What Schemathesis must know of the house that it works in. Nothing here hides a failure."""

import os
from uuid import uuid4

import schemathesis

# The team, project, public key and token that the run works with: without them every later answer would be 401 or 404.
KEPT = set(os.environ["JUDGE_KEPT"].split(","))


@schemathesis.hook
def before_call(context, case, kwargs):
    """A deletion of what the run works with becomes one of something that does not exist, and is judged as such."""
    if case.method == "DELETE":
        for name, value in case.path_parameters.items():
            if value in KEPT and case.operation.path.endswith("{%s}/" % name):
                case.path_parameters[name] = str(uuid4())
