"""A client of a Headwater server. `types` has the types of what its operations take and give."""

from . import types
from .headwater import Headwater, HeadwaterWarning
from .headwater_error import HeadwaterError
from .pages import items, pages
from .retry import Retry
from .tail import Tail
from .webhook_signature import VerifiedWebhook, WebhookRefusal, WebhookVerificationError, verify_webhook

__all__ = [
    "Headwater",
    "HeadwaterError",
    "HeadwaterWarning",
    "Retry",
    "Tail",
    "VerifiedWebhook",
    "WebhookRefusal",
    "WebhookVerificationError",
    "items",
    "pages",
    "types",
    "verify_webhook",
]
