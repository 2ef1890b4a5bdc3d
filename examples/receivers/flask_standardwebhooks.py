import os
from urllib.parse import urlsplit

from flask import Flask, request
from standardwebhooks import Webhook, WebhookVerificationError

address = os.environ.get("RECEIVER_URL", "http://127.0.0.1:9000/")
webhook = Webhook(os.environ["WEBHOOK_SECRET"])
# In your application, keep these in the database under a unique index, written in the transaction that does the work.
done = set()
app = Flask(__name__)


@app.post("/")
def receive():
    try:
        event = webhook.verify(request.get_data(), dict(request.headers))
    except (WebhookVerificationError, ValueError) as error:  # ValueError: a signature that is not base64
        print("receiver: refused:", error, flush=True)
        return "refused", 400
    delivery = request.headers["webhook-id"]
    print("receiver:", "already has" if delivery in done else "verified", event["type"], event["id"], flush=True)
    done.add(delivery)
    return "thank you"


if __name__ == "__main__":
    print("receiver: listening at", address, flush=True)
    app.run(host=urlsplit(address).hostname, port=urlsplit(address).port)
