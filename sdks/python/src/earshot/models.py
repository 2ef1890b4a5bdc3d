"""The models and enums of the OpenAPI document."""

from .generated.models import *
from .generated.types import UNSET as UNSET
from .generated.types import Unset as Unset
