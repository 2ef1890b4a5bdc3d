import hashlib
import hmac
import os
import re
import time
from urllib.parse import urlsplit

from flask import Flask, request

address = os.environ.get("RECEIVER_URL", "http://127.0.0.1:9000/")
secret = os.environ["WEBHOOK_SECRET"].encode()
# In your application, keep these in the database under a unique index, written in the transaction that does the work.
done = set()
app = Flask(__name__)


def is_authentic(raw_body, headers):
    timestamp = headers.get("X-Service-Timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) >= 300:
        return False
    expected = hmac.new(secret, timestamp.encode() + b"." + raw_body, hashlib.sha256).hexdigest().encode()
    # For 24 hours after a rotation the previous secret signs too.
    given = [headers.get(name, "") for name in ("X-Service-Signature", "X-Service-Signature-Previous")]
    return any([hmac.compare_digest(expected, signature.encode()) for signature in given])


@app.post("/")
def receive():
    if not is_authentic(request.get_data(), request.headers):
        print("receiver: refused", flush=True)
        return "refused", 400
    event = request.get_json()
    delivery = request.headers["X-Service-Delivery"]
    print("receiver:", "already has" if delivery in done else "verified", event["type"], event["id"], flush=True)
    done.add(delivery)
    return "thank you"


if __name__ == "__main__":
    print("receiver: listening at", address, flush=True)
    app.run(host=urlsplit(address).hostname, port=urlsplit(address).port)
