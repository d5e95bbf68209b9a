"""Every component that can be written as a tag, by its name. (`:::note` is in `components/admonition.py`.)"""

from __future__ import annotations

from components.accordion import Accordion
from components.accordionitem import AccordionItem
from components.base import Component
from components.callout import Callout
from components.card import Card
from components.cardgrid import CardGrid
from components.codegroup import CodeGroup
from components.embed import Embed
from components.endpoint import Endpoint
from components.method import Method
from components.param import Param
from components.params import Params
from components.step import Step
from components.steps import Steps
from components.tabitem import TabItem
from components.tabs import Tabs
from components.whereitlives import WhereItLives

COMPONENTS: dict[str, type[Component]] = {
    "CardGrid": CardGrid,
    "Card": Card,
    "Method": Method,
    "Endpoint": Endpoint,
    "Params": Params,
    "Param": Param,
    "WhereItLives": WhereItLives,
    "CodeGroup": CodeGroup,
    "Tabs": Tabs,
    "TabItem": TabItem,
    "Steps": Steps,
    "Step": Step,
    "Accordion": Accordion,
    "AccordionItem": AccordionItem,
    "Embed": Embed,
    "Callout": Callout,
}
